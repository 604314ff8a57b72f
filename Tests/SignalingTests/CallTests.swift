import SIP
import Testing

@testable import Signaling

@Suite("A call between two phones")
struct CallTests {
    let world = World()

    private func pair() throws -> (Phone, Phone) {
        let alice = Phone(world, "alice", instance: "11111111-0000-0000-0000-000000000001")
        let bob = Phone(world, "bob", instance: "22222222-0000-0000-0000-000000000002")
        #expect(try alice.register().status == 200)
        #expect(try bob.register().status == 200)
        return (alice, bob)
    }

    @Test("that is answered while the server stops is waited for until its ACK can have passed")
    func draining() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address, body: "v=0")
        let invite = try world.next(bob.flow)
        world.core.isDraining = true
        #expect(world.core.unfinished == 1)
        bob.answer(invite, 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
        #expect(world.core.unfinished == 1)
        world.pass(.milliseconds(1_900))
        #expect(world.core.unfinished == 1)
        world.pass(.milliseconds(200))
        #expect(world.core.unfinished == 0)
    }

    @Test("that was answered just before the server stops is waited for as well, and an older one is not")
    func answeredBeforeDraining() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address, body: "v=0")
        bob.answer(try world.next(bob.flow), 200, "OK")
        world.pass(.milliseconds(1_000))
        world.core.isDraining = true
        #expect(world.core.unfinished == 1)
        world.pass(.milliseconds(1_100))
        #expect(world.core.unfinished == 0)
    }

    @Test("is set up, confirmed and ended over the registered flows alone")
    func wholeCall() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address, body: "v=0")
        let invite = try world.next(bob.flow)
        #expect(invite.startLineText == "INVITE \(bob.contact) SIP/2.0")
        #expect(invite.values(.via).count == 2)
        #expect(invite.value(.maxForwards) == "69")
        #expect(invite.text(invite.body) == "v=0")
        #expect(invite.value(.pAssertedIdentity) == "<sip:alice@example.test>")
        #expect(world.isQuiet(alice.flow), "no 100 while something better may come")

        bob.answer(invite, 180, "Ringing")
        let ringing = try world.next(alice.flow)
        #expect(ringing.status == 180)
        #expect(ringing.values(.via).count == 1)
        #expect(ringing.value(.via)?.contains("received=192.0.2.1") == true)
        #expect(ringing.value(.via)?.contains("rport=40000") == true)
        bob.answer(invite, 200, "OK")
        let ok = try world.next(alice.flow)
        #expect(ok.status == 200)

        let route = try #require(ok.values(.recordRoute).first)
        alice.request("ACK", to: bob.contact, toTag: "to-bob", extra: "Route: \(route)")
        let ack = try world.next(bob.flow)
        #expect(ack.method == .ack)
        #expect(!ack.has(.route))
        #expect(ack.startLineText == "ACK \(bob.contact) SIP/2.0")

        bob.request(
            "BYE",
            to: alice.contact,
            cseq: 5,
            toTag: "from-alice",
            toAddress: alice.address,
            extra: "Route: \(route)"
        )
        let bye = try world.next(alice.flow)
        #expect(bye.startLineText == "BYE \(alice.contact) SIP/2.0")
        alice.answer(bye, 200, "OK")
        #expect(try world.next(bob.flow).status == 200)
        world.pass(.seconds(40))
        #expect(world.core.counts.clientTransactions == 0)
        #expect(world.core.counts.serverTransactions == 0)
        #expect(world.isQuiet(alice.flow))
        #expect(world.isQuiet(bob.flow))
    }

    @Test("a 100 leaves after 200 ms of silence")
    func trying() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address)
        _ = try world.next(bob.flow)
        world.pass(.milliseconds(199))
        #expect(world.isQuiet(alice.flow))
        world.pass(.milliseconds(1))
        #expect(try world.next(alice.flow).status == 100)
    }

    @Test("CANCEL before any provisional response waits for one")
    func earlyCancel() throws {
        let (alice, bob) = try pair()
        let branch = alice.request("INVITE", to: bob.address)
        let invite = try world.next(bob.flow)
        alice.request("CANCEL", to: bob.address, branch: branch)
        #expect(try world.next(alice.flow).value(.cseq) == "1 CANCEL")
        #expect(world.isQuiet(bob.flow))
        bob.answer(invite, 100, "Trying")
        let cancel = try world.next(bob.flow)
        #expect(cancel.method == .cancel)
        #expect(cancel.value(.via) == invite.values(.via).first)
        #expect(!cancel.has(.reason))
        bob.answer(cancel, 200, "OK")
        bob.answer(invite, 487, "Request Terminated")
        let ack = try world.next(bob.flow)
        #expect(ack.method == .ack)
        #expect(ack.value(.to)?.contains("to-bob") == true)
        #expect(try world.next(alice.flow).status == 487)
        alice.request("ACK", to: bob.address, branch: branch, toTag: "to-bob")
        world.pass(.seconds(40))
        #expect(world.core.counts.clientTransactions == 0)
        #expect(world.core.counts.serverTransactions == 0)
        #expect(world.isQuiet(bob.flow))
    }

    @Test("the other device stops with a reason, so the call is no missed one")
    func forkAndCancel() throws {
        let (alice, bob) = try pair()
        let desk = Phone(world, "bob", instance: "33333333-0000-0000-0000-000000000003")
        #expect(try desk.register().status == 200)
        alice.request("INVITE", to: bob.address)
        let first = try world.next(bob.flow)
        let second = try world.next(desk.flow)
        bob.answer(first, 180, "Ringing")
        desk.answer(second, 180, "Ringing", tag: "desk")
        desk.answer(second, 200, "OK", tag: "desk")
        let cancel = try world.next(bob.flow)
        #expect(cancel.method == .cancel)
        #expect(cancel.value(.reason) == "SIP;cause=200;text=\"Call completed elsewhere\"")
        bob.answer(cancel, 200, "OK")
        bob.answer(first, 487, "Request Terminated")
        #expect(try world.next(bob.flow).method == .ack)
        let statuses = try (0..<3).map { _ in try world.next(alice.flow).status }
        #expect(statuses == [180, 180, 200])
        #expect(world.isQuiet(alice.flow))
    }

    @Test("a flow that fails is followed by the device's other flow, and the phone rings once")
    func failover() throws {
        let (alice, bob) = try pair()
        let second = Phone(world, "bob", instance: bob.instance, regID: 2)
        world.pass(.seconds(1))
        #expect(try second.register().status == 200)
        alice.request("INVITE", to: bob.address)
        _ = try world.next(second.flow)
        #expect(world.isQuiet(bob.flow), "one device, one ring")
        world.close(second.flow)
        let invite = try world.next(bob.flow)
        bob.answer(invite, 486, "Busy Here")
        #expect(try world.next(bob.flow).method == .ack)
        #expect(try world.next(alice.flow).status == 486)
    }

    @Test("what waited for a device goes down its new flow")
    func takeover() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address)
        let lost = try world.next(bob.flow)
        let old = bob.flow
        bob.flow = world.open(port: 41_000)
        #expect(try bob.register().status == 200)
        #expect(world.closedByCore[old] == .replaced)
        let again = try world.next(bob.flow)
        #expect(again.values(.via).first == lost.values(.via).first)
        bob.answer(again, 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
    }

    @Test("a dialog goes on over the new flow of a phone that changed networks")
    func dialogSurvivesReconnect() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: bob.address)
        bob.answer(try world.next(bob.flow), 200, "OK")
        let ok = try world.next(alice.flow)
        let route = try #require(ok.values(.recordRoute).first)
        alice.request("ACK", to: bob.contact, toTag: "to-bob", extra: "Route: \(route)")
        _ = try world.next(bob.flow)
        world.close(bob.flow)
        bob.flow = world.open(port: 42_000)
        #expect(try bob.register().status == 200)
        alice.request("BYE", to: bob.contact, cseq: 2, toTag: "to-bob", extra: "Route: \(route)")
        let bye = try world.next(bob.flow)
        #expect(bye.method == .bye)
        bob.answer(bye, 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
    }

    @Test("nobody there is 404 or 480, and a stranger is challenged")
    func nobodyThere() throws {
        let (alice, bob) = try pair()
        alice.request("INVITE", to: "sip:nobody@example.test")
        #expect(try world.next(alice.flow).status == 404)
        alice.request("INVITE", to: "sip:carol@example.test")
        #expect(try world.next(alice.flow).status == 480)
        alice.request("INVITE", to: "sip:bob@elsewhere.test")
        #expect(try world.next(alice.flow).status == 403)
        alice.request("INVITE", to: "sip:bob@example.test", from: "sip:bob@example.test")
        #expect(try world.next(alice.flow).status == 403)
        let stranger = Phone(world, "carol")
        stranger.request("INVITE", to: bob.address)
        let challenge = try world.next(stranger.flow)
        #expect(challenge.status == 407)
        #expect(challenge.values(.proxyAuthenticate).count > 0)
        stranger.take(challenge)
        stranger.request(
            "INVITE",
            to: bob.address,
            cseq: 2,
            extra: stranger.authorization("Proxy-Authorization", method: "INVITE", uri: bob.address)
        )
        let invite = try world.next(bob.flow)
        #expect(!invite.has(.proxyAuthorization))
        #expect(invite.value(.pAssertedIdentity) == "<sip:carol@example.test>")
    }
}
