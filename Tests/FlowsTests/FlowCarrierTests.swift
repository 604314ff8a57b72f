import Glibc
import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Flow carrier")
struct FlowCarrierTests {
    @Test("a ping is answered in the turn in which it comes, without the receiver")
    func ping() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        client.write("\r\n\r\n")
        try harness.turn(reading: flow)
        #expect(client.text(ofAtLeast: 2) == "\r\n")
        client.write("\r\n")
        try harness.turn(reading: flow)
        #expect(client.text == "\r\n")
        client.write("\r\n\r\n\r\n\r\n\r\n")
        try harness.turn(reading: flow)
        #expect(client.text(ofAtLeast: 8) == "\r\n\r\n\r\n\r\n")
        #expect(harness.receiver.events[flow] == [.opened])
        #expect(harness.carrier.counters.pings == 4)
        #expect(harness.carrier.table[flow]?.pointee.work == nil)
    }

    @Test("ten thousand pings at once are all answered")
    func manyPings() throws {
        let harness = try Harness()
        let (client, _) = try harness.connect()
        client.write(String(repeating: "\r\n\r\n", count: 10_000))
        try harness.run { client.text.utf8.count >= 20_000 }
        #expect(client.text == String(repeating: "\r\n", count: 10_000))
        #expect(harness.carrier.counters.pings == 10_000)
    }

    @Test("messages arrive whole, however they are cut and joined")
    func messages() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        var expected: [RecordingReceiver.Event] = [.opened]
        for byte in request(1, body: 9).unicodeScalars {
            client.write(String(byte))
            try harness.turn(reading: flow)
        }
        expected.append(.received(request(1, body: 9)))
        #expect(harness.receiver.events[flow] == expected)
        #expect(harness.carrier.table[flow]?.pointee.work == nil)
        let messages = (0..<100).map { request($0, body: $0 * 40) }
        client.write("\r\n\r\n" + messages.joined(separator: "\r\n\r\n") + "OPTIONS")
        expected += messages.map { .received($0) }
        try harness.run { harness.receiver.events[flow]?.count == expected.count }
        #expect(harness.receiver.events[flow] == expected)
        client.write(" sip:a@b SIP/2.0\r\nl: 60000\r\n\r\n" + String(repeating: "z", count: 60_000) + request(7))
        try harness.run { harness.receiver.events[flow]?.count == expected.count + 2 }
        #expect(harness.receiver.events[flow]?.last == .received(request(7)))
        #expect(harness.carrier.counters.messagesIn == 103)
        try harness.run { client.text.utf8.count >= 200 }
        #expect(client.text.utf8.count == 200)
    }

    @Test("what a turn owes a flow leaves in order, whoever else is owed something")
    func order() throws {
        let harness = try Harness()
        let (first, firstFlow) = try harness.connect()
        let (second, secondFlow) = try harness.connect()
        harness.receiver.onReceived = { receiver, flow, _ in
            for number in 0..<1500 {
                receiver.send(firstFlow, "a\(number) ")
                receiver.send(secondFlow, "b\(number) ")
                receiver.send(secondFlow, "c\(number) ")
            }
        }
        first.write("\r\n\r\n" + request() + "\r\n\r\n")
        let toFirst = "\r\n\r\n" + (0..<1500).map { "a\($0) " }.joined()
        let toSecond = (0..<1500).map { "b\($0) c\($0) " }.joined()
        try harness.run { first.text.count >= toFirst.count && second.text.count >= toSecond.count }
        #expect(first.text == toFirst)
        #expect(second.text == toSecond)
        #expect(harness.carrier.counters.messagesOut == 4500)
    }

    @Test(
        "a stream that is no SIP is refused once, can be answered, and is closed",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", FramingFault.notSIP), ("\u{16}\u{3}\u{1}", .notSIP),
            ("OPTIONS sip:a@b SIP/2.0\r\nVia: x\r\n\r\n", .contentLengthMissing),
            ("OPTIONS sip:a@b SIP/2.0\r\nl: 70000\r\n\r\n" + String(repeating: "x", count: 70_000), .bodyTooLong),
            ("OPTIONS sip:a@b SIP/2.0\r\nX: " + String(repeating: "x", count: 100_000), .headerSectionTooLong),
        ]
    )
    func refused(stream: String, fault: FramingFault) throws {
        let harness = try Harness { $0.lingerDeadline = .seconds(2) }
        let (client, flow) = try harness.connect()
        harness.receiver.onRefused = { receiver, flow in
            receiver.send(flow, "no")
            receiver.outbox.append(.close(flow, .garbage))
            receiver.send(flow, "never")
        }
        client.write(request() + stream)
        try harness.run { client.isClosed && harness.receiver.openCount == 0 }
        #expect(client.text == "no")
        #expect(client.isAtEnd)
        let events = harness.receiver.events[flow] ?? []
        #expect(events.count == 4)
        #expect(events.last == .closed(.garbage))
        if events.count == 4, case .refused(let told, let head) = events[2] {
            #expect(told == fault)
            #expect(!head.isEmpty && stream.hasPrefix(head) && head.utf8.count <= 65_536)
        } else {
            Issue.record("not refused: \(events)")
        }
        #expect(harness.carrier.openFlows == 0)
    }

    @Test("a refused flow that the receiver forgets is closed all the same")
    func refusedAndForgotten() throws {
        let harness = try Harness { $0.closeDeadline = .milliseconds(50) }
        let (client, flow) = try harness.connect()
        client.write("x\r\n" + request())
        try harness.run { client.isClosed }
        #expect(harness.receiver.events[flow]?.count == 3)
        #expect(harness.receiver.events[flow]?.last == .closed(.garbage))
    }

    @Test("a flow is closed after what is owed to it is written")
    func closeAfterWrite() throws {
        let harness = try Harness { $0.queueBound = 8 << 20 }
        let client = try Client(to: harness.address, receiveBuffer: 4096)
        let long = String(repeating: "0123456789abcdef", count: 1 << 18)
        harness.receiver.onReceived = { receiver, flow, _ in
            receiver.send(flow, long)
            receiver.outbox.append(.close(flow, .replaced))
            receiver.send(flow, "never")
        }
        client.write(request())
        try harness.run { client.isClosed }
        #expect(client.error == 0)
        #expect(client.text == long)
        let flow = try #require(harness.receiver.order.first)
        try harness.run { harness.receiver.openCount == 0 }
        #expect(harness.receiver.events[flow]?.last == .closed(.replaced))
    }

    @Test("a closing flow whose peer does not read is closed after its deadline")
    func closeDeadline() throws {
        let harness = try Harness {
            $0.queueBound = 32 << 20
            $0.closeDeadline = .milliseconds(60)
        }
        let (_, flow) = try harness.connect()
        harness.receiver.send(flow, String(repeating: "x", count: 16 << 20))
        harness.receiver.outbox.append(.close(flow, .replaced))
        try harness.run { harness.receiver.openCount == 0 }
        #expect(harness.receiver.events[flow]?.last == .closed(.replaced))
    }

    @Test("a slow reader is congested, then alone closed, and the others go on")
    func slowReader() throws {
        let harness = try Harness()
        let (_, slowFlow) = try harness.connect(receiveBuffer: 4096)
        let (client, flow) = try harness.connect()
        let piece = String(repeating: "y", count: 10_000)
        var sent = 0
        try harness.run {
            harness.receiver.send(slowFlow, piece)
            harness.receiver.send(flow, piece)
            sent += 1
            client.poll()
            let queue = harness.carrier.table[slowFlow]?.pointee.work?.queue.count ?? 0
            #expect(queue <= harness.carrier.settings.queueBound)
            return harness.receiver.openCount == 1
        }
        #expect(harness.receiver.events[slowFlow] == [.opened, .congested, .closed(.limit)])
        #expect(harness.receiver.events[flow] == [.opened])
        try harness.run { client.text.utf8.count >= sent * 10_000 }
        client.write("\r\n\r\n")
        try harness.run { client.text.hasSuffix("\r\n") }
        #expect(harness.carrier.counters.congestions == 1)
        #expect(harness.carrier.counters.closed(.limit) == 1)
    }

    @Test("a congested flow is not read from until it has drained")
    func congestion() throws {
        let harness = try Harness { $0.queueBound = 32 << 20 }
        let (client, flow) = try harness.connect()
        let long = String(repeating: "z", count: 16 << 20)
        harness.receiver.send(flow, long)
        try harness.run { harness.receiver.events[flow]?.last == .congested }
        client.write(request())
        for _ in 0..<20 { try harness.loop.runTurn(waits: false) }
        #expect(harness.receiver.events[flow] == [.opened, .congested])
        try harness.run { client.text.utf8.count == long.utf8.count && harness.receiver.events[flow]?.count == 4 }
        #expect(harness.receiver.events[flow] == [.opened, .congested, .drained, .received(request())])
        #expect(harness.carrier.table[flow]?.pointee.work == nil)
    }

    @Test("the end of a peer closes the flow, after what the turn owes it")
    func peerCloses() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        harness.receiver.onReceived = { receiver, flow, _ in receiver.send(flow, "answer") }
        client.write(request())
        client.shutdownWriting()
        try harness.run { client.isClosed }
        #expect(client.text == "answer")
        #expect(harness.receiver.events[flow]?.last == .closed(.peer))
        let (other, otherFlow) = try harness.connect()
        other.write("OPTIONS")
        other.reset()
        try harness.run { harness.receiver.openCount == 0 }
        #expect(harness.receiver.events[otherFlow] == [.opened, .closed(.peer)])
        #expect(harness.carrier.counters.closed(.peer) == 2)
    }

    @Test("a slot is used again, its identity never, and what is late for the old flow is dropped")
    func staleGeneration() throws {
        let harness = try Harness()
        let (first, old) = try harness.connect()
        harness.receiver.onClosed = { receiver, flow in receiver.send(flow, "too late") }
        first.end()
        try harness.run { harness.receiver.openCount == 0 }
        let (client, flow) = try harness.connect()
        #expect(flow.slot == old.slot)
        #expect(flow.serial > old.serial)
        client.write("\r\n\r\n")
        harness.carrier.ready(old.rawValue, [.readable, .writable])
        harness.receiver.send(old, "stale")
        harness.receiver.outbox.append(.close(old, .replaced))
        harness.receiver.outbox.append(.keepAlive(old, .zero))
        let tag = FlowTag(addressOfRecord: "a@b", instance: nil, regID: 0)
        harness.receiver.outbox.append(.tag(old, tag))
        try harness.run { client.text == "\r\n" }
        #expect(harness.carrier.tag(of: flow) == nil)
        #expect(harness.carrier.info(of: old) == nil)
        harness.receiver.outbox.append(.tag(flow, tag))
        try harness.loop.runTurn(waits: false)
        #expect(harness.carrier.tag(of: flow) == tag)
        #expect(harness.receiver.openCount == 1)
    }

    @Test("what the receiver owes after a flow is closed leaves in the same turn")
    func closedOwes() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        let (_, other) = try harness.connect()
        harness.receiver.onClosed = { receiver, _ in receiver.send(flow, "the other is gone") }
        harness.receiver.outbox.append(.close(other, .replaced))
        try harness.loop.runTurn(waits: false)
        #expect(client.text == "the other is gone")
    }

    @Test("at a shutdown every flow is closed and told once")
    func shutdown() throws {
        let harness = try Harness()
        let clients = try (0..<20).map { _ in try harness.connect().client }
        harness.carrier.stopAccepting()
        #expect(harness.carrier.listening.isEmpty)
        for flow in harness.receiver.order { harness.receiver.send(flow, "bye") }
        harness.carrier.closeAll()
        try harness.run { harness.carrier.openFlows == 0 }
        #expect(clients.allSatisfy { $0.isClosed && $0.text == "bye" })
        #expect(harness.receiver.events.values.allSatisfy { $0 == [.opened, .closed(.shutdown)] })
        #expect(harness.carrier.counters.closed(.shutdown) == 20)
        #expect(!Client.canConnect(to: harness.address))
    }

    @Test("time is handed on when it is wanted, and not before")
    func advance() throws {
        let harness = try Harness()
        let deadline = Instant(milliseconds: harness.loop.now.monotonic + 30)
        harness.receiver.nextDeadline = deadline
        try harness.run { !harness.receiver.advances.isEmpty }
        #expect(harness.receiver.advances.count == 1)
        #expect(harness.receiver.advances.allSatisfy { $0.monotonic >= deadline })
    }
}
