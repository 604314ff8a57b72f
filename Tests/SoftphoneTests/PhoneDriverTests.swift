import PhoneKit
import SIP
import Signaling
import TestSupport
import Testing

@testable import Flows
@testable import Reactor
@testable import Softphone

@Suite("Many phones on one driver")
struct PhoneDriverTests {
    @Test("each phone gets its own, and reports under its own number")
    func many() throws {
        let count = 200
        let world = try Loopback()
        let host = PhoneHost(hashes: .openSSL, random: Loopback.random(1))
        let driver = PhoneDriver(host: host, now: world.loop.time)
        let carrier = FlowCarrier(loop: world.loop, receiver: driver, logger: Loopback.logger)
        world.turns.append { carrier.turnEnded() }
        world.takeTurns()
        var registered: Set<Int> = []
        var left: Set<Int> = []
        var messages: [Int: ByteString] = [:]
        driver.observer = { report, _ in
            switch report.event {
            case .registered: #expect(registered.insert(report.phone).inserted)
            case .unregistered: #expect(left.insert(report.phone).inserted)
            case .message(let from, _): messages[report.phone] = from
            default: break
            }
        }
        for index in 0..<count {
            #expect(driver.add(world.identity("user\(index)"), now: world.loop.time) == index)
        }
        for index in 0..<count { driver.perform(index, now: world.loop.time) { $0.start(now: world.loop.time) } }
        try world.run(until: { registered.count == count }, "\(count) register")
        #expect(carrier.openFlows == count)
        for index in 0..<count { #expect(driver.flows(of: index).count == 1) }
        // Each writes to the next.
        let payload = Payload(type: "text/plain", bytes: Array("hello".utf8))
        for index in 0..<count {
            let next = ByteString("sip:user\((index + 1) % count)@example.test")
            let now = world.loop.time
            #expect(driver.perform(index, now: now) { $0.send(payload, to: next, now: now) } != nil)
        }
        try world.run(until: { messages.count == count }, "all are written to")
        for (phone, from) in messages {
            #expect(from.description == "sip:user\((phone + count - 1) % count)@example.test")
        }
        for index in 0..<count { driver.perform(index, now: world.loop.time) { $0.stop(now: world.loop.time) } }
        try world.run(until: { left.count == count && carrier.openFlows == 0 }, "all leave")
        for index in 0..<count {
            #expect(driver.flows(of: index).isEmpty)
            #expect(driver.perform(index, now: world.loop.time) { $0.unfinished == (0, 0) })
        }
        #expect(world.core.counts.bindings == 0)
    }

    @Test("a deadline that moves later costs no timer, and is kept all the same")
    func deadlines() throws {
        let start = Now(monotonic: Instant(milliseconds: 1000), wall: 0)
        let host = PhoneHost(hashes: .openSSL, random: Loopback.random(1))
        let driver = PhoneDriver(host: host, now: start)
        var failures: [Int64] = []
        var now = start
        driver.observer = { report, now in
            if case .registrationFailed = report.event { failures.append(now.monotonic.milliseconds) }
        }
        let identity = PhoneIdentity(
            address: AddressOfRecord(user: "alice", domain: "example.test"),
            secret: .password("secret"),
            instance: "urn:uuid:1",
            proxies: [FlowTarget(transport: .tcp, host: "192.0.2.1", port: 5060)]
        )
        let number = driver.add(identity, now: now)
        #expect(driver.nextDeadline == nil)
        driver.perform(number, now: now) { $0.start(now: now) }
        // Nobody answers: opening takes 20 s at most, and each next attempt waits longer.
        while failures.count < 3, let next = driver.nextDeadline {
            #expect(next >= now.monotonic)
            now.monotonic = max(next, Instant(milliseconds: now.monotonic.milliseconds + 1))
            driver.advance(to: now)
        }
        #expect(failures.first == 21_000)
        #expect(failures[1] - failures[0] >= 20_000 + 30_000)
        #expect(failures[2] - failures[1] >= 20_000 + 60_000)
    }

    @Test("late events of flows that are gone, and tickets of nobody, find no phone")
    func strays() {
        let now = Now(monotonic: Instant(milliseconds: 1000), wall: 0)
        let driver = PhoneDriver(host: PhoneHost(hashes: .openSSL, random: Loopback.random(1)), now: now)
        let flow = FlowID(slot: 3, serial: 9)
        let address = SocketAddress(ipv4: 1, port: 1)
        driver.connected(77 << 24, flow, FlowInfo(transport: .tcp, local: address, remote: address), now: now)
        #expect(driver.outbox.entries == [.close(flow, .replaced)])
        driver.connectFailed(77 << 24, .peer, now: now)
        driver.stirred(flow, now: now)
        driver.received(flow, Array("OPTIONS sip:x SIP/2.0\r\n\r\n".utf8).span, now: now)
        driver.closed(flow, .peer, now: now)
        driver.advance(to: now)
        #expect(driver.outbox.entries.count == 1)
    }
}
