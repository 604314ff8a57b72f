/// The Digest credentials of an Authorization or Proxy-Authorization header field (RFC 7616 section 3.4).
///
/// Ranges are of the content, without quotes.
public struct Credentials: Hashable, Sendable {
    /// The user name, escapes and all.
    public var username: Range<Int>
    /// The realm.
    public var realm: Range<Int>
    /// The nonce.
    public var nonce: Range<Int>
    /// The digest URI.
    public var uri: Range<Int>
    /// The proof, in hexadecimal.
    public var response: Range<Int>
    /// MD5 where none is named; nil for one that is not served.
    public var algorithm: DigestAlgorithm?
    /// Absent in the manner of RFC 2069.
    public var qop: Range<Int>?
    /// The client's nonce.
    public var clientNonce: Range<Int>?
    /// `nc` as written, eight hexadecimal digits.
    public var nonceCount: Range<Int>?
    /// `nc` as a number.
    public var count: UInt32?

    /// Reads one header field.
    ///
    /// - Throws: `MessageFault.malformed` of that field where it is Digest but not sound.
    /// - Returns: nil for another scheme than Digest.
    public static func parse(_ message: Message, _ field: HeaderField) throws(MessageFault) -> Credentials? {
        let bytes = message.bytes
        let value = field.value
        var schemeEnd = value.lowerBound
        while schemeEnd < value.upperBound, !bytes[schemeEnd].isLWS { schemeEnd += 1 }
        guard bytes.isEqualIgnoringCase(value.lowerBound..<schemeEnd, "digest") else { return nil }
        var found = Found()
        var at = schemeEnd
        while let directive = try next(bytes, &at, value.upperBound, field.name) {
            guard found.take(bytes, directive.name, directive.content) else { throw .malformed(field.name) }
        }
        guard let credentials = found.credentials(bytes) else { throw .malformed(field.name) }
        return credentials
    }

    /// Reads the next directive of the list, `name=value` or `name="value"`; nil where there are no more.
    private static func next(
        _ bytes: [UInt8],
        _ at: inout Int,
        _ end: Int,
        _ field: HeaderName
    ) throws(MessageFault) -> (name: Range<Int>, content: Range<Int>)? {
        while at < end, bytes[at].isLWS || bytes[at] == UInt8(ascii: ",") { at += 1 }
        guard at < end else { return nil }
        let nameStart = at
        while at < end, bytes[at].isIn(.token) { at += 1 }
        let name = nameStart..<at
        while at < end, bytes[at].isLWS { at += 1 }
        guard at < end, bytes[at] == UInt8(ascii: "=") else { throw .malformed(field) }
        at += 1
        while at < end, bytes[at].isLWS { at += 1 }
        let start = at
        guard at < end, bytes[at] == UInt8(ascii: "\"") else {
            at = bytes.first(UInt8(ascii: ","), in: at..<end) ?? end
            return (name, bytes.trimmed(start..<at))
        }
        guard let after = bytes.quotedStringEnd(at..<end) else { throw .malformed(field) }
        at = after
        while at < end, bytes[at].isLWS { at += 1 }
        guard at == end || bytes[at] == UInt8(ascii: ",") else { throw .malformed(field) }
        return (name, (start + 1)..<(after - 1))
    }

    private struct Found {
        private var values = InlineArray<9, Range<Int>?>(repeating: nil)

        /// Keeps a known directive; false where it stands twice.
        mutating func take(_ bytes: [UInt8], _ name: Range<Int>, _ content: Range<Int>) -> Bool {
            func isCalled(_ known: StaticString) -> Bool { bytes.isEqualIgnoringCase(name, known) }
            let index: Int
            switch name.count {
            case 8 where isCalled("username"): index = 0
            case 5 where isCalled("realm"): index = 1
            case 5 where isCalled("nonce"): index = 2
            case 3 where isCalled("uri"): index = 3
            case 8 where isCalled("response"): index = 4
            case 9 where isCalled("algorithm"): index = 5
            case 3 where isCalled("qop"): index = 6
            case 6 where isCalled("cnonce"): index = 7
            case 2 where isCalled("nc"): index = 8
            default: return true
            }
            guard values[index] == nil else { return false }
            values[index] = content
            return true
        }

        func credentials(_ bytes: [UInt8]) -> Credentials? {
            guard let username = values[0], let realm = values[1], let nonce = values[2], let uri = values[3],
                let response = values[4]
            else { return nil }
            var algorithm: DigestAlgorithm? = .md5
            if let name = values[5] { algorithm = DigestAlgorithm(bytes, name) }
            if values[6] != nil, values[7] == nil || values[8] == nil { return nil }
            var count: UInt32?
            if let digits = values[8] {
                guard digits.count == 8, let value = bytes.hexadecimal(digits) else { return nil }
                count = UInt32(truncatingIfNeeded: value)
            }
            return Credentials(
                username: username,
                realm: realm,
                nonce: nonce,
                uri: uri,
                response: response,
                algorithm: algorithm,
                qop: values[6],
                clientNonce: values[7],
                nonceCount: values[8],
                count: count
            )
        }
    }
}
