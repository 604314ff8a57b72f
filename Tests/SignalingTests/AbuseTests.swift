import SIP
import Signaling
import TestSupport
import Testing

@Suite("Limits against abuse")
struct AbuseTests {
    @Test("a flow may bring so many requests, is answered 503 beyond, and closed when it goes on")
    func floodedFlow() throws {
        let world = World {
            $0.requestsPerFlow = RateLimit(perSecond: 10, burst: 20)
            $0.excessPerFlow = 30
        }
        let phone = Phone(world, "alice")
        func flood(_ count: Int) -> [UInt16] {
            for _ in 0..<count { phone.request("OPTIONS", to: "sip:example.test", callID: "x") }
            return world.takeAll(phone.flow).map(\.status)
        }
        #expect(flood(25) == Array(repeating: 200, count: 20) + Array(repeating: 503, count: 5))
        world.pass(.milliseconds(500))
        #expect(flood(6) == Array(repeating: 200, count: 5) + [503])
        phone.request("OPTIONS", to: "sip:example.test", callID: "y")
        #expect(try world.next(phone.flow).value(.retryAfter) == "5")
        #expect(world.closedByCore[phone.flow] == nil)
        _ = flood(30)
        #expect(world.closedByCore[phone.flow] == .limit)
        #expect(world.core.refusals.flows == 1)
        // Others never notice.
        let other = Phone(world, "bob")
        #expect(try other.register().status == 200)
    }

    @Test("an account may make so many requests, over however many flows")
    func floodedAccount() throws {
        let world = World { $0.requestsPerAccount = RateLimit(perSecond: 1, burst: 4) }
        let phones = (0..<3).map { Phone(world, "alice", instance: "\($0)") }
        for phone in phones { #expect(try phone.register().status == 200) }
        let bob = Phone(world, "bob")
        #expect(try bob.register().status == 200)
        var statuses: [UInt16] = []
        for phone in phones {
            phone.request("MESSAGE", to: "sip:nobody@example.test", callID: "m")
            statuses += world.takeAll(phone.flow).map(\.status)
        }
        #expect(statuses == [404, 503, 503])
        #expect(world.core.refusals.accountRequests == 2)
        bob.request("MESSAGE", to: "sip:nobody@example.test", callID: "m")
        #expect(try world.next(bob.flow).status == 404)
    }

    /// Tries a wrong password on a flow of its own.
    private func guess(_ world: World, _ user: String, from address: UInt32) throws -> Message {
        let attacker = Phone(world, user)
        attacker.flow = world.open(remote: SocketAddress(ipv4: address, port: 9))
        attacker.sendRegister()
        attacker.take(try world.next(attacker.flow))
        attacker.sendRegister(wrongPassword: true)
        return try world.next(attacker.flow)
    }

    @Test("who guesses passwords waits ever longer, and the phone of the account does not")
    func guessing() throws {
        let world = World { $0.failuresPerAccount = 3 }
        let phone = Phone(world, "alice", instance: "1")
        #expect(try phone.register().status == 200)
        for _ in 0..<4 { #expect(try guess(world, "alice", from: 0xc633_6401).status == 401) }
        var delays: [String?] = []
        for wait in [Int64(1), 2, 4, 8] {
            let answer = try guess(world, "alice", from: 0xc633_6402)
            #expect(answer.status == 503)
            delays.append(answer.value(.retryAfter))
            world.pass(.seconds(wait))
            #expect(try guess(world, "alice", from: 0xc633_6403).status == 401)
        }
        #expect(delays == ["1", "2", "4", "8"])
        // The phone itself: on its connection, and on a new one from where it is.
        #expect(try phone.register().status == 200)
        let again = Phone(world, "alice", instance: "2")
        #expect(try again.register().status == 200)
        // Other accounts are not concerned, and this one is free after a while.
        #expect(try guess(world, "bob", from: 0xc633_6404).status == 401)
        world.pass(.seconds(60))
        #expect(try guess(world, "alice", from: 0xc633_6405).status == 401)
    }

    @Test("a source that guesses waits whatever account it tries, and its registered phones do not")
    func guessingSource() throws {
        let world = World {
            $0.failuresPerSource = 3
            $0.failuresPerAccount = 0
        }
        let phone = Phone(world, "carol")
        #expect(try phone.register().status == 200)
        // The phones of these tests share an address.
        for user in ["alice", "bob", "alice", "nobody"] {
            #expect(try guess(world, user, from: 0xc000_0201).status == 401)
        }
        #expect(try guess(world, "bob", from: 0xc000_0201).status == 503)
        #expect(try guess(world, "bob", from: 0xc000_0202).status == 401)
        #expect(try phone.register().status == 200)
    }

    @Test("trusted flows have no limits")
    func trusted() {
        let world = World { $0.requestsPerFlow = RateLimit(perSecond: 1, burst: 1) }
        let phone = Phone(world, "alice")
        phone.flow = world.open(isTrusted: true)
        for _ in 0..<10 { phone.request("OPTIONS", to: "sip:example.test", callID: "x") }
        #expect(world.takeAll(phone.flow).map(\.status) == Array(repeating: 200, count: 10))
    }
}
