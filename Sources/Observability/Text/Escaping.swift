/// Makes values safe to stand in one line of text, whatever a peer put into them.
package enum Escaping {
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Appends text between quotes, as JSON has it (RFC 8259 section 7): valid in logfmt as well.
    ///
    /// Control characters are escaped, those of ISO 8859-1 that some terminals obey included.
    package static func appendQuoted(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var last: UInt8 = 0
        for byte in text.utf8 {
            if last == 0xc2, 0x80...0x9f ~= byte {
                out.removeLast()
                appendUnicode(byte, to: &out)
            } else {
                append(byte, to: &out, control: appendUnicode)
            }
            last = byte
        }
        out.append(UInt8(ascii: "\""))
    }

    /// Appends bytes between quotes; what is not printable ASCII becomes `\xNN`, so that any bytes survive.
    static func appendQuoted(bytes: Span<UInt8>, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        // Hardly anything needs an escape: what does not is copied in one piece.
        var start = 0
        var index = 0
        while index < bytes.count {
            if index + 8 <= bytes.count, isSafe(bytes, index) {
                index += 8
                continue
            }
            let byte = bytes[index]
            index += 1
            if byte >= 0x20, byte < 0x7f, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { continue }
            append(bytes.extracting(start..<(index - 1)), to: &out)
            if byte >= 0x80 { appendByte(byte, to: &out) } else { append(byte, to: &out, control: appendByte) }
            start = index
        }
        append(bytes.extracting(start..<bytes.count), to: &out)
        out.append(UInt8(ascii: "\""))
    }

    /// Whether none of eight bytes needs an escape.
    @inline(__always)
    private static func isSafe(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let word = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt64.self) }
        let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
        let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
        let delete = word ^ ones &* 0x7f
        // A byte below a space, or one that is zero here, borrows from its high bit; other than ASCII has that bit itself.
        let marks = word | (word &- ones &* 0x20) | (quote &- ones) | (backslash &- ones) | (delete &- ones)
        return marks & ones << 7 == 0
    }

    private static func append(_ bytes: Span<UInt8>, to out: inout [UInt8]) {
        bytes.withUnsafeBufferPointer { out.append(contentsOf: $0) }
    }

    /// Whether a value can stand in a logfmt line without quotes.
    static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "=")
            && byte != UInt8(ascii: "\\")
    }

    private static func append(_ byte: UInt8, to out: inout [UInt8], control: (UInt8, inout [UInt8]) -> Void) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            out.append(UInt8(ascii: "\\"))
            out.append(byte)
        case 0x0a: out.append(contentsOf: "\\n".utf8)
        case 0x0d: out.append(contentsOf: "\\r".utf8)
        case 0x09: out.append(contentsOf: "\\t".utf8)
        case 0..<0x20, 0x7f: control(byte, &out)
        default: out.append(byte)
        }
    }

    private static func appendUnicode(_ byte: UInt8, to out: inout [UInt8]) {
        out.append(contentsOf: "\\u00".utf8)
        out.append(hexadecimal[Int(byte >> 4)])
        out.append(hexadecimal[Int(byte & 15)])
    }

    private static func appendByte(_ byte: UInt8, to out: inout [UInt8]) {
        out.append(contentsOf: "\\x".utf8)
        out.append(hexadecimal[Int(byte >> 4)])
        out.append(hexadecimal[Int(byte & 15)])
    }
}
