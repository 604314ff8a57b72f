/// A parameter of a header value or URI: `;name`, `;name=value`, `;name="quoted value"`.
public struct Parameter: Hashable, Sendable {
    /// The name as written.
    @Packed public var name: Range<Int>
    /// The value as written, quotes and all; nil where there is no `=`.
    @PackedIfAny public var value: Range<Int>?
}

/// The parameters in a range of a message, one after the other.
///
/// White space may stand around `;` and `=`, as in header values (RFC 3261 section 25.1, SEMI and EQUAL).
public struct Parameters: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var at: Int
    private let end: Int
    /// Whether what follows could not be read.
    public private(set) var isMalformed = false

    /// Reads the parameters that fill a range, each with its `;`.
    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = range.upperBound
    }

    /// The next parameter; nil at the end, or where the syntax ends.
    public mutating func next() -> Parameter? {
        skipWhiteSpace()
        guard at < end, !isMalformed else { return nil }
        guard bytes[at] == UInt8(ascii: ";") else { return malformed() }
        at += 1
        skipWhiteSpace()
        let nameStart = at
        while at < end, bytes[at].isIn(.parameterName) { at += 1 }
        let name = nameStart..<at
        guard !name.isEmpty else { return malformed() }
        skipWhiteSpace()
        guard at < end, bytes[at] == UInt8(ascii: "=") else { return Parameter(name: name, value: nil) }
        at += 1
        skipWhiteSpace()
        let valueStart = at
        if at < end, bytes[at] == UInt8(ascii: "\"") {
            guard let after = bytes.quotedStringEnd(at..<end) else { return malformed() }
            at = after
        } else {
            at = bytes.parameterEnd(at..<end)
            guard at > valueStart else { return malformed() }
        }
        return Parameter(name: name, value: valueStart..<at)
    }

    private mutating func malformed() -> Parameter? {
        isMalformed = true
        return nil
    }

    @inline(__always)
    private mutating func skipWhiteSpace() {
        while at < end, bytes[at].isLWS { at += 1 }
    }
}

extension [UInt8] {
    /// The first parameter of this name, given in lower case; the range holds parameters with their `;`.
    public func parameter(_ name: StaticString, in range: Range<Int>) -> Parameter? {
        for parameter in Parameters(self, range) where isEqualIgnoringCase(parameter.name, name) { return parameter }
        return nil
    }

    /// Whether a range can be read as parameters to its end.
    func areParameters(_ range: Range<Int>) -> Bool {
        var parameters = Parameters(self, range)
        while parameters.next() != nil {}
        return !parameters.isMalformed
    }

    /// Where the value of a parameter without quotes ends: at a semicolon or white space.
    fileprivate func parameterEnd(_ range: Range<Int>) -> Int {
        var from = range.lowerBound
        while let at = span.first(
            from: from,
            to: range.upperBound,
            where: { $0.places(below: 0x21) | $0.places(of: UInt8(ascii: ";")) }
        ) {
            if self[at] == UInt8(ascii: ";") || self[at].isLWS { return at }
            from = at + 1
        }
        return range.upperBound
    }

    /// Where the quoted string that begins at the range's start ends, after the closing quote; nil when it never does.
    func quotedStringEnd(_ range: Range<Int>) -> Int? {
        var from = range.lowerBound + 1
        while let at = span.first(
            from: from,
            to: range.upperBound,
            where: { $0.places(of: UInt8(ascii: "\\")) | $0.places(of: UInt8(ascii: "\"")) }
        ) {
            if self[at] == UInt8(ascii: "\"") { return at + 1 }
            from = at + 2
        }
        return nil
    }

    /// The content of a value: without quotes and escapes where it is a quoted string, as it stands where it is not.
    public func unquoted(_ range: Range<Int>) -> ByteString {
        guard range.count >= 2, self[range.lowerBound] == UInt8(ascii: "\""),
            self[range.upperBound - 1] == UInt8(ascii: "\"")
        else { return ByteString(self, range) }
        var content: [UInt8] = []
        content.reserveCapacity(range.count)
        var at = range.lowerBound + 1
        while at < range.upperBound - 1 {
            if self[at] == UInt8(ascii: "\\"), at + 1 < range.upperBound - 1 { at += 1 }
            content.append(self[at])
            at += 1
        }
        return ByteString(content)
    }
}
