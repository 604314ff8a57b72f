import SIP
import TestSupport
import Testing

@testable import PhoneKit

@Suite("Registering")
struct RegisteringTests {
    private func challenge(_ nonce: String, _ more: String = "", proxy: Bool = false) -> String {
        "\(proxy ? "Proxy-Authenticate" : "WWW-Authenticate"): Digest realm=\"example.test\",nonce=\"\(nonce)\",qop=\"auth\"\(more)"
    }

    private func hex(_ algorithm: DigestAlgorithm, _ text: String) -> String {
        var scratch: [UInt8] = []
        var out: [UInt8] = []
        algorithm.appendHexHash(of: Array(text.utf8), .openSSL, &scratch, &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Whether credentials prove `secret` (RFC 7616 section 3.4.1).
    private func isRight(_ request: Message, _ algorithm: DigestAlgorithm, _ name: HeaderName = .authorization) -> Bool
    {
        func part(_ key: String) -> String { request.digest(name, key) ?? "-" }
        let ha1 = hex(algorithm, "alice:example.test:secret")
        let ha2 = hex(algorithm, "\(request.text(request.methodRange)):\(part("uri"))")
        let text = "\(ha1):\(part("nonce")):\(part("nc")):\(part("cnonce")):\(part("qop")):\(ha2)"
        return part("response") == hex(algorithm, text)
    }

    @Test("the first REGISTER names device, line and wishes, and the flow gets its tag")
    func first() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        let register = try bench.next("REGISTER sip:example.test SIP/2.0")
        #expect(
            register.value(.contact)
                == "<sip:alice@192.0.2.5:40001;transport=tcp>;"
                + "+sip.instance=\"<urn:uuid:00000000-0000-8000-8000-000000000001>\";reg-id=1"
        )
        #expect(register.value(.supported) == "path, outbound, gruu")
        #expect(register.value(.expires) == "3600")
        #expect(register.value(.authorization) == nil)
        #expect(bench.tags.map(\.regID) == [1])
        bench.accept(register, flow, expires: 1800)
        #expect(bench.takeTold() == ["registered 0 1800"])
        #expect(bench.phone.isRegistered)
    }

