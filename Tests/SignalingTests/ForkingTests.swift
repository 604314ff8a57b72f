import SIP
import Testing

@testable import Signaling

@Suite("Forking")
struct ForkingTests {
    let world = World()

    /// A caller and so many devices of one callee, each with its q.
    private func phones(_ qs: [String], _ world: World) throws -> (Phone, [Phone]) {
        let alice = Phone(world, "alice", instance: "11111111-0000-0000-0000-000000000001")
        #expect(try alice.register().status == 200)
        let devices = try qs.enumerated().map { index, q in
            let phone = Phone(world, "bob", instance: "22222222-0000-0000-0000-00000000000\(index)")
            let answer = try phone.register(parameters: ";q=\(q)")
            #expect(answer.status == 200)
            return phone
        }
        return (alice, devices)
    }

    private func noTransactionIsLeft() {
        world.pass(.seconds(64))
        #expect(world.core.counts.clientTransactions == 0)
        #expect(world.core.counts.serverTransactions == 0)
        #expect(world.core.unfinished == 0)
    }

    @Test("lower q is tried only after all of higher q have failed")
    func serial() throws {
        let (alice, bobs) = try phones(["0.5", "1.0", "0.5"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        let first = try world.next(bobs[1].flow)
        #expect(world.isQuiet(bobs[0].flow) && world.isQuiet(bobs[2].flow))
        bobs[1].answer(first, 486, "Busy Here")
        _ = try world.next(bobs[1].flow)
        let second = try world.next(bobs[0].flow)
        let third = try world.next(bobs[2].flow)
        bobs[0].answer(second, 404, "Not Found")
        #expect(world.isQuiet(alice.flow))
        bobs[2].answer(third, 408, "Request Timeout")
        #expect(try world.next(alice.flow).status < 500)
        alice.request("ACK", to: "sip:bob@example.test", branch: "x")
        noTransactionIsLeft()
    }

    @Test("6xx ends the search and stops what rings")
    func decline() throws {
        let (alice, bobs) = try phones(["1.0", "1.0", "0.1"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        let first = try world.next(bobs[0].flow)
        let second = try world.next(bobs[1].flow)
        bobs[1].answer(second, 180, "Ringing")
        #expect(try world.next(alice.flow).status == 180)
        bobs[0].answer(first, 603, "Decline")
        _ = try world.next(bobs[0].flow)
        let cancel = try world.next(bobs[1].flow)
        #expect(cancel.method == .cancel)
        #expect(world.isQuiet(alice.flow), "the answer waits for the branch that is being cancelled")
        bobs[1].answer(cancel, 200, "OK")
        bobs[1].answer(second, 487, "Request Terminated")
        #expect(try world.next(alice.flow).status == 603)
        #expect(world.isQuiet(bobs[2].flow))
        noTransactionIsLeft()
    }

    @Test("a 2xx that comes late goes upstream too")
    func late() throws {
        let (alice, bobs) = try phones(["1.0", "1.0"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        let first = try world.next(bobs[0].flow)
        let second = try world.next(bobs[1].flow)
        bobs[1].answer(second, 180, "Ringing")
        bobs[0].answer(first, 200, "OK", tag: "one")
        let cancel = try world.next(bobs[1].flow)
        bobs[1].answer(second, 200, "OK", tag: "two")
        bobs[1].answer(cancel, 200, "OK")
        let answers = try (0..<3).map { _ in try world.next(alice.flow) }
        #expect(answers.map(\.status) == [180, 200, 200])
        #expect(answers[2].value(.to)?.contains("tag=two") == true)
        noTransactionIsLeft()
    }

    @Test("the best answer: what the caller can mend before what it can't, a device's word before the server's own")
    func best() throws {
        let (alice, bobs) = try phones(["1.0", "1.0", "1.0"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        let invites = try bobs.map { try world.next($0.flow) }
        bobs[0].answer(invites[0], 500, "Oops")
        bobs[1].answer(invites[1], 407, "Who", extra: "Proxy-Authenticate: Digest realm=\"b\",nonce=\"1\"\n")
        bobs[2].answer(invites[2], 401, "Who", extra: "WWW-Authenticate: Digest realm=\"c\",nonce=\"2\"\n")
        let answer = try world.next(alice.flow)
        #expect(answer.status == 407)
        #expect(answer.has(.wwwAuthenticate), "the challenges of all branches are gathered")
        #expect(answer.has(.proxyAuthenticate))
        noTransactionIsLeft()
    }

    @Test("503 of a device is not passed on as the server's own")
    func unavailable() throws {
        let (alice, bobs) = try phones(["1.0"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        bobs[0].answer(try world.next(bobs[0].flow), 503, "Service Unavailable")
        #expect(try world.next(alice.flow).status == 500)
    }

    @Test("timer C cancels what rings for too long")
    func timerC() throws {
        let (alice, bobs) = try phones(["1.0"], world)
        alice.request("INVITE", to: "sip:bob@example.test")
        let invite = try world.next(bobs[0].flow)
        bobs[0].answer(invite, 180, "Ringing")
        _ = try world.next(alice.flow)
        world.pass(.seconds(100))
        bobs[0].answer(invite, 180, "Ringing")
        _ = try world.next(alice.flow)
        world.pass(.seconds(184))
        #expect(world.isQuiet(bobs[0].flow))
        world.pass(.seconds(2))
        let cancel = try world.next(bobs[0].flow)
        #expect(cancel.method == .cancel)
        // A phone that never answers the cancelled INVITE is given up after 64 times T1.
        world.pass(.seconds(33))
        #expect(try world.next(alice.flow).status == 408)
        noTransactionIsLeft()
    }

    @Test("a phone that says nothing at all is given up after timer B, and its other flow is tried")
    func timerB() throws {
        let (alice, bobs) = try phones(["1.0"], world)
        let second = Phone(world, "bob", instance: bobs[0].instance, regID: 2)
        world.pass(.seconds(1))
        #expect(try second.register().status == 200)
        alice.request("INVITE", to: "sip:bob@example.test")
        _ = try world.next(second.flow)
        world.pass(.seconds(33))
        let again = try world.next(bobs[0].flow)
        #expect(try world.next(alice.flow).status == 100)
        bobs[0].answer(again, 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
        noTransactionIsLeft()
    }

    @Test("Max-Breadth is shared among branches, and what it has no room for waits its turn")
    func breadth() throws {
        let (alice, bobs) = try phones(["1.0", "1.0", "1.0"], world)
        alice.request("MESSAGE", to: "sip:bob@example.test", extra: "Max-Breadth: 2")
        let reached = bobs.filter { !world.isQuiet($0.flow) }
        #expect(reached.count == 2)
        for bob in reached {
            let message = try world.next(bob.flow)
            #expect(message.value(.maxBreadth) == "1")
            bob.answer(message, 404, "Not Found")
        }
        let last = try #require(bobs.first { !world.isQuiet($0.flow) })
        last.answer(try world.next(last.flow), 200, "OK")
        #expect(try world.next(alice.flow).status == 200)
        alice.request("MESSAGE", to: "sip:bob@example.test", cseq: 2, extra: "Max-Breadth: 0")
        #expect(try world.next(alice.flow).status == 440)
        noTransactionIsLeft()
    }

    @Test("a caller that is gone for good cancels its call; one that comes back gets its answer")
    func callerGone() throws {
        let (alice, bobs) = try phones(["1.0"], world)
        for isBack in [false, true] {
            alice.request("INVITE", to: "sip:bob@example.test", callID: "gone-\(isBack)")
            let invite = try world.next(bobs[0].flow)
            bobs[0].answer(invite, 180, "Ringing")
            world.close(alice.flow)
            alice.flow = world.open(port: 43_000)
            if isBack { try alice.register() }
            world.pass(.seconds(10))
            if isBack {
                bobs[0].answer(invite, 200, "OK")
                #expect(try world.next(alice.flow).status == 200)
            } else {
                let cancel = try world.next(bobs[0].flow)
                #expect(cancel.method == .cancel)
                bobs[0].answer(cancel, 200, "OK")
                bobs[0].answer(invite, 487, "Request Terminated")
                _ = try world.next(bobs[0].flow)
                try alice.register()
            }
        }
        noTransactionIsLeft()
    }

    @Test("a request other than INVITE: 100 after T2, never 408")
    func nonInvite() throws {
        let (alice, bobs) = try phones(["1.0"], world)
        alice.request("MESSAGE", to: "sip:bob@example.test")
        _ = try world.next(bobs[0].flow)
        world.pass(.milliseconds(3_499))
        #expect(world.isQuiet(alice.flow))
        world.pass(.milliseconds(1))
        #expect(try world.next(alice.flow).status == 100)
        noTransactionIsLeft()
        #expect(world.isQuiet(alice.flow))
    }

    @Test("over UDP requests and responses are sent again until they are heard")
    func unreliable() throws {
        let alice = Phone(world, "alice")
        alice.flow = world.open(.udp)
        let bob = Phone(world, "bob")
        bob.flow = world.open(.udp)
        try alice.register()
        try bob.register()
        let branch = alice.request("INVITE", to: bob.address)
        let invite = try world.next(bob.flow)
        #expect(invite.value(.via)?.hasPrefix("SIP/2.0/UDP") == true)
        world.pass(.milliseconds(500))
        #expect(try world.next(bob.flow).bytes == invite.bytes)
        bob.answer(invite, 486, "Busy Here")
        #expect(try world.next(bob.flow).method == .ack)
        _ = try world.next(alice.flow)
        #expect(try world.next(alice.flow).status == 486)
        world.pass(.milliseconds(500))
        #expect(try world.next(alice.flow).status == 486)
        bob.answer(invite, 486, "Busy Here")
        #expect(try world.next(bob.flow).method == .ack, "a repeated final response is acknowledged again")
        alice.request("ACK", to: bob.address, branch: branch, toTag: "to-bob")
        world.pass(.seconds(3))
        #expect(world.isQuiet(alice.flow))
        noTransactionIsLeft()
    }
}
