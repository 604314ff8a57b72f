import SIP
import Testing

@testable import Signaling

@Suite("Routing and trust")
struct RoutingTests {
    let world = World()

    private func pair(_ world: World) throws -> (Phone, Phone) {
        let alice = Phone(world, "alice", instance: "11111111-0000-0000-0000-000000000001")
        let bob = Phone(world, "bob", instance: "22222222-0000-0000-0000-000000000002")
        #expect(try alice.register().status == 200)
        #expect(try bob.register().status == 200)
        return (alice, bob)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var method = "MESSAGE"
        var uri = "sip:bob@example.test"
        var extra = ""
        var from: String?
        var status: UInt16
        var testDescription: String { "\(method) \(uri) \(extra)" }
    }

    @Test(
        "requests that go nowhere",
        arguments: [
            Refusal(uri: "sips:bob@example.test", status: 416), Refusal(uri: "tel:+15551234567", status: 416),
            Refusal(uri: "mailto:bob@example.test", status: 416), Refusal(uri: "sip:bob@other.test", status: 403),
            Refusal(extra: "Proxy-Require: teleport", status: 420),
            Refusal(extra: "Route: <sip:other.test;lr>", status: 403),
            Refusal(extra: "Route: <sip:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA@127.0.0.1:5060;lr>", status: 430),
            Refusal(method: "INVITE", uri: "sip:example.test", status: 405),
            Refusal(method: "FROBNICATE", uri: "sip:127.0.0.1:5060", status: 405),
            Refusal(method: "OPTIONS", uri: "sip:example.test", status: 200),
            Refusal(method: "OPTIONS", uri: "sip:example.test", extra: "Require: x", status: 420),
            Refusal(from: "sip:mallory@example.test", status: 403), Refusal(from: "sip:alice@other.test", status: 403),
            Refusal(from: "tel:+1555", status: 403),
        ]
    )
    func refused(_ refusal: Refusal) throws {
        let (alice, bob) = try pair(world)
        alice.request(refusal.method, to: refusal.uri, from: refusal.from, extra: refusal.extra)
        let answer = try world.next(alice.flow)
        #expect(answer.status == refusal.status)
        if refusal.status == 420 { #expect(answer.has(.unsupported)) }
        if refusal.status == 405 { #expect(answer.value(.allow) == "REGISTER, OPTIONS") }
        #expect(world.isQuiet(bob.flow))
    }

    @Test("Max-Forwards is counted down, added where it is missing, and ends at 0")
    func maxForwards() throws {
        let (alice, bob) = try pair(world)
        func send(_ line: String, _ cseq: Int) {
            world.send(
                alice.flow,
                """
                MESSAGE sip:bob@example.test SIP/2.0
                Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK-mf\(cseq)
                From: <sip:alice@example.test>;tag=1
                To: <sip:bob@example.test>
                Call-ID: mf
                CSeq: \(cseq) MESSAGE\(line)
                """
            )
        }
        send("\nMax-Forwards: 1", 1)
        #expect(try world.next(bob.flow).value(.maxForwards) == "0")
        send("", 2)
        #expect(try world.next(bob.flow).value(.maxForwards) == "70")
        send("\nMax-Forwards: 0", 3)
        #expect(try world.next(alice.flow).status == 483)
        send("\nMax-Forwards: 256", 4)
        #expect(try world.next(alice.flow).status == 400)
    }

    @Test("every method passes, byte for byte where it is not the server's to change")
    func passThrough() throws {
        let (alice, bob) = try pair(world)
        for (index, method) in ["SUBSCRIBE", "NOTIFY", "REFER", "INFO", "UPDATE", "PRACK", "PUBLISH", "TELEPORT"]
            .enumerated()
        {
            alice.request(
                method,
                to: bob.address,
                cseq: index + 1,
                extra: "x-ODD :  value ,  kept;as=\"it; is\"\nPriority: urgent",
                body: "some body"
            )
            let request = try world.next(bob.flow)
            #expect(request.startLineText == "\(method) \(bob.contact) SIP/2.0")
            #expect(String(decoding: request.bytes, as: UTF8.self).contains("x-ODD :  value ,  kept;as=\"it; is\"\r\n"))
            #expect(request.text(request.body) == "some body")
            bob.answer(request, 202, "Accepted")
            #expect(try world.next(alice.flow).status == 202)
        }
    }

    @Test("only the server says who is calling, and not where privacy was asked for")
    func identity() throws {
        let (alice, bob) = try pair(world)
        alice.request(
            "MESSAGE",
            to: bob.address,
            extra: "P-Asserted-Identity: <sip:president@example.test>\nP-Preferred-Identity: <sip:x@example.test>"
        )
        let message = try world.next(bob.flow)
        #expect(message.values(.pAssertedIdentity) == ["<sip:alice@example.test>"])
        #expect(!message.has(.pPreferredIdentity))
        bob.answer(message, 200, "OK", extra: "P-Asserted-Identity: <sip:president@example.test>\n")
        #expect(try !world.next(alice.flow).has(.pAssertedIdentity))
        alice.request("MESSAGE", to: bob.address, cseq: 2, extra: "Privacy: id;critical")
        #expect(try !world.next(bob.flow).has(.pAssertedIdentity))
    }

    @Test("challenged each time where that is set")
    func challengeEveryRequest() throws {
        let world = World { $0.challengesEveryRequest = true }
        let (alice, bob) = try pair(world)
        alice.request("MESSAGE", to: bob.address)
        let challenge = try world.next(alice.flow)
        #expect(challenge.status == 407)
        alice.take(challenge)
        let credentials = alice.authorization("Proxy-Authorization", method: "MESSAGE", uri: bob.address)
        alice.request("MESSAGE", to: bob.address, cseq: 2, extra: credentials)
        let message = try world.next(bob.flow)
        #expect(message.method == .message)
        #expect(!message.has(.proxyAuthorization))
        alice.request("MESSAGE", to: bob.address, cseq: 3, extra: credentials)
        let stale = try world.next(alice.flow)
        #expect(stale.value(.proxyAuthenticate)?.contains("stale=true") == true)
    }

    @Test("a request that comes back to where it was is a loop; with another target it is a spiral, and passes")
    func loop() throws {
        let (alice, bob) = try pair(world)
        alice.request("MESSAGE", to: bob.address)
        let sent = try world.next(bob.flow)
        func comeBack(_ uri: String, _ branch: String) {
            var text = String(decoding: sent.bytes, as: UTF8.self)
            text.replace("MESSAGE \(bob.contact)", with: "MESSAGE \(uri)")
            text.replace(
                "Via: SIP/2.0/TCP 127",
                with: "Via: SIP/2.0/TCP 198.51.100.9;branch=\(branch)\r\nVia: SIP/2.0/TCP 127"
            )
            text.replace("From: \"alice\" <sip:alice@", with: "From: \"alice\" <sip:alice@")
            world.sendRaw(alice.flow, text)
        }
        comeBack(bob.address, "z9hG4bK-loop")
        #expect(try world.next(alice.flow).status == 482)
        comeBack("sip:carol@example.test", "z9hG4bK-spiral")
        #expect(try world.next(alice.flow).status == 480)
    }

    /// Sets a call up and gives the Route of its dialog.
    private func dialog(_ alice: Phone, _ bob: Phone) throws -> String {
        alice.request("INVITE", to: bob.address)
        bob.answer(try world.next(bob.flow), 200, "OK")
        return try #require(try world.next(alice.flow).values(.recordRoute).first)
    }

    @Test("nobody but its parties speaks in a dialog")
    func strangerInDialog() throws {
        let (alice, bob) = try pair(world)
        let route = try dialog(alice, bob)
        let carol = Phone(world, "carol")
        try carol.register()
        carol.request("BYE", to: bob.contact, toTag: "to-bob", extra: "Route: \(route)")
        #expect(try world.next(carol.flow).status == 403)
        let flipped = route.replacing("sip:A", with: "sip:B")
        alice.request("BYE", to: bob.contact, cseq: 2, toTag: "to-bob", extra: "Route: \(flipped)")
        #expect(try world.next(alice.flow).status == 430)
        world.close(bob.flow)
        alice.request("BYE", to: bob.contact, cseq: 3, toTag: "to-bob", extra: "Route: \(route)")
        #expect(try world.next(alice.flow).status == 430)
    }

    @Test("another flow of a party may speak in its dialog")
    func secondFlowInDialog() throws {
        let (alice, bob) = try pair(world)
        let route = try dialog(alice, bob)
        let second = Phone(world, "alice", instance: alice.instance, regID: 2)
        #expect(try second.register().status == 200)
        second.request("BYE", to: bob.contact, cseq: 2, toTag: "to-bob", extra: "Route: \(route)")
        #expect(try world.next(bob.flow).method == .bye)
    }

    @Test("a strict router's request is put right")
    func strictRouting() throws {
        let (alice, bob) = try pair(world)
        let route = try dialog(alice, bob)
        let own = try #require(route.split(separator: "<").last?.split(separator: ">").first)
        for (index, last) in ["Route: <\(bob.contact)>", "Route: <sip:198.51.100.1;lr>, <\(bob.contact)>"].enumerated()
        {
            alice.request(
                "INFO",
                to: String(own),
                cseq: index + 2,
                toTag: "to-bob",
                toAddress: bob.address,
                extra: last
            )
            let info = try world.next(bob.flow)
            #expect(info.startLineText == "INFO \(bob.contact) SIP/2.0")
            #expect(info.values(.route) == (index == 0 ? [] : ["<sip:198.51.100.1;lr>"]))
        }
    }

    @Test("two sides that know the server by different addresses get a Record-Route each")
    func doubleRecordRoute() throws {
        let (alice, bob) = try pair(world)
        let other = FlowID(slot: 50, serial: 50)
        world.core.opened(
            other,
            FlowInfo(
                transport: .tcp,
                local: SocketAddress(high: 0x2001_0db8 << 32, low: 1, port: 5060),
                remote: SocketAddress(high: 0x2001_0db8 << 32, low: 9, port: 4000)
            ),
            now: world.now
        )
        bob.flow = other
        #expect(try bob.register().status == 200)
        alice.request("INVITE", to: bob.address)
        let invite = try world.next(bob.flow)
        let routes: [String] = invite.values(.recordRoute)
        #expect(routes.count == 2)
        #expect(routes[0].contains("@[2001:db8::1]:5060"))
        #expect(routes[1].contains("@127.0.0.1:5060"))
        bob.answer(invite, 200, "OK")
        _ = try world.next(alice.flow)
        alice.request("BYE", to: bob.contact, cseq: 2, toTag: "to-bob", extra: "Route: \(routes[1]), \(routes[0])")
        let bye = try world.next(bob.flow)
        #expect(!bye.has(.route))
    }

    @Test("an offer of keep-alives is answered where the flow has a timer")
    func keep() throws {
        let (alice, bob) = try pair(world)
        world.send(
            alice.flow,
            """
            MESSAGE sip:bob@example.test SIP/2.0
            Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK-keep;keep;rport
            From: <sip:alice@example.test>;tag=1
            To: <sip:bob@example.test>
            Call-ID: keep
            CSeq: 1 MESSAGE
            """
        )
        bob.answer(try world.next(bob.flow), 200, "OK")
        #expect(try world.next(alice.flow).value(.via)?.contains(";keep=270;") == true)
    }

    @Test("a server that stops takes nothing new, and ends what it has")
    func draining() throws {
        let (alice, bob) = try pair(world)
        alice.request("INVITE", to: bob.address)
        let invite = try world.next(bob.flow)
        #expect(world.core.unfinished == 1)
        world.core.isDraining = true
        alice.request("MESSAGE", to: bob.address, callID: "other")
        let refused = try world.next(alice.flow)
        #expect(refused.status == 503)
        #expect(refused.has(.retryAfter))
        bob.answer(invite, 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
        #expect(world.core.unfinished == 1, "the ACK is still to come")
        world.pass(.seconds(2))
        #expect(world.core.unfinished == 0)
    }

    @Test("a malformed request is told what is wrong with it; what can't be answered ends the connection")
    func malformed() throws {
        let (alice, _) = try pair(world)
        alice.request("MESSAGE", to: "sip:bob@exa mple.test")
        let answer = try world.next(alice.flow)
        #expect(answer.status == 400)
        #expect(answer.text(answer.reason) == "Malformed Request-URI")
        world.sendRaw(alice.flow, "MESSAGE sip:bob@example.test SIP/2.0\r\nContent-Length: 0\r\n\r\n")
        #expect(world.closedByCore[alice.flow] == .garbage)
    }
}