    @Test("a challenge is answered with the first algorithm that is known", arguments: DigestAlgorithm.allCases)
    func digest(_ algorithm: DigestAlgorithm) throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        let first = try bench.next("REGISTER")
        let other = algorithm == .md5 ? DigestAlgorithm.sha256 : .md5
        bench.answer(
            first,
            flow,
            401,
            [
                challenge("n0", ",algorithm=SHA-512-256"),
                challenge("n1", ",algorithm=\(algorithm.name),opaque=\"o\\\"\""),
                challenge("n2", ",algorithm=\(other.name)"),
            ]
        )
        let second = try bench.next("REGISTER")
        #expect(isRight(second, algorithm))
        #expect(second.digest(.authorization, "nonce") == "n1")
        #expect(second.digest(.authorization, "nc") == "00000001")
        #expect(second.value(.authorization)?.hasSuffix("opaque=\"o\\\"\"") == true)
        #expect(second.value(.callID) == first.value(.callID))
        #expect(second.value(.from) == first.value(.from))
        #expect(second.value(.cseq) == "2 REGISTER")
        bench.accept(second, flow)
        // The nonce serves again, with the next count.
        bench.act { $0.refresh(now: $1) }
        let third = try bench.next("REGISTER")
        #expect(isRight(third, algorithm))
        #expect(third.digest(.authorization, "nc") == "00000002")
        #expect(third.value(.cseq) == "3 REGISTER")
    }

    @Test("hashed secrets do as well")
    func hashed() throws {
        let md5 = ByteString(hex(.md5, "alice:example.test:secret"))
        let sha256 = ByteString(hex(.sha256, "alice:example.test:secret"))
        let bench = Bench(secret: .hashed(md5: md5, sha256: sha256))
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 401, [challenge("n1", ",algorithm=SHA-256")])
        #expect(isRight(try bench.next("REGISTER"), .sha256))
    }

    @Test("a stale nonce is replaced, a wrong password is not tried again")
    func staleAndWrong() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 401, [challenge("n1")])
        bench.answer(try bench.next("REGISTER"), flow, 401, [challenge("n2", ",stale=true")])
        let third = try bench.next("REGISTER")
        #expect(third.digest(.authorization, "nonce") == "n2")
        bench.answer(third, flow, 401, [challenge("n3")])
        #expect(bench.isQuiet)
        #expect(bench.takeTold() == ["failed 0 401 for good"])
        #expect(bench.closed.count == 1)
        bench.pass(.seconds(7200))
        #expect(bench.connects.isEmpty)
        // Somebody may try again by hand.
        bench.act { $0.start(now: $1) }
        #expect(bench.connects.count == 1)
    }

    @Test("a server for which every nonce is stale is given up")
    func staleForEver() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        for number in 1...10 where !bench.isQuiet {
            bench.answer(try bench.next("REGISTER"), flow, 401, [challenge("n\(number)", ",stale=true")])
        }
        #expect(bench.takeTold() == ["failed 0 401 for good"])
    }

    @Test("423 names the least that is granted, and that is asked for from then on")
    func tooBrief() throws {
        let bench = Bench { $0.expires = .seconds(60) }
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 423, ["Min-Expires: 600"])
        let second = try bench.next("REGISTER")
        #expect(second.value(.expires) == "600")
        // Less than was asked for makes no sense.
        bench.answer(second, flow, 423, ["Min-Expires: 60"])
        #expect(bench.takeTold() == ["failed 0 423"])
        #expect(bench.closed.count == 1)
    }

    @Test("439 means to do without outbound")
    func noOutbound() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 439)
        let second = try bench.next("REGISTER")
        #expect(second.value(.contact)?.contains("reg-id") == false)
        #expect(second.value(.contact)?.contains("+sip.instance") == true)
        bench.accept(second, flow)
        #expect(bench.takeTold() == ["registered 0 3600"])
    }

    @Test("503 with Retry-After is waited for, and longer where the wait is longer anyway", arguments: [300, 1])
    func retryAfter(_ seconds: Int64) throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 503, ["Retry-After: \(seconds)"])
        #expect(bench.takeTold() == ["failed 0 503"])
        bench.pass(.seconds(max(seconds, 30) - 1))
        #expect(bench.connects.isEmpty)
        bench.pass(.seconds(32))
        #expect(bench.connects.count == 1)
    }

    static let refusals = """
        403 for-good
        404 for-good
        405 for-good
        416 for-good
        420 for-good
        501 for-good
        505 for-good
        555 for-good
        603 for-good
        400 again
        408 again
        430 again
        480 again
        500 again
        502 again
        503 again
        504 again
        """.split(separator: "\n").map(String.init)

    @Test("what will not change is not asked again", arguments: refusals)
    func refusal(_ row: String) throws {
        let words = row.split(separator: " ").map(String.init)
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, try #require(Int(words[0])))
        #expect(bench.takeTold() == ["failed 0 \(words[0])" + (words[1] == "again" ? "" : " for good")])
        bench.pass(.seconds(61))
        #expect(bench.connects.count == (words[1] == "again" ? 1 : 0))
    }

    @Test("a 200 without our binding is no registration")
    func noBinding() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(
            try bench.next("REGISTER"),
            flow,
            200,
            ["Contact: <sip:alice@192.0.2.77>;+sip.instance=\"<urn:uuid:other>\";expires=100"]
        )
        #expect(bench.takeTold() == ["failed 0 200"])
        #expect(!bench.phone.isRegistered)
    }

    @Test("an answer that never comes costs the flow")
    func silence() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        try bench.open()
        bench.pass(.seconds(32))
        #expect(bench.takeTold() == ["failed 0 silence"])
        #expect(bench.closed.first?.reason == .silence)
    }

    @Test("a public GRUU and a Service-Route are used from then on")
    func gruu() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        let register = try bench.next("REGISTER")
        let contact = register.value(.contact) ?? ""
        let gruu = "sip:alice@example.test;gr=urn:uuid:00000000-0000-8000-8000-000000000001"
        bench.answer(
            register,
            flow,
            200,
            ["Contact: \(contact);expires=60;pub-gruu=\"\(gruu)\"", "Service-Route: <sip:a;lr>, <sip:b;lr>"]
        )
        bench.act { _ = $0.call("sip:bob@example.test", session: [], now: $1) }
        let invite = try bench.next("INVITE")
        #expect(invite.value(.contact) == "<\(gruu)>")
        #expect(
            invite.fields.filter { $0.name == .route }.map { invite.text($0.value) } == ["<sip:a;lr>", "<sip:b;lr>"]
        )
    }

    @Test("without a GRUU a dialog's Contact is the flow's (RFC 5626 section 4.3)")
    func outboundContact() throws {
        let (bench, _) = try Bench.registered()
        bench.act { _ = $0.call("sip:bob@example.test", session: [], now: $1) }
        #expect(try bench.next("INVITE").value(.contact) == "<sip:alice@192.0.2.5:40001;transport=tcp;ob>")
    }

    @Test("push parameters stand in the binding, with one token and with two, and nowhere else")
    func push() throws {
        for (push, expected) in [
            (
                PushParameters(provider: "fcm", parameter: "project", token: "abc:d e"),
                ";pn-provider=fcm;pn-param=project;pn-prid=abc:d%20e>"
            ),
            (
                PushParameters(provider: "apns", parameter: "TEAM.app", token: "aa", alertToken: "bb"),
                ";pn-provider=apns;pn-param=TEAM.app.voip&remote;pn-prid=aa:voip&bb:remote>"
            ),
            (
                PushParameters(provider: "apns", parameter: "TEAM.app.voip", token: "aa", alertToken: "bb"),
                ";pn-provider=apns;pn-param=TEAM.app.voip&remote;pn-prid=aa:voip&bb:remote>"
            ),
        ] {
            let bench = Bench(push: push)
            bench.act { $0.start(now: $1) }
            let flow = try bench.open()
            let register = try bench.next("REGISTER")
            #expect(register.value(.contact)?.contains(expected) == true, "\(register.value(.contact) ?? "")")
            bench.accept(register, flow)
            bench.act { _ = $0.call("sip:bob@example.test", session: [], now: $1) }
            #expect(try bench.next("INVITE").value(.contact)?.contains("pn-") == false)
        }
    }

    @Test("leaving ends the binding and then the flow; every line says so, also one that was not there")
    func leaving() throws {
        let bench = Bench(lines: 2)
        bench.act { $0.start(now: $1) }
        let flow = try bench.register()
        bench.refuseConnection()
        bench.forget()
        bench.act { $0.stop(now: $1) }
        #expect(bench.takeTold() == ["unregistered 1"])
        let register = try bench.next("REGISTER")
        #expect(register.value(.expires) == "0")
        bench.answer(register, flow, 200)
        #expect(bench.takeTold() == ["unregistered 0"])
        #expect(bench.closed.map(\.flow) == [flow])
        bench.pass(.seconds(7200))
        #expect(bench.connects.isEmpty)
        #expect(bench.phone.nextDeadline == nil)
    }
}
