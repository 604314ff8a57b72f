/// Computes the `response` of Digest (RFC 7616 section 3.4.1), with scratch buffers that are reused.
public struct DigestResponse {
    private var input: [UInt8] = []
    private var scratch: [UInt8] = []
    private var hashedRequest: [UInt8] = []
    private var expected: [UInt8] = []
    private let hashes: Hashes

    /// Works with these hash functions.
    public init(_ hashes: Hashes) { self.hashes = hashes }

    /// Whether credentials prove that their sender knows the password behind HA1.
    ///
    /// The comparison takes the same time wherever the first difference is.
    ///
    /// - Parameters:
    ///   - credentials: what the client sent.
    ///   - message: the request they came in.
    ///   - ha1: H(username:realm:password) in lower-case hexadecimal.
    ///   - algorithm: the algorithm to use.
    /// - Returns: whether they do.
    public mutating func verify(
        _ credentials: Credentials,
        in message: Message,
        ha1: [UInt8],
        algorithm: DigestAlgorithm
    ) -> Bool {
        let bytes = message.bytes
        compute(
            algorithm,
            ha1: ha1,
            nonce: bytes[credentials.nonce],
            quality: credentials.qop.map {
                (
                    count: bytes[credentials.nonceCount ?? 0..<0],
                    clientNonce: bytes[credentials.clientNonce ?? 0..<0],
                    qop: bytes[$0]
                )
            },
            method: bytes[message.methodRange],
            uri: bytes[credentials.uri]
        )
        guard expected.count == credentials.response.count else { return false }
        var difference: UInt8 = 0
        for (offset, position) in credentials.response.enumerated() {
            difference |= expected[offset] ^ bytes[position].lowercased
        }
        return difference == 0
    }

    /// The response a client would give, in lower-case hexadecimal.
    ///
    /// - Parameters:
    ///   - algorithm: the algorithm to use.
    ///   - ha1: H(username:realm:password) in lower-case hexadecimal.
    ///   - nonce: the server's nonce.
    ///   - quality: nonce count, client nonce and qop; nil in the manner of RFC 2069.
    ///   - method: the request's method.
    ///   - uri: the `uri` directive.
    /// - Returns: the `response` directive.
    public mutating func response(
        _ algorithm: DigestAlgorithm,
        ha1: [UInt8],
        nonce: [UInt8],
        quality: (count: [UInt8], clientNonce: [UInt8], qop: [UInt8])?,
        method: [UInt8],
        uri: [UInt8]
    ) -> [UInt8] {
        compute(
            algorithm,
            ha1: ha1,
            nonce: nonce[...],
            quality: quality.map { (count: $0.count[...], clientNonce: $0.clientNonce[...], qop: $0.qop[...]) },
            method: method[...],
            uri: uri[...]
        )
        return expected
    }

    private mutating func compute(
        _ algorithm: DigestAlgorithm,
        ha1: [UInt8],
        nonce: ArraySlice<UInt8>,
        quality: (count: ArraySlice<UInt8>, clientNonce: ArraySlice<UInt8>, qop: ArraySlice<UInt8>)?,
        method: ArraySlice<UInt8>,
        uri: ArraySlice<UInt8>
    ) {
        let colon = UInt8(ascii: ":")
        hashedRequest.removeAll(keepingCapacity: true)
        input.removeAll(keepingCapacity: true)
        input.append(contentsOf: method)
        input.append(colon)
        input.append(contentsOf: uri)
        algorithm.appendHexHash(of: input, hashes, &scratch, &hashedRequest)
        input.removeAll(keepingCapacity: true)
        input.append(contentsOf: ha1)
        input.append(colon)
        input.append(contentsOf: nonce)
        input.append(colon)
        if let quality {
            input.append(contentsOf: quality.count)
            input.append(colon)
            input.append(contentsOf: quality.clientNonce)
            input.append(colon)
            input.append(contentsOf: quality.qop)
            input.append(colon)
        }
        input.append(contentsOf: hashedRequest)
        expected.removeAll(keepingCapacity: true)
        algorithm.appendHexHash(of: input, hashes, &scratch, &expected)
    }
}
