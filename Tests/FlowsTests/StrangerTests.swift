import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Flows that have not authenticated") struct StrangerTests {
    @Test("are read a few a turn, and fewer while others speak", arguments: [false, true])
    func share(othersSpeak: Bool) throws {
        let harness = try Harness {
            $0.strangersPerTurn = 2
            $0.strangersPerQuietTurn = 5
        }
        let (known, flow) = try harness.connect()
        harness.receiver.outbox.append(.keepAlive(flow, nil))
        harness.carrier.turnEnded()
        let strangers = try (0..<8).map { _ in try harness.connect() }
        if othersSpeak {
            let start = harness.loop.now.monotonic
            known.write(request())
            try harness.run { harness.receiver.events[flow]?.count == 2 }
            #expect(harness.carrier.knownReadAt.milliseconds >= start)
            // However long the rest may take.
            harness.carrier.knownReadAt = .distantFuture
        }
        for (client, _) in strangers { client.write(request()) }
        func heard() -> Int { strangers.count { harness.receiver.events[$0.flow]?.count == 2 } }
        try harness.turn(reading: strangers.map(\.flow))
        #expect(heard() == (othersSpeak ? 2 : 5))
        // Nobody is forgotten.
        try harness.run { heard() == 8 }
    }

    @Test("wait in line, in the order in which they came, and who comes later waits behind them")
    func line() throws {
        let harness = try Harness {
            $0.strangersPerTurn = 2
            $0.strangersPerQuietTurn = 2
        }
        let early = try (0..<5).map { _ in try harness.connect() }
        for (client, _) in early { client.write(request()) }
        var order: [FlowID] = []
        harness.receiver.onReceived = { _, flow, _ in order.append(flow) }
        try harness.turn(reading: early.map(\.flow))
        #expect(order.count == 2)
        #expect(!harness.carrier.strangers.isEmpty)
        let late = try harness.connect()
        late.client.write(request())
        try harness.run { order.count == 6 }
        #expect(Set(order.prefix(5)) == Set(early.map(\.flow)))
        #expect(order.last == late.flow)
        #expect(harness.carrier.strangers.isEmpty)
        // All are watched again, and heard at once.
        for (client, _) in early + [late] {
            client.write(request())
            let heard = order.count
            try harness.run { order.count == heard + 1 }
        }
    }

    @Test("one that is closed while it waits is not read, and leaves the others their turn")
    func closed() throws {
        let harness = try Harness {
            $0.strangersPerTurn = 1
            $0.strangersPerQuietTurn = 1
        }
        let all = try (0..<4).map { _ in try harness.connect() }
        for (client, _) in all { client.write(request()) }
        try harness.turn(reading: all.map(\.flow))
        let waiting = try #require(all.map(\.flow).last { harness.receiver.events[$0] == [.opened] })
        harness.receiver.outbox.append(.close(waiting, .limit))
        try harness.run { all.allSatisfy { harness.receiver.events[$0.flow]?.count == 2 } }
        #expect(harness.receiver.events[waiting] == [.opened, .closed(.limit)])
        try harness.run { harness.carrier.strangers.isEmpty }
    }

    @Test("one that was refused need not wait to be heard closing")
    func refused() throws {
        let harness = try Harness { $0.lingerDeadline = .seconds(60) }
        harness.receiver.onRefused = { receiver, flow in receiver.outbox.append(.close(flow, .garbage)) }
        let (refused, flow) = try harness.connect()
        let (other, otherFlow) = try harness.connect()
        refused.write("GET / HTTP/1.1\r\n\r\n")
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        // From now on everybody else waits.
        harness.carrier.settings.strangersPerTurn = 0
        harness.carrier.settings.strangersPerQuietTurn = 0
        other.write(request())
        try harness.run { !harness.carrier.strangers.isEmpty }
        refused.shutdownWriting()
        try harness.run { harness.receiver.events[flow]?.last == .closed(.garbage) }
        #expect(harness.receiver.events[otherFlow] == [.opened])
    }

    @Test("in a line that is never empty take no more room than those who wait, and keep their order")
    func endless() {
        var line = WaitingLine()
        var most = 0
        for number in 0..<100_000 {
            line.append(FlowID(slot: number, serial: 1))
            guard number >= 100 else { continue }
            #expect(line.popFirst()?.slot == number - 100)
            most = max(most, line.slots)
        }
        #expect(most < 4096)
        for number in 99_900..<100_000 { #expect(line.popFirst()?.slot == number) }
        #expect(line.isEmpty && line.popFirst() == nil)
    }
}
