import SIP
import TestSupport
import Testing

@Suite("Digest")
struct DigestTests {
    /// The example of RFC 7616 section 3.9.1, with its answer by algorithm.
    private static let answers: [(DigestAlgorithm, String)] = [
        (.md5, "8ca523f5e9506fed4657c9700eebdbec"),
        (.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ]
    private static let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
    private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

    private func hash(_ algorithm: DigestAlgorithm, _ text: String) -> [UInt8] {
        var scratch: [UInt8] = []
        var out: [UInt8] = []
        algorithm.appendHexHash(of: Array(text.utf8), .openSSL, &scratch, &out)
        return out
    }

    private func request(_ credentials: String) -> Message {
        Message(text: "GET /dir/index.html SIP/2.0\nAuthorization: \(credentials)\n\n")
    }

    private func read(_ credentials: String) throws -> (Message, Credentials?) {
        let message = request(credentials)
        let field = try #require(message.first(.authorization))
        return (message, try Credentials.parse(message, field))
    }

    @Test("answers as RFC 7616 section 3.9.1 has it", arguments: answers)
    func response(algorithm: DigestAlgorithm, expected: String) {
        var digest = DigestResponse(.openSSL)
        let found = digest.response(
            algorithm,
            ha1: hash(algorithm, "Mufasa:http-auth@example.org:Circle of Life"),
            nonce: Array(Self.nonce.utf8),
            quality: (
                count: Array("00000001".utf8), clientNonce: Array(Self.clientNonce.utf8), qop: Array("auth".utf8)
            ),
            method: Array("GET".utf8),
            uri: Array("/dir/index.html".utf8)
        )
        #expect(String(decoding: found, as: UTF8.self) == expected)
    }

    @Test("takes the answer of RFC 7616 section 3.9.1, and no other", arguments: answers)
    func verify(algorithm: DigestAlgorithm, answer: String) throws {
        func isRight(
            _ answer: String,
            password: String = "Circle of Life",
            uri: String = "/dir/index.html"
        ) throws -> Bool {
            let (message, credentials) = try read(
                """
                Digest username="Mufasa", realm="http-auth@example.org", uri="\(uri)", algorithm=\(algorithm.name), \
                nonce="\(Self.nonce)", nc=00000001, cnonce="\(Self.clientNonce)", qop=auth, response="\(answer)", \
                opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
                """
            )
            let found = try #require(credentials)
            #expect(found.algorithm == algorithm)
            #expect(found.count == 1)
            var digest = DigestResponse(.openSSL)
            let ha1 = hash(algorithm, "Mufasa:http-auth@example.org:\(password)")
            return digest.verify(found, in: message, ha1: ha1, algorithm: algorithm)
        }
        #expect(try isRight(answer))
        #expect(try isRight(answer.uppercased()))
        #expect(try !isRight(answer, password: "Circle of Lief"))
        #expect(try !isRight(answer, uri: "/dir/index.htm"))
        #expect(try !isRight(String(answer.dropLast())))
        #expect(try !isRight(String(answer.dropLast()) + (answer.last == "0" ? "1" : "0")))
        #expect(try !isRight(""))
    }

    @Test("without qop it is the manner of RFC 2069")
    func withoutQuality() throws {
        let (message, credentials) = try read(
            "DIGEST username=\"a\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"670fd8c2df070c60b045671b8b24ff02\""
        )
        let found = try #require(credentials)
        #expect(found.algorithm == .md5)
        #expect(found.qop == nil && found.count == nil)
        var digest = DigestResponse(.openSSL)
        let ha1 = hash(.md5, "a:r:p")
        let expected = hash(
            .md5,
            "\(String(decoding: ha1, as: UTF8.self)):n:\(String(decoding: hash(.md5, "GET:u"), as: UTF8.self))"
        )
        let answer = digest.response(.md5, ha1: ha1, nonce: [110], quality: nil, method: Array("GET".utf8), uri: [117])
        #expect(answer == expected)
        let isRight = digest.verify(found, in: message, ha1: ha1, algorithm: .md5)
        #expect(!isRight, "its answer is made up")
    }

    @Test(
        "credentials are read with any white space and order, and escapes stay",
        arguments: [
            "Digest username=\"a\\\"b\",realm=\"r,s\",nonce=\"n\",uri=\"sip:x\",response=\"f\"",
            "digest  response = \"f\" ,\n uri=\"sip:x\",, unknown=\"x\",nonce=\"n\" , realm=\"r,s\" , username=\"a\\\"b\"",
        ]
    )
    func order(text: String) throws {
        let (message, credentials) = try read(text)
        let found = try #require(credentials)
        let parts = [found.username, found.realm, found.nonce, found.uri, found.response].map { message.text($0) }
        #expect(parts == ["a\\\"b", "r,s", "n", "sip:x", "f"])
    }

    @Test(
        "another scheme is no fault",
        arguments: ["Basic YTpi", "NoOneKnowsThisScheme opaque-data=here", "Digests x=y"]
    )
    func otherScheme(text: String) throws {
        #expect(try read(text).1 == nil)
    }

    @Test(
        "credentials that are none are malformed",
        arguments: [
            "Digest", "Digest username", "Digest username=\"a\"", "Digest username=\"a,realm=\"r\"",
            "Digest username=\"a\",username=\"b\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"f\"",
            "Digest username=\"a\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"f\",qop=auth",
            "Digest username=\"a\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"f\",qop=auth,cnonce=\"c\",nc=1",
            "Digest username=\"a\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"f\",qop=auth,cnonce=\"c\",nc=0000000g",
        ]
    )
    func malformed(text: String) {
        #expect(throws: MessageFault.malformed(.authorization)) { try read(text) }
    }

    @Test("an algorithm that is not served is none")
    func unknownAlgorithm() throws {
        let text = "Digest username=\"a\",realm=\"r\",nonce=\"n\",uri=\"u\",response=\"f\",algorithm=SHA-512-256"
        #expect(try read(text).1?.algorithm == nil)
        #expect(try read(text).1 != nil)
    }

    @Test("a challenge offers one field an algorithm")
    func challenge() {
        var out: [UInt8] = []
        Challenge.append(
            .proxyAuthenticate,
            realm: "r",
            nonce: [110],
            algorithms: [.sha256, .md5],
            isStale: true,
            &out
        )
        let expected = """
            Proxy-Authenticate: Digest realm="r",nonce="n",algorithm=SHA-256,qop="auth",stale=true
            Proxy-Authenticate: Digest realm="r",nonce="n",algorithm=MD5,qop="auth",stale=true

            """
        #expect(String(decoding: out, as: UTF8.self).replacing("\r\n", with: "\n") == expected)
    }
}
