/// Writes the challenge of a 401 or 407 (RFC 7616 section 3.3, RFC 8760 section 2.3).
public enum Challenge {
    /// Appends one header field an algorithm, in order of preference.
    ///
    /// - Parameters:
    ///   - name: `wwwAuthenticate` or `proxyAuthenticate`.
    ///   - realm: the domain.
    ///   - nonce: the nonce.
    ///   - algorithms: what is offered, best first.
    ///   - isStale: whether the credentials were right but for their nonce.
    ///   - out: takes the bytes.
    public static func append(
        _ name: HeaderName,
        realm: ByteString,
        nonce: [UInt8],
        algorithms: [DigestAlgorithm],
        isStale: Bool,
        _ out: inout [UInt8]
    ) {
        for algorithm in algorithms {
            out.append(text: name.name)
            out.append(text: ": Digest realm=\"")
            out.append(realm)
            out.append(text: "\",nonce=\"")
            out.append(contentsOf: nonce)
            out.append(text: "\",algorithm=")
            out.append(text: algorithm.name)
            out.append(text: ",qop=\"auth\"")
            if isStale { out.append(text: ",stale=true") }
            out.append(text: "\r\n")
        }
    }
}
