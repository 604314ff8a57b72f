/// Eight bytes that are looked at at once.
///
/// Questions are answered by one subtraction: a byte that is what is asked for borrows from its high bit. What it borrows may
/// mark a byte behind it too, so only the first place is sure, which is all that a search asks for.
struct ByteWord {
    private let bits: UInt64

    fileprivate static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// Loads eight bytes.
    ///
    /// - Parameters:
    ///   - bytes: where from; not checked beyond debug builds.
    ///   - place: the first of the eight.
    @inline(__always)
    @unsafe init(_ bytes: UnsafeRawBufferPointer, _ place: Int) {
        bits = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    /// Which of them are this byte.
    @inline(__always)
    func places(of byte: UInt8) -> Places { Places(zeros: bits ^ Self.ones &* UInt64(byte)) }

    /// Which of them are smaller than this byte, which is 128 at most.
    @inline(__always)
    func places(below byte: UInt8) -> Places { Places(marks: (bits &- Self.ones &* UInt64(byte)) & ~bits) }

    /// Places within a word, of which the first is sure.
    struct Places {
        private let marks: UInt64

        /// Takes the high bits of bytes that were marked.
        @inline(__always)
        fileprivate init(marks: UInt64) { self.marks = marks & ByteWord.ones << 7 }

        @inline(__always)
        fileprivate init(zeros differing: UInt64) { self.init(marks: (differing &- ByteWord.ones) & ~differing) }

        /// The first place, from 0 to 7; nil where there is none.
        @inline(__always)
        var first: Int? { marks == 0 ? nil : marks.trailingZeroBitCount / 8 }

        /// Whether there is none.
        @inline(__always)
        var isEmpty: Bool { marks == 0 }

        /// Places that are one or the other.
        @inline(__always)
        static func | (left: Places, right: Places) -> Places { Places(marks: left.marks | right.marks) }
    }
}

extension [UInt8] {
    /// The eight bytes from a place on; nil where they are not all within the range and the array.
    @inline(__always)
    func word(_ place: Int, in range: Range<Int>) -> ByteWord? {
        guard place >= 0, place + 8 <= Swift.min(range.upperBound, count) else { return nil }
        return unsafe withUnsafeBytes { unsafe ByteWord($0, place) }
    }
}

extension Span where Element == UInt8 {
    /// The eight bytes from a place on; nil where they do not all lie before the end.
    @inline(__always)
    func word(_ place: Int, before end: Int) -> ByteWord? {
        guard place >= 0, place + 8 <= Swift.min(end, count) else { return nil }
        return unsafe withUnsafeBytes { unsafe ByteWord($0, place) }
    }

    /// The eight bytes from a place on; nil where they do not all lie within the span.
    @inline(__always)
    func word(_ place: Int) -> ByteWord? { word(place, before: count) }
}
