/// A digest algorithm of RFC 7616 and RFC 8760 that this server offers.
public enum DigestAlgorithm: UInt8, Sendable, CaseIterable {
    case sha256
    case md5

    /// The name in `algorithm=`.
    public var name: StaticString {
        switch self {
        case .sha256: "SHA-256"
        case .md5: "MD5"
        }
    }

    /// Reads a name in any case.
    public init?(_ name: String) {
        let bytes = Array(name.utf8)
        self.init(bytes, bytes.indices)
    }

    /// Reads a name in any case.
    init?(_ bytes: [UInt8], _ range: Range<Int>) {
        if bytes.isEqualIgnoringCase(range, "md5") {
            self = .md5
        } else if bytes.isEqualIgnoringCase(range, "sha-256") {
            self = .sha256
        } else {
            return nil
        }
    }

    /// Appends the lower-case hexadecimal hash of `input`.
    public func appendHexHash(of input: [UInt8], _ hashes: Hashes, _ scratch: inout [UInt8], _ out: inout [UInt8]) {
        scratch.removeAll(keepingCapacity: true)
        switch self {
        case .sha256: hashes.sha256(input, &scratch)
        case .md5: hashes.md5(input, &scratch)
        }
        out.append(hexOf: scratch)
    }
}
