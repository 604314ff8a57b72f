import SIP
import Testing

@testable import Signaling

@Suite("The registrar")
struct RegistrarTests {
    static let instance = "11111111-0000-0000-0000-000000000001"
    let world = World()

    @Test("a phone that comes and goes is looked at once when its time is over, however often it came")
    func comingAndGoing() throws {
        let world = World()
        for _ in 0..<50 {
            let phone = Phone(world, "alice", instance: "1")
            #expect(try phone.register(expires: 600).status == 200)
            world.close(phone.flow)
            world.pass(.seconds(2))
        }
        #expect(world.core.counts.bindings == 0)
        let phone = Phone(world, "alice", instance: "1")
        #expect(try phone.register(expires: 600).status == 200)
        world.pass(.seconds(599))
        #expect(world.core.counts.bindings == 1)
        world.pass(.seconds(2))
        #expect(world.core.counts.bindings == 0)
        #expect(world.core.nextDeadline == nil)
    }

    @Test("grants a flow: outbound, Flow-Timer, GRUUs, Service-Route")
    func outbound() throws {
        let alice = Phone(world, "alice", instance: Self.instance)
        let ok = try alice.register()
        #expect(ok.status == 200)
        #expect(ok.value(.require) == "outbound")
        #expect(ok.value(.flowTimer) == "270")
        #expect(ok.value(.serviceRoute) == "<sip:127.0.0.1:5060;transport=tcp;lr>")
        let contact = try #require(ok.value(.contact))
        #expect(contact.contains("reg-id=1"))
        #expect(contact.contains("expires=3600"))
        #expect(contact.contains("pub-gruu=\"sip:alice@example.test;gr=urn:uuid:\(Self.instance)\""))
        #expect(contact.contains("temp-gruu=\"sip:tgruu."))
        #expect(world.silence[alice.flow] == .some(.seconds(300)))
        #expect(world.tags[alice.flow]?.addressOfRecord == "alice@example.test")
    }

    @Test("a flow that asked for no keep-alive is held as long as its registration")
    func withoutOutbound() throws {
        let alice = Phone(world, "alice")
        let ok = try alice.register()
        #expect(!ok.has(.require))
        #expect(!ok.has(.flowTimer))
        #expect(world.silence[alice.flow] == .some(nil))
        #expect(try alice.register(expires: 0).status == 200)
        #expect(world.silence[alice.flow] == .some(.seconds(300)))
    }

