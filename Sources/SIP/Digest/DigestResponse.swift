/// Computes the `response` of Digest (RFC 7616 section 3.4.1), with scratch buffers that are reused.
public struct DigestResponse {
    private var input: [UInt8] = []
    private var scratch: [UInt8] = []
    /// The method and URI that were hashed last.
    private var request: [UInt8] = []
    private var requestAlgorithm = DigestAlgorithm.md5
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
        let bytes = message.bytes.span
        hashRequest(algorithm, method: bytes.extracting(message.methodRange), uri: bytes.extracting(credentials.uri))
        begin(ha1, bytes.extracting(credentials.nonce))
        if let qop = credentials.qop {
            add(bytes.extracting(credentials.nonceCount ?? 0..<0))
            add(bytes.extracting(credentials.clientNonce ?? 0..<0))
            add(bytes.extracting(qop))
        }
        finish(algorithm)
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
        hashRequest(algorithm, method: method.span, uri: uri.span)
        begin(ha1, nonce.span)
        if let quality {
            add(quality.count.span)
            add(quality.clientNonce.span)
            add(quality.qop.span)
        }
        finish(algorithm)
        return expected
    }

    /// H(A2): nearly the same for everybody, since all register at the same URI, so the last one is kept.
    private mutating func hashRequest(_ algorithm: DigestAlgorithm, method: Span<UInt8>, uri: Span<UInt8>) {
        input.removeAll(keepingCapacity: true)
        input.append(method)
        input.append(UInt8(ascii: ":"))
        input.append(uri)
        guard input != request || algorithm != requestAlgorithm else { return }
        swap(&input, &request)
        requestAlgorithm = algorithm
        hashedRequest.removeAll(keepingCapacity: true)
        algorithm.appendHexHash(of: request, hashes, &scratch, &hashedRequest)
    }

    private mutating func begin(_ ha1: [UInt8], _ nonce: Span<UInt8>) {
        input.removeAll(keepingCapacity: true)
        input.append(contentsOf: ha1)
        input.append(UInt8(ascii: ":"))
        add(nonce)
    }

    private mutating func add(_ part: Span<UInt8>) {
        input.append(part)
        input.append(UInt8(ascii: ":"))
    }

    private mutating func finish(_ algorithm: DigestAlgorithm) {
        input.append(contentsOf: hashedRequest)
        expected.removeAll(keepingCapacity: true)
        algorithm.appendHexHash(of: input, hashes, &scratch, &expected)
    }
}
