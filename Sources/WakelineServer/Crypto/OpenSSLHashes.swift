import COpenSSL
import CPlatform

/// MD5, SHA-256 and HMAC-SHA-256 by OpenSSL, for one thread.
///
/// Algorithms are looked up and the context is made once; a hash allocates nothing here. Should OpenSSL fail, which
/// after a successful start means that memory has run out, the output is random: no comparison with it succeeds, and no
/// token made of it can be guessed.
public final class OpenSSLHashes {
    /// Bytes of an MD5 hash.
    public static let md5Length = 16
    /// Bytes of a SHA-256 hash, and of its HMAC.
    public static let sha256Length = 32

    private static let blockLength = 64

    private let md5Algorithm: OpaquePointer
    private let sha256Algorithm: OpaquePointer
    /// A context for each algorithm: one that changes its algorithm would allocate each time.
    private let md5Context: OpaquePointer
    private let sha256Context: OpaquePointer

    /// Looks the algorithms up.
    ///
    /// - Throws: what OpenSSL says when it lacks one, as a build restricted to FIPS lacks MD5.
    public init() throws(CryptoError) {
        guard let md5 = EVP_MD_fetch(nil, "MD5", nil) else { throw CryptoError("MD5") }
        guard let sha256 = EVP_MD_fetch(nil, "SHA256", nil) else {
            EVP_MD_free(md5)
            throw CryptoError("SHA256")
        }
        guard let md5Context = EVP_MD_CTX_new() else {
            EVP_MD_free(md5)
            EVP_MD_free(sha256)
            throw CryptoError("a hash context")
        }
        guard let sha256Context = EVP_MD_CTX_new() else {
            EVP_MD_CTX_free(md5Context)
            EVP_MD_free(md5)
            EVP_MD_free(sha256)
            throw CryptoError("a hash context")
        }
        md5Algorithm = md5
        sha256Algorithm = sha256
        self.md5Context = md5Context
        self.sha256Context = sha256Context
    }

    deinit {
        EVP_MD_CTX_free(sha256Context)
        EVP_MD_CTX_free(md5Context)
        EVP_MD_free(sha256Algorithm)
        EVP_MD_free(md5Algorithm)
    }

    /// The MD5 hash of some bytes (RFC 1321).
    ///
    /// - Parameters:
    ///   - bytes: what to hash.
    ///   - output: takes 16 bytes; it must have room for them, and may overlap the input.
    public func md5(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= Self.md5Length, "no room for an MD5 hash")
        hash(
            md5Algorithm,
            md5Context,
            bytes,
            UnsafeRawBufferPointer(start: nil, count: 0),
            into: output,
            Self.md5Length
        )
    }

    /// The SHA-256 hash of some bytes (FIPS 180-4).
    ///
    /// - Parameters:
    ///   - bytes: what to hash.
    ///   - output: takes 32 bytes; it must have room for them, and may overlap the input.
    public func sha256(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= Self.sha256Length, "no room for a SHA-256 hash")
        hash(
            sha256Algorithm,
            sha256Context,
            bytes,
            UnsafeRawBufferPointer(start: nil, count: 0),
            into: output,
            Self.sha256Length
        )
    }

    /// The HMAC of some bytes with SHA-256 (RFC 2104).
    ///
    /// - Parameters:
    ///   - key: of any length.
    ///   - bytes: what to authenticate.
    ///   - output: takes 32 bytes; it must have room for them, and may overlap the input.
    public func hmacSHA256(
        key: UnsafeRawBufferPointer,
        _ bytes: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= Self.sha256Length, "no room for an HMAC")
        withUnsafeTemporaryAllocation(byteCount: Self.blockLength + Self.sha256Length, alignment: 8) { scratch in
            let pad = UnsafeMutableRawBufferPointer(rebasing: scratch[..<Self.blockLength])
            let inner = UnsafeMutableRawBufferPointer(rebasing: scratch[Self.blockLength...])
            pad.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count <= pad.count { pad.copyMemory(from: key) } else { sha256(key, into: pad) }
            for index in pad.indices { pad[index] ^= 0x36 }
            hash(sha256Algorithm, sha256Context, UnsafeRawBufferPointer(pad), bytes, into: inner, Self.sha256Length)
            // From the inner pad to the outer one.
            for index in pad.indices { pad[index] ^= 0x36 ^ 0x5c }
            hash(
                sha256Algorithm,
                sha256Context,
                UnsafeRawBufferPointer(pad),
                UnsafeRawBufferPointer(inner),
                into: output,
                Self.sha256Length
            )
            OPENSSL_cleanse(scratch.baseAddress, scratch.count)
        }
    }

    /// The MD5 hash of some bytes, into the first 16 of a span.
    public func md5(_ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        bytes.withUnsafeBytes { input in output.withUnsafeMutableBytes { md5(input, into: $0) } }
    }

    /// The SHA-256 hash of some bytes, into the first 32 of a span.
    public func sha256(_ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        bytes.withUnsafeBytes { input in output.withUnsafeMutableBytes { sha256(input, into: $0) } }
    }

    /// The HMAC of some bytes with SHA-256, into the first 32 of a span.
    public func hmacSHA256(key: Span<UInt8>, _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        key.withUnsafeBytes { key in
            bytes.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { hmacSHA256(key: key, input, into: $0) }
            }
        }
    }

    private func hash(
        _ algorithm: OpaquePointer,
        _ context: OpaquePointer,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        _ length: Int
    ) {
        let start = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let succeeded =
            EVP_DigestInit_ex2(context, algorithm, nil) == 1
            && EVP_DigestUpdate(context, first.baseAddress, first.count) == 1
            && EVP_DigestUpdate(context, second.baseAddress, second.count) == 1
            && EVP_DigestFinal_ex(context, start, nil) == 1
        if !succeeded, let start { failClosed(start, length) }
    }

    @inline(never)
    private func failClosed(_ output: UnsafeMutablePointer<UInt8>, _ length: Int) {
        // Without hashes and without the kernel's random source nothing can be authenticated any more.
        guard wl_random(output, length) == 0 else { fatalError("neither OpenSSL nor the kernel gives random bytes") }
    }
}

/// Why OpenSSL can't be used.
public struct CryptoError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was asked for, and OpenSSL's words.
    public let description: String

    init(_ what: String) {
        let code = ERR_get_error()
        let text = code == 0 ? "" : ERR_reason_error_string(code).map { ": \(String(cString: $0))" } ?? ""
        description = "OpenSSL has no \(what)\(text)"
    }
}
