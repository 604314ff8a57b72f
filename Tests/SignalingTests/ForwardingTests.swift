import SIP
import Testing

@testable import Signaling

@Suite("Forwarding")
struct ForwardingTests {
    let world = World()

    private func phone(_ user: String, _ number: Int) throws -> Phone {
        let phone = Phone(world, user, instance: "11111111-0000-0000-0000-00000000000\(number)")
        #expect(try phone.register().status == 200)
        return phone
    }

    @Test("a Route of this server that stands first takes nothing with it that is added in its place")
    func routeFirst() throws {
        let alice = try phone("alice", 1)
        let bob = try phone("bob", 2)
        world.send(
            alice.flow,
            """
            INVITE \(bob.address) SIP/2.0
            Route: <sip:127.0.0.1:5060;transport=tcp;lr>
            Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK1;rport
            Max-Forwards: 70
            From: <\(alice.address)>;tag=a
            To: <\(bob.address)>
            Call-ID: route-first
            CSeq: 1 INVITE
            Contact: <\(alice.contact)>
            """
        )
        let invite = try world.next(bob.flow)
        #expect(!invite.has(.route))
        #expect(invite.values(.via).count == 2)
        #expect(invite.has(.recordRoute))
        #expect(invite.has(.maxBreadth))
        #expect(invite.value(.pAssertedIdentity) == "<sip:alice@example.test>")
    }

    @Test("the challenges of all branches reach the caller in one answer (RFC 3261 section 16.7 step 7)")
    func challenges() throws {
        let alice = try phone("alice", 1)
        let bob = try phone("bob", 2)
        let desk = try phone("bob", 3)
        alice.request("INVITE", to: bob.address)
        for (phone, realm) in [(bob, "one"), (desk, "two")] {
            let extra = "Proxy-Authenticate: Digest realm=\"\(realm)\",nonce=\"n\"\n"
            phone.answer(try world.next(phone.flow), 407, "Proxy Authentication Required", extra: extra)
        }
        let answer = try world.next(alice.flow)
        #expect(answer.status == 407)
        let realms = answer.fields.filter { $0.name == .proxyAuthenticate }.map { answer.text($0.value) }
        #expect(realms.sorted() == ["Digest realm=\"one\",nonce=\"n\"", "Digest realm=\"two\",nonce=\"n\""])
    }

    @Test("a 408 of a phone to anything but an INVITE is swallowed, and its transaction ends (RFC 4320 section 4.2)")
    func swallowed408() throws {
        let alice = try phone("alice", 1)
        let bob = try phone("bob", 2)
        alice.request("MESSAGE", to: bob.address)
        bob.answer(try world.next(bob.flow), 408, "Request Timeout")
        #expect(world.isQuiet(alice.flow))
        #expect(world.core.unfinished == 0)
        #expect(world.core.counts.serverTransactions == 0)
    }

    @Test("a flow that closes before its binding is stored takes nothing over", arguments: [true, false])
    func closedBeforeStored(rings: Bool) throws {
        let alice = try phone("alice", 1)
        let bob = try phone("bob", 2)
        if rings { alice.request("INVITE", to: bob.address) }
        let old = bob.flow
        world.commits = false
        bob.flow = world.open(port: 41_000)
        let instance = "+sip.instance=\"<urn:uuid:\(bob.instance ?? "")>\";reg-id=1"
        bob.sendRegister(contact: "<sip:bob@192.0.2.9;transport=tcp>;\(instance)")
        #expect(world.isQuiet(bob.flow), "nothing is stored yet")
        world.close(bob.flow)
        world.commit()
        #expect(world.takeAll(bob.flow).allSatisfy { !$0.isRequest })
        guard rings else {
            // It has no binding any more, and the phone is to know.
            #expect(world.closedByCore[old] == .replaced)
            return
        }
        #expect(world.closedByCore[old] == nil)
        bob.flow = old
        bob.answer(try world.next(old), 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
    }
}
