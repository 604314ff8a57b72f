/// The bytes that framing knows by name, and what a start line looks like from afar.
///
/// The shape is loose on purpose: what is SIP but wrong is for the parser, which can answer it.
enum StreamByte {
    static var tab: UInt8 { 0x09 }
    static var lf: UInt8 { 0x0a }
    static var cr: UInt8 { 0x0d }
    static var space: UInt8 { 0x20 }
    static var dot: UInt8 { 0x2e }
    static var slash: UInt8 { 0x2f }
    static var colon: UInt8 { 0x3a }
    static var delete: UInt8 { 0x7f }

    /// Space or tab.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    @inline(__always)
    static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

    /// A character of a token (RFC 3261 section 25.1): letters, digits and ``-.!%*_+`'~``.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        // One bit for each of the 128 characters.
        let low: UInt64 = 0x03ff_6ca2_0000_0000
        let high: UInt64 = 0x47ff_ffff_87ff_fffe
        return byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 != 0
    }

    /// Whether `SIP` stands there, in any case.
    static func isSIP(_ bytes: Span<UInt8>, at start: Int) -> Bool {
        start >= 0 && start &+ 2 < bytes.count && bytes[start] | 0x20 == UInt8(ascii: "s")
            && bytes[start &+ 1] | 0x20 == UInt8(ascii: "i") && bytes[start &+ 2] | 0x20 == UInt8(ascii: "p")
    }

    /// Whether a line whose first word is a token ends in a version, as in `SIP/2.0`.
    static func isRequestLine(_ line: Span<UInt8>) -> Bool {
        var end = line.count
        while end > 0, isBlank(line[end &- 1]) { end &-= 1 }
        var start = end
        while start > 0, !isBlank(line[start &- 1]) { start &-= 1 }
        return start > 0 && isVersion(line, start, end)
    }

    /// Whether a line that begins with `SIP/` goes on with a version and a status.
    static func isStatusLine(_ line: Span<UInt8>) -> Bool {
        var end = 0
        while end < line.count, line[end] != space { end &+= 1 }
        guard isVersion(line, 0, end) else { return false }
        while end < line.count, line[end] == space { end &+= 1 }
        return end < line.count && isDigit(line[end])
    }

    private static func isVersion(_ line: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        guard end &- start > 4, isSIP(line, at: start), line[start &+ 3] == slash else { return false }
        var index = start &+ 4
        while index < end, isDigit(line[index]) || line[index] == dot { index &+= 1 }
        return index == end && isDigit(line[start &+ 4])
    }
}