    @Test("an unknown user and a wrong password look the same")
    func noOracle() throws {
        let wrong = Phone(world, "alice")
        world.accounts["alice@example.test"] = "other"
        let nobody = Phone(world, "nobody")
        let answers = try [wrong, nobody].map { phone in
            let message = try phone.register()
            return message.fields.map { message.text($0.nameRange) } + ["\(message.status)"]
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].last == "401")
    }

    @Test("a nonce count works once, and an old nonce is stale")
    func replay() throws {
        let alice = Phone(world, "alice")
        alice.sendRegister()
        alice.take(try world.next(alice.flow))
        alice.sendRegister()
        #expect(try world.next(alice.flow).status == 200)
        let replayed = alice.authorization("Authorization", method: "REGISTER", uri: "sip:example.test")
        func attempt(_ cseq: Int) throws -> Message {
            world.send(
                alice.flow,
                """
                REGISTER sip:example.test SIP/2.0
                Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK-r\(cseq)
                Max-Forwards: 70
                From: <sip:alice@example.test>;tag=1
                To: <sip:alice@example.test>
                Call-ID: replay
                CSeq: \(cseq) REGISTER
                \(replayed.trimmedEnd)
                """
            )
            return try world.next(alice.flow)
        }
        #expect(try attempt(1).status == 200)
        let again = try attempt(2)
        #expect(again.status == 401)
        #expect(again.value(.wwwAuthenticate)?.contains("stale=true") == true)
        world.pass(.seconds(301))
        alice.sendRegister()
        let late = try world.next(alice.flow)
        #expect(late.value(.wwwAuthenticate)?.contains("stale=true") == true)
    }

    @Test("nobody registers for another account")
    func foreignAddress() throws {
        let alice = Phone(world, "alice")
        try alice.register()
        world.send(
            alice.flow,
            """
            REGISTER sip:example.test SIP/2.0
            Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK-x
            Max-Forwards: 70
            From: <sip:alice@example.test>;tag=1
            To: <sip:bob@example.test>
            Call-ID: x
            CSeq: 1 REGISTER
            Contact: <sip:alice@192.0.2.1>
            \(alice.authorization("Authorization", method: "REGISTER", uri: "sip:example.test").trimmedEnd)
            """
        )
        #expect(try world.next(alice.flow).status == 403)
        #expect(world.core.counts.bindings == 1)
    }

    @Test("a domain that is not served is reported with its name, once in ten seconds")
    func foreignDomain() throws {
        let flow = world.open()
        var count = 0
        func register(_ uri: String, to: String, _ status: UInt16) throws {
            count += 1
            world.send(
                flow,
                """
                REGISTER \(uri) SIP/2.0
                Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK-\(count)
                Max-Forwards: 70
                From: <\(to)>;tag=1
                To: <\(to)>
                Call-ID: \(count)
                CSeq: 1 REGISTER
                Contact: <sip:alice@192.0.2.1>
                """
            )
            #expect(try world.next(flow).status == status)
        }
        try register("sip:example.test", to: "sip:alice@example.test", 401)
        try register("mailto:other.test", to: "sip:alice@example.test", 416)
        #expect(world.foreignDomains.isEmpty)
        try register("sip:Other.test", to: "sip:alice@other.test", 403)
        try register("sip:third.test", to: "sip:alice@other.test", 403)
        try register("sip:example.test", to: "sip:alice@other.test", 404)
        world.pass(.seconds(10))
        try register("sip:example.test", to: "sip:alice@fourth.test", 404)
        let remote = SocketAddress(ipv4: 0xc000_0201, port: 40_000)
        #expect(
            world.foreignDomains == [
                ForeignDomain(domain: "Other.test", remote: remote, unreported: 0),
                ForeignDomain(domain: "fourth.test", remote: remote, unreported: 2),
            ]
        )
        let long = String(repeating: "x", count: 3_000)
        world.pass(.seconds(10))
        try register("sip:\(long)", to: "sip:alice@\(long)", 403)
        #expect(world.foreignDomains.last?.domain.count == 255)
    }

    @Test("bounds: too brief is 423 with Min-Expires, too long is shortened")
    func bounds() throws {
        let alice = Phone(world, "alice")
        let brief = try alice.register(expires: 30)
        #expect(brief.status == 423)
        #expect(brief.value(.minExpires) == "60")
        #expect(world.core.counts.bindings == 0)
        let long = try alice.register(expires: 100_000_000)
        #expect(long.value(.contact)?.contains("expires=7200") == true)
    }

    @Test("jitter shortens, within its fraction")
    func jitter() throws {
        let world = World { $0.expiryJitter = 0.1 }
        var granted: Set<Int> = []
        for user in ["alice", "bob", "carol"] {
            let contact = try Phone(world, user).register(expires: 3600).value(.contact) ?? ""
            let seconds = contact.firstRange(of: "expires=").flatMap { Int(contact[$0.upperBound...]) }
            granted.insert(try #require(seconds))
        }
        #expect(granted.count > 1)
        #expect(granted.allSatisfy { (3240...3600).contains($0) })
    }

    @Test("all or nothing: one bad contact, and none is kept")
    func allOrNothing() throws {
        let alice = Phone(world, "alice")
        let answer = try alice.register(contact: "<sip:alice@192.0.2.1>, <sip:alice@192.0.2.2>;expires=5")
        #expect(answer.status == 423)
        #expect(world.core.counts.bindings == 0)
        #expect(try alice.register(contact: "<sip:alice@192.0.2.1>, <sip:alice@192.0.2.2>;q=0.5").status == 200)
        #expect(world.core.counts.bindings == 2)
        let many = (1...11).map { "<sip:a\($0)@192.0.2.1>" }.joined(separator: ",")
        #expect(try alice.register(contact: many).status == 403)
        #expect(world.core.counts.bindings == 2)
    }

    @Test("`*` removes all, and only with Expires: 0")
    func star() throws {
        let alice = Phone(world, "alice")
        try alice.register(contact: "<sip:alice@192.0.2.1>, <sip:alice@192.0.2.2>")
        #expect(try alice.register(expires: 60, contact: "*").status == 400)
        #expect(world.core.counts.bindings == 2)
        let ok = try alice.register(expires: 0, contact: "*")
        #expect(ok.status == 200)
        #expect(!ok.has(.contact))
        #expect(world.stored["alice@example.test"] == nil)
    }

    @Test("a REGISTER without Contact asks, and changes nothing")
    func query() throws {
        let alice = Phone(world, "alice")
        try alice.register()
        let writes = world.writes
        let ok = try alice.register(expires: nil, contact: "")
        #expect(ok.value(.contact)?.hasPrefix("<\(alice.contact)>") == true)
        #expect(world.writes == writes)
    }

    @Test("an older CSeq of the same Call-ID changes nothing")
    func order() throws {
        let alice = Phone(world, "alice")
        try alice.register()
        alice.cseq = 0
        #expect(try alice.register(expires: 0).status == 500)
        #expect(world.core.counts.bindings == 1)
    }

    @Test("a refresh that the stored lease covers costs no write")
    func lease() throws {
        let alice = Phone(world, "alice", instance: Self.instance)
        try alice.register()
        #expect(world.writes == 1)
        world.pass(.seconds(200))
        try alice.register()
        #expect(world.writes == 1)
        world.pass(.seconds(3500))
        try alice.register()
        #expect(world.writes == 2)
    }

    @Test("200 leaves only after the commit, 503 when there is none")
    func durable() throws {
        let alice = Phone(world, "alice", instance: Self.instance)
        world.commits = false
        alice.sendRegister()
        alice.take(try world.next(alice.flow))
        alice.sendRegister()
        #expect(world.isQuiet(alice.flow))
        world.commit(success: false)
        let failed = try world.next(alice.flow)
        #expect(failed.status == 503)
        #expect(failed.has(.retryAfter))
        #expect(world.core.counts.bindings == 0)
        alice.sendRegister()
        world.commit()
        #expect(try world.next(alice.flow).status == 200)
        #expect(world.core.counts.bindings == 1)
    }

    @Test("bindings expire by themselves")
    func expiry() throws {
        let alice = Phone(world, "alice")
        try alice.register(expires: 120)
        world.pass(.seconds(119))
        #expect(world.core.counts.bindings == 1)
        world.pass(.seconds(3))
        #expect(world.core.counts.bindings == 0)
        #expect(world.core.counts.timers == 0)
        #expect(world.stored["alice@example.test"] == nil)
    }

    @Test("a closed flow ends its binding at once, or parks one that can be woken; parked ones survive a restart")
    func parking() throws {
        let alice = Phone(world, "alice")
        try alice.register()
        world.close(alice.flow)
        #expect(world.core.counts.bindings == 0)
        let bob = Phone(world, "bob", instance: Self.instance)
        let wakeable =
            "<sip:bob@192.0.2.1;pn-provider=apns;pn-param=t;pn-prid=x>;+sip.instance=\"<urn:uuid:1>\";reg-id=1"
        #expect(try bob.register(contact: wakeable).status == 200)
        world.close(bob.flow)
        #expect(world.core.counts.bindings == 1)
        #expect(world.registrations.last?.kind == .parked)

        let next = World()
        for (key, value) in world.stored { #expect(next.core.restore(key, value, now: next.now)) }
        #expect(next.core.counts.bindings == 1)
        let caller = Phone(next, "carol")
        try caller.register()
        caller.request("INVITE", to: "sip:bob@example.test")
        #expect(try next.next(caller.flow).status == 480)
        let back = Phone(next, "bob", instance: Self.instance)
        back.cseq = 50
        #expect(try back.register(contact: wakeable).status == 200)
        #expect(next.core.counts.bindings == 2, "alice's binding could not be woken")
    }

    @Test("outbound through a first hop that does not keep flows is 439")
    func firstHop() throws {
        let alice = Phone(world, "alice", instance: Self.instance)
        let via = "Via: SIP/2.0/TCP 198.51.100.1;branch=z9hG4bKlower\n"
        let refused = try alice.register(extra: via + "Path: <sip:edge.example.test;lr>\n")
        #expect(refused.status == 439)
        let ok = try alice.register(extra: via + "Path: <sip:edge.example.test;lr;ob>\n")
        #expect(ok.status == 200)
        #expect(ok.value(.path) == "<sip:edge.example.test;lr;ob>")
        let bob = Phone(world, "bob")
        try bob.register()
        bob.request("MESSAGE", to: alice.address)
        let message = try world.next(alice.flow)
        #expect(message.value(.route) == "<sip:edge.example.test;lr;ob>")
    }

    @Test("GRUUs reach their instance alone, and temporary ones end with the Call-ID")
    func gruu() throws {
        let alice = Phone(world, "alice", instance: Self.instance)
        let contact = try #require(try alice.register().value(.contact))
        let other = Phone(world, "alice", instance: "99999999-0000-0000-0000-000000000009")
        try other.register()
        let temporary = try #require(contact.components(after: "temp-gruu=\"").first)
        let permanent = try #require(contact.components(after: "pub-gruu=\"").first)
        let bob = Phone(world, "bob")
        try bob.register()
        for uri in [temporary, permanent] {
            bob.request("MESSAGE", to: uri)
            #expect(try world.next(alice.flow).startLineText == "MESSAGE \(alice.contact) SIP/2.0")
            #expect(world.isQuiet(other.flow))
        }
        let rebooted = Phone(world, "alice", instance: Self.instance, regID: 1)
        rebooted.cseq = 10
        try rebooted.register(extra: "")
        bob.request("MESSAGE", to: permanent)
        #expect(try world.next(rebooted.flow).method == .message)
        bob.request("MESSAGE", to: temporary.replacing("tgruu.", with: "tgruu.A"))
        #expect(try world.next(bob.flow).status == 404)
    }

    @Test("what is required and not understood is 420")
    func extensions() throws {
        let alice = Phone(world, "alice")
        let answer = try alice.register(extra: "Require: teleport\n")
        #expect(answer.status == 420)
        #expect(answer.value(.unsupported) == "teleport")
    }
}
