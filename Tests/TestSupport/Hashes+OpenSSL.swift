import COpenSSL
public import SIP

extension Hashes {
    /// The reference implementation, for tests.
    public nonisolated static var openSSL: Hashes {
        Hashes(
            md5: { digest(EVP_md5(), $0, &$1) },
            sha256: { digest(EVP_sha256(), $0, &$1) },
            hmacSHA256: { key, input, out in
                var mac = [UInt8](repeating: 0, count: 32)
                var length: UInt32 = 0
                HMAC(EVP_sha256(), key, Int32(key.count), input, input.count, &mac, &length)
                out.append(contentsOf: mac)
            }
        )
    }

    private static func digest(_ type: OpaquePointer?, _ input: [UInt8], _ out: inout [UInt8]) {
        var hash = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        EVP_Digest(input, input.count, &hash, &length, type, nil)
        out.append(contentsOf: hash.prefix(Int(length)))
    }
}
