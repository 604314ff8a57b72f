public import SIP

extension Hashes {
    /// OpenSSL's functions, for the thread that makes them.
    ///
    /// - Throws: what OpenSSL lacks.
    /// - Returns: the functions.
    public static func openSSL() throws(CryptoError) -> Hashes {
        let hashes = try OpenSSLHashes()
        return Hashes(
            md5: { input, out in
                out.append(count: OpenSSLHashes.md5Length) { room in
                    input.withUnsafeBytes { hashes.md5($0, into: room) }
                }
            },
            sha256: { input, out in
                out.append(count: OpenSSLHashes.sha256Length) { room in
                    input.withUnsafeBytes { hashes.sha256($0, into: room) }
                }
            },
            hmacSHA256: { key, input, out in
                out.append(count: OpenSSLHashes.sha256Length) { room in
                    key.withUnsafeBytes { key in
                        input.withUnsafeBytes { hashes.hmacSHA256(key: key, $0, into: room) }
                    }
                }
            }
        )
    }
}

extension [UInt8] {
    /// Appends so many bytes that `fill` writes.
    fileprivate mutating func append(count extra: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        let start = count
        append(contentsOf: repeatElement(0, count: extra))
        withUnsafeMutableBytes { fill(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
    }
}
