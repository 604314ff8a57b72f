/// A Digest challenge as a client reads it (RFC 7616 section 3.3).
public struct DigestChallenge: Hashable, Sendable {
    /// The realm, without quotes.
    public var realm: ByteString
    /// The nonce, without quotes.
    public var nonce: ByteString
    /// The value to send back unchanged, where there is one.
    public var opaque: ByteString?
    /// The algorithm; MD5 where none is named.
    public var algorithm: DigestAlgorithm
    /// Whether `qop=auth` is offered; without it the response is that of RFC 2069.
    public var offersAuth: Bool
    /// Whether only the nonce was too old.
    public var isStale: Bool

    /// The first challenge in a 401 or 407 that can be answered here.
    ///
    /// The server names them in its order of preference (RFC 8760 section 2.3).
    ///
    /// - Parameters:
    ///   - message: the answer.
    ///   - name: `wwwAuthenticate` or `proxyAuthenticate`.
    /// - Returns: nil where there is none, or none with a known algorithm.
    public static func first(in message: Message, _ name: HeaderName) -> DigestChallenge? {
        for field in message.fields where field.name == name {
            if let challenge = DigestChallenge(message.bytes, field.value) { return challenge }
        }
        return nil
    }

    private init?(_ bytes: [UInt8], _ range: Range<Int>) {
        var schemeEnd = range.lowerBound
        while schemeEnd < range.upperBound, !bytes[schemeEnd].isLWS { schemeEnd += 1 }
        guard bytes.isEqualIgnoringCase(range.lowerBound..<schemeEnd, "digest") else { return nil }
        var realm: ByteString?
        var nonce: ByteString?
        var algorithm: DigestAlgorithm? = .md5
        offersAuth = false
        isStale = false
        for part in HeaderValuesOfOne(bytes, schemeEnd..<range.upperBound) where !part.isEmpty {
            guard let equals = bytes.first(UInt8(ascii: "="), in: part) else { return nil }
            let name = bytes.trimmed(part.lowerBound..<equals)
            let value = bytes.trimmed((equals + 1)..<part.upperBound)
            if bytes.isEqualIgnoringCase(name, "realm") {
                realm = bytes.unquoted(value)
            } else if bytes.isEqualIgnoringCase(name, "nonce") {
                nonce = bytes.unquoted(value)
            } else if bytes.isEqualIgnoringCase(name, "opaque") {
                opaque = bytes.unquoted(value)
            } else if bytes.isEqualIgnoringCase(name, "algorithm") {
                let name = bytes.unquoted(value)
                algorithm = DigestAlgorithm(name.bytes, name.range)
            } else if bytes.isEqualIgnoringCase(name, "stale") {
                isStale = bytes.isEqualIgnoringCase(value, "true")
            } else if bytes.isEqualIgnoringCase(name, "qop") {
                let offered = bytes.unquoted(value).bytes
                for option in HeaderValuesOfOne(offered, 0..<offered.count)
                where offered.isEqualIgnoringCase(option, "auth") {
                    offersAuth = true
                }
            }
        }
        guard let realm, let nonce, let algorithm else { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
    }
}
