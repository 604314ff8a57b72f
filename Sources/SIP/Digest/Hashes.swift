/// The hash functions the rules need, brought in from outside: OpenSSL in the server, the platform's in an app.
///
/// Functions kept once in a value, rather than a generic parameter, so that everything that decides stays a concrete type.
/// Each appends its result to a buffer that the caller reuses.
public struct Hashes {
    /// Appends the 16 bytes of MD5 (RFC 1321).
    public var md5: (_ input: [UInt8], _ out: inout [UInt8]) -> Void
    /// Appends the 32 bytes of SHA-256 (FIPS 180-4).
    public var sha256: (_ input: [UInt8], _ out: inout [UInt8]) -> Void
    /// Appends the 32 bytes of HMAC-SHA-256 (RFC 2104).
    public var hmacSHA256: (_ key: [UInt8], _ input: [UInt8], _ out: inout [UInt8]) -> Void

    /// Brings in the functions.
    public init(
        md5: @escaping ([UInt8], inout [UInt8]) -> Void,
        sha256: @escaping ([UInt8], inout [UInt8]) -> Void,
        hmacSHA256: @escaping ([UInt8], [UInt8], inout [UInt8]) -> Void
    ) {
        self.md5 = md5
        self.sha256 = sha256
        self.hmacSHA256 = hmacSHA256
    }
}
