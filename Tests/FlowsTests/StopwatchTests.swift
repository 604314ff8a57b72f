import Glibc
import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Timing the other end") struct StopwatchTests {
    @Test("what a peer takes counts, and what lies here does not")
    func excludesOwnTime() throws {
        let harness = try Harness()
        let stopwatch = FlowStopwatch()
        harness.carrier.stopwatch = stopwatch
        let (client, flow) = try harness.open(to: Peer())
        stopwatch.start(flow)
        #expect(stopwatch.time(of: flow) == nil)

        // The peer answers after 30 ms, and the answer lies here for 200 before it is looked at.
        let start = clock.now
        harness.receiver.send(flow, request(1))
        try harness.run { !client.text.isEmpty }
        #expect(stopwatch.time(of: flow) == nil)
        pause(30)
        client.write(request(2))
        let written = microseconds(since: start)
        pause(200)
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        let first = try #require(stopwatch.time(of: flow))
        #expect(first >= 30_000 && first < written + 100_000)
        #expect(stopwatch.held(by: flow) == 0)

        // What is written after that does not begin anew, and the time it lay here is known.
        let again = clock.now
        harness.receiver.send(flow, request(3))
        try harness.run { client.text.count > request(1).count }
        #expect(stopwatch.held(by: flow) >= 200_000)
        client.write(request(4))
        let answered = microseconds(since: again)
        try harness.run { harness.receiver.events[flow]?.count == 3 }
        let both = try #require(stopwatch.time(of: flow))
        #expect(both >= first && both < first + answered + 100_000)

        stopwatch.start(flow)
        #expect(stopwatch.time(of: flow) == nil && stopwatch.held(by: flow) == 0)
    }

    @Test("what comes and goes after the stop changes nothing")
    func stopped() throws {
        let harness = try Harness()
        let stopwatch = FlowStopwatch()
        harness.carrier.stopwatch = stopwatch
        let (client, flow) = try harness.open(to: Peer())
        stopwatch.start(flow)
        harness.receiver.send(flow, request(1))
        try harness.run { !client.text.isEmpty }
        client.write(request(2))
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        let time = try #require(stopwatch.time(of: flow))
        stopwatch.stop(flow)
        pause(20)
        harness.receiver.send(flow, request(3))
        try harness.run { client.text.count > request(1).count }
        client.write(request(4))
        try harness.run { harness.receiver.events[flow]?.count == 3 }
        #expect(stopwatch.time(of: flow) == time && stopwatch.held(by: flow) == 0)
    }

    @Test("opening a connection counts from the first packet, without the time until it is noticed")
    func connecting() throws {
        let harness = try Harness()
        let stopwatch = FlowStopwatch()
        harness.carrier.stopwatch = stopwatch
        let peer = try Peer()
        harness.receiver.connect(1, to: peer.address)
        harness.carrier.turnEnded()
        // The kernel has answered long before the loop looks.
        pause(200)
        try harness.run { !harness.receiver.order.isEmpty }
        let flow = try #require(harness.receiver.order.first)
        let client = try peer.accept()
        let start = clock.now
        harness.receiver.send(flow, request(1))
        try harness.run { !client.text.isEmpty }
        #expect(stopwatch.held(by: flow) >= 190_000)
        client.write(request(2))
        let answered = microseconds(since: start)
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        #expect(try #require(stopwatch.time(of: flow)) < answered + 150_000)
    }

    @Test("a flow that was never timed has no time")
    func unknown() {
        let stopwatch = FlowStopwatch()
        let flow = FlowID(slot: 7, serial: 1)
        #expect(stopwatch.time(of: flow) == nil && stopwatch.held(by: flow) == 0)
    }

    private let clock = ContinuousClock()

    private func microseconds(since start: ContinuousClock.Instant) -> Int64 {
        Int64((clock.now - start) / .microseconds(1))
    }

    /// Lets time pass, which is what is measured.
    private func pause(_ milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
