/// A word of two to 24 bytes as a few numbers that may overlap, so that two words are compared without a loop.
struct Spelling {
    private let count: Int
    private let head: UInt64
    private let middle: UInt64
    private let tail: UInt64

    /// Takes the bytes of a range; nil where there are less than two or more than 24.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let start = range.lowerBound
        let end = range.upperBound
        count = range.count
        if count >= 8 {
            guard count <= 24 else { return nil }
            head = bytes.number(start)
            middle = bytes.number(Swift.min(start + 8, end - 8))
            tail = bytes.number(end - 8)
            return
        }
        middle = 0
        tail = 0
        if count >= 4 {
            head = UInt64(bytes.number(start, as: UInt32.self)) << 32 | UInt64(bytes.number(end - 4, as: UInt32.self))
        } else if count >= 2 {
            head = UInt64(bytes.number(start, as: UInt16.self)) << 32 | UInt64(bytes.number(end - 2, as: UInt16.self))
        } else {
            return nil
        }
    }

    /// Whether it is this word in any case; no sign in the known one lies among the letters of ASCII.
    @inline(__always)
    func isEqualIgnoringCase(to known: Spelling) -> Bool {
        count == known.count
            && Self.differing(head, known.head) | Self.differing(middle, known.middle)
                | Self.differing(tail, known.tail) == 0
    }

    /// The bits in which eight bytes differ from known ones, but for the case of letters.
    @inline(__always)
    private static func differing(_ spelled: UInt64, _ known: UInt64) -> UInt64 {
        // Letters alone have a case: they are what lies from 0x40 on.
        (spelled ^ known) & ~((known & 0x4040_4040_4040_4040) >> 1)
    }
}

extension Span where Element == UInt8 {
    /// The bytes from a place on as a number, in the order of the machine.
    @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ place: Int,
        as type: Number.Type = UInt64.self
    ) -> Number {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: place, as: type)
    }
}
