/// Base64 with the alphabet that needs no escape in URIs and tokens, without padding (RFC 4648 section 5).
public enum Base64URL {
    private static let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// Appends the text of some bytes.
    public static func encode(_ bytes: Span<UInt8>, _ out: inout [UInt8]) {
        var accumulator: UInt32 = 0
        var bits = 0
        for position in bytes.indices {
            accumulator = accumulator << 8 | UInt32(bytes[position])
            bits += 8
            while bits >= 6 {
                bits -= 6
                unsafe out.append(alphabet.utf8Start[Int(accumulator >> UInt32(bits) & 63)])
            }
        }
        if bits > 0 { unsafe out.append(alphabet.utf8Start[Int(accumulator << UInt32(6 - bits) & 63)]) }
    }

    /// Reads the bytes of a text, 32 at most.
    ///
    /// - Returns: how many bytes there are; nil where a character does not belong there, or there are too many.
    public static func decode(_ text: [UInt8], _ range: Range<Int>, _ out: inout InlineArray<32, UInt8>) -> Int? {
        var count = 0
        var accumulator: UInt32 = 0
        var bits = 0
        for position in range {
            let value: UInt8
            switch text[position] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = text[position] - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = text[position] - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = text[position] - UInt8(ascii: "0") + 52
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            accumulator = accumulator << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                guard count < out.count else { return nil }
                out[count] = UInt8(truncatingIfNeeded: accumulator >> UInt32(bits))
                count += 1
            }
        }
        return bits < 6 && accumulator & (1 << UInt32(bits) - 1) == 0 ? count : nil
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
}
