import SIP
import Storage
import Testing

@testable import WakelineServer

@Suite("Hashes")
struct HashTests {
    let hashes: OpenSSLHashes

    init() throws { hashes = try OpenSSLHashes() }

    func text(_ length: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) -> String {
        var output = [UInt8](repeating: 0, count: length)
        output.withUnsafeMutableBytes(body)
        return String(decoding: PasswordHasher.hexadecimal(output), as: UTF8.self)
    }

    func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> String {
        text(32) { output in
            key.withUnsafeBytes { key in bytes.withUnsafeBytes { hashes.hmacSHA256(key: key, $0, into: output) } }
        }
    }

    @Test(
        "MD5 as in RFC 1321",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ]
    )
    func md5(input: String, expected: String) {
        let bytes = Array(input.utf8)
        #expect(text(16) { output in bytes.withUnsafeBytes { hashes.md5($0, into: output) } } == expected)
    }

    @Test(
        "SHA-256 as in FIPS 180",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                String(repeating: "a", count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
    )
    func sha256(input: String, expected: String) {
        let bytes = Array(input.utf8)
        #expect(text(32) { output in bytes.withUnsafeBytes { hashes.sha256($0, into: output) } } == expected)
    }

    static let long = [UInt8](repeating: 0xaa, count: 131)

    @Test(
        "HMAC as in RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xcd, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                long, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (
                long,
                Array(
                    """
                    This is a test using a larger than block-size key and a larger than block-size data. \
                    The key needs to be hashed before being used by the HMAC algorithm.
                    """.utf8
                ),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
            ),
        ] as [([UInt8], [UInt8], String)]
    )
    func hmac(key: [UInt8], input: [UInt8], expected: String) {
        #expect(hmac(key, input) == expected)
    }

    @Test("spans give the same, in the first bytes of the output")
    func spans() {
        var output = [UInt8](repeating: 7, count: 40)
        var span = output.mutableSpan
        hashes.sha256(Array("abc".utf8).span, into: &span)
        #expect(output[..<4] == [0xba, 0x78, 0x16, 0xbf])
        #expect(output[31...] == [0xad, 7, 7, 7, 7, 7, 7, 7, 7])
        var second = output.mutableSpan
        hashes.md5([UInt8]().span, into: &second)
        var third = output.mutableSpan
        hashes.hmacSHA256(key: Array("Jefe".utf8).span, Array("what do ya want for nothing?".utf8).span, into: &third)
        #expect(output[..<4] == [0x5b, 0xdc, 0xc1, 0x46])
    }

    @Test("credentials hash user, domain in lower case, and password")
    func credentials() throws {
        let address = try AccountAddress("Mufasa@HTTP-auth.example.org")
        let found = try PasswordHasher()
            .credentials(for: address, password: Array("Circle of Life".utf8), digest: [.md5])
        // As md5sum and sha256sum have it for "Mufasa:http-auth.example.org:Circle of Life".
        #expect(String(decoding: found.ha1MD5, as: UTF8.self) == "c461bb829191a439a1a0a3b758ef88d2")
        #expect(
            String(decoding: found.ha1SHA256, as: UTF8.self)
                == "24e863a11f480cbfe66cd9d46688068565950d62abf3809212715927b8eec102"
        )
        #expect(found.digest == "MD5")
    }
}
