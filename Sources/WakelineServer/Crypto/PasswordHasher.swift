import COpenSSL
public import SIP
public import Storage

/// Makes credentials of passwords: `H(user:realm:password)`, the realm being the domain (RFC 7616 section 3.4.2).
public final class PasswordHasher {
    private static let digits = Array("0123456789abcdef".utf8)
    private let hashes: OpenSSLHashes

    /// Prepares OpenSSL.
    public init() throws(CryptoError) {
        hashes = try OpenSSLHashes()
    }

    /// The credentials of one account.
    ///
    /// - Parameters:
    ///   - address: whose.
    ///   - password: in clear; it is kept nowhere.
    ///   - digest: a list of algorithms of its own, or nil.
    /// - Returns: what is stored.
    public func credentials(
        for address: AccountAddress,
        password: [UInt8],
        digest: [DigestAlgorithm]? = nil
    ) -> AccountCredentials {
        var input = Array("\(address.user):\(address.domain):".utf8) + password
        defer { input.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        var md5 = [UInt8](repeating: 0, count: OpenSSLHashes.md5Length)
        var sha256 = [UInt8](repeating: 0, count: OpenSSLHashes.sha256Length)
        input.withUnsafeBytes { bytes in
            md5.withUnsafeMutableBytes { hashes.md5(bytes, into: $0) }
            sha256.withUnsafeMutableBytes { hashes.sha256(bytes, into: $0) }
        }
        return AccountCredentials(
            ha1MD5: Self.hexadecimal(md5),
            ha1SHA256: Self.hexadecimal(sha256),
            digest: digest.map(DigestAlgorithm.text)
        )
    }

    static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
