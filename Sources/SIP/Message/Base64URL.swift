/// Base64 with the alphabet that needs no escape in URIs and tokens, without padding (RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// Appends the text of some bytes.
    public static func encode(_ bytes: Span<UInt8>, _ out: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count / 3 * 4 + 4) { text in
            var count = 0
            var at = 0
            while at < bytes.count {
                var word = UInt32(bytes[at]) << 16
                if at + 1 < bytes.count { word |= UInt32(bytes[at + 1]) << 8 }
                if at + 2 < bytes.count { word |= UInt32(bytes[at + 2]) }
                unsafe text[count] = alphabet.utf8Start[Int(word >> 18)]
                unsafe text[count + 1] = alphabet.utf8Start[Int(word >> 12 & 63)]
                unsafe text[count + 2] = alphabet.utf8Start[Int(word >> 6 & 63)]
                unsafe text[count + 3] = alphabet.utf8Start[Int(word & 63)]
                count += min(bytes.count - at, 3) + 1
                at += 3
            }
            unsafe out.append(contentsOf: text[..<count])
        }
    }

    /// Reads the bytes of a text, 32 at most.
    ///
    /// - Returns: how many bytes there are; nil where a character does not belong there, or there are too many.
    public static func decode(_ text: [UInt8], _ range: Range<Int>, _ out: inout InlineArray<32, UInt8>) -> Int? {
        let whole = range.count / 4 * 3
        // One character over makes no byte; two make one, three make two.
        let rest = range.count % 4
        guard rest != 1, whole + max(rest - 1, 0) <= out.count else { return nil }
        var at = range.lowerBound
        var count = 0
        while count < whole {
            let word =
                value(text[at]) << 18 | value(text[at + 1]) << 12 | value(text[at + 2]) << 6 | value(text[at + 3])
            guard word <= 0xff_ffff else { return nil }
            out[count] = UInt8(truncatingIfNeeded: word >> 16)
            out[count + 1] = UInt8(truncatingIfNeeded: word >> 8)
            out[count + 2] = UInt8(truncatingIfNeeded: word)
            count += 3
            at += 4
        }
        guard rest > 0 else { return count }
        let word = value(text[at]) << 18 | value(text[at + 1]) << 12 | (rest == 3 ? value(text[at + 2]) << 6 : 0)
        // Bits that make no byte are zero, so that bytes have one text only.
        guard word <= 0xff_ffff, word & (rest == 3 ? 0xff : 0xffff) == 0 else { return nil }
        out[count] = UInt8(truncatingIfNeeded: word >> 16)
        if rest == 3 { out[count + 1] = UInt8(truncatingIfNeeded: word >> 8) }
        return count + rest - 1
    }

    /// The six bits of a character; one that does not belong there has all bits above them, however far it is shifted.
    @inline(__always)
    private static func value(_ character: UInt8) -> UInt32 {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character &- UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character &- UInt8(ascii: "a") &+ 26)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character &- UInt8(ascii: "0") &+ 52)
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: ~0
        }
    }
}

extension [UInt8] {
    /// Appends a number in so many bytes, most significant first.
    public mutating func append(bigEndian value: UInt64, bytes: Int) {
        for shift in stride(from: (bytes - 1) * 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Reads a number of so many bytes at a place; nil where the buffer ends before.
    public func bigEndian(at place: Int, bytes: Int) -> UInt64? {
        guard place >= 0, bytes <= 8, place + bytes <= count else { return nil }
        var value: UInt64 = 0
        for offset in 0..<bytes { value = value << 8 | UInt64(self[place + offset]) }
        return value
    }
}

extension InlineArray where Element == UInt8 {
    /// Reads a number of up to eight bytes, most significant first; 0 where that is not all within the array.
    public func bigEndian(_ places: Range<Int>) -> UInt64 {
        guard places.lowerBound >= 0, places.upperBound <= count, places.count <= 8 else { return 0 }
        var value: UInt64 = 0
        for place in places { value = value << 8 | UInt64(self[place]) }
        return value
    }

    /// Writes a number as eight bytes, most significant first; nothing where they are not all within the array.
    public mutating func write(bigEndian value: UInt64, at place: Int) {
        guard place >= 0, place + 8 <= count else { return }
        for offset in 0..<8 { self[place + offset] = UInt8(truncatingIfNeeded: value >> UInt64(56 - offset * 8)) }
    }
}
