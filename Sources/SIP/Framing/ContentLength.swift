/// What the header section has said of the length of the body so far.
enum ContentLength: Sendable {
    case missing
    /// No number, or two that differ.
    case invalid
    /// A number; `Int.max` where it does not fit.
    case value(Int)

    /// Takes a whole header line, with its continuation lines and without its last line end, and looks whether it is
    /// Content-Length or its compact form `l` (RFC 3261 sections 7.3.3 and 20.14).
    @inline(__always)
    mutating func read(_ bytes: Span<UInt8>, _ line: Range<Int>) {
        guard !line.isEmpty else { return }
        switch bytes[line.lowerBound] | 0x20 {
        case UInt8(ascii: "l"): readLine(bytes.extracting(line))
        // Call-ID, CSeq and Contact begin like it.
        case UInt8(ascii: "c") where line.count > 7 && bytes[line.lowerBound &+ 7] == UInt8(ascii: "-"):
            readLine(bytes.extracting(line))
        default: break
        }
    }

    private mutating func readLine(_ line: Span<UInt8>) {
        let nameEnd = line[0] | 0x20 == UInt8(ascii: "l") ? 1 : Self.endOfFullName(line)
        guard let nameEnd else { return }
        let colon = Self.skipBlanks(line, from: nameEnd)
        guard colon < line.count, line[colon] == StreamByte.colon else { return }
        let found = Self.number(line, from: colon &+ 1)
        switch (self, found) {
        case (.missing, let found): self = found
        case (.value(let first), .value(let second)) where first == second: break
        default: self = .invalid
        }
    }

    private static func endOfFullName(_ line: Span<UInt8>) -> Int? {
        let name: StaticString = "content-length"
        let end = name.utf8CodeUnitCount
        return line.count > end && line.isEqualIgnoringCase(0..<end, name) ? end : nil
    }

    /// Digits with nothing but blanks around them.
    private static func number(_ line: Span<UInt8>, from start: Int) -> ContentLength {
        var index = skipBlanks(line, from: start)
        let first = index
        var value = 0
        while index < line.count, StreamByte.isDigit(line[index]) {
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int(line[index] & 0x0f))
            value = overflow || carry ? .max : sum
            index &+= 1
        }
        return index > first && skipBlanks(line, from: index) == line.count ? .value(value) : .invalid
    }

    /// The first place that is neither a blank nor the line end before a continuation line.
    private static func skipBlanks(_ line: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < line.count {
            if StreamByte.isBlank(line[index]) {
                index &+= 1
            } else if line[index] == StreamByte.cr, index &+ 2 < line.count, line[index &+ 1] == StreamByte.lf,
                StreamByte.isBlank(line[index &+ 2])
            {
                index &+= 3
            } else {
                break
            }
        }
        return index
    }
}
