import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Flow deadlines")
struct FlowDeadlineTests {
    @Test("a flow that does not authenticate is closed, and one that does is not")
    func authentication() throws {
        let harness = try Harness { $0.authenticationDeadline = .seconds(1) }
        let (client, flow) = try harness.connect()
        let (other, otherFlow) = try harness.connect()
        harness.receiver.outbox.append(.keepAlive(otherFlow, nil))
        client.write("\r\n\r\n")
        try harness.run { client.isClosed }
        #expect(harness.receiver.events[flow] == [.opened, .closed(.limit)])
        #expect(harness.receiver.events[otherFlow] == [.opened])
        #expect(!other.isClosed)
    }

    @Test("a flow that says nothing is closed, and a ping is something")
    func firstMessage() throws {
        let harness = try Harness { $0.messageDeadline = .seconds(1) }
        let (client, flow) = try harness.connect()
        let (other, otherFlow) = try harness.connect()
        other.write("\r\n\r\n")
        try harness.run { client.isClosed }
        #expect(harness.receiver.events[flow] == [.opened, .closed(.limit)])
        #expect(harness.receiver.events[otherFlow] == [.opened])
        #expect(!other.isClosed)
    }

    @Test("a message that is not whole in time closes its flow, and a whole one does not")
    func wholeMessage() throws {
        let harness = try Harness { $0.messageDeadline = .seconds(1) }
        let (client, flow) = try harness.connect()
        let (other, otherFlow) = try harness.connect()
        harness.receiver.outbox.append(.keepAlive(flow, .seconds(100)))
        client.write(request().dropLast(2) + "")
        other.write(String(request().prefix(30)))
        try harness.turn(reading: otherFlow)
        other.write(String(request().dropFirst(30)) + "\r\n")
        try harness.run { client.isClosed }
        #expect(harness.receiver.events[flow] == [.opened, .closed(.limit)])
        #expect(harness.receiver.events[otherFlow] == [.opened, .received(request())])
    }

    @Test("silence closes a flow, and any byte puts it off")
    func silence() throws {
        let harness = try Harness()
        // Silence counts from the accept, which is before the order that bounds it.
        let start = harness.loop.now.monotonic
        let (client, flow) = try harness.connect()
        let (other, otherFlow) = try harness.connect()
        harness.receiver.outbox.append(.keepAlive(flow, .milliseconds(200)))
        harness.receiver.outbox.append(.keepAlive(otherFlow, .seconds(2)))
        try harness.run {
            other.write("\r\n")
            return client.isClosed
        }
        #expect(harness.receiver.events[flow] == [.opened, .closed(.silence)])
        #expect(harness.loop.now.monotonic >= start + 200)
        try harness.run {
            other.write("\r\n")
            return harness.loop.now.monotonic > start + 2500
        }
        #expect(harness.receiver.openCount == 1)
        harness.receiver.outbox.append(.keepAlive(otherFlow, .milliseconds(20)))
        try harness.run { other.isClosed }
        #expect(harness.receiver.events[otherFlow]?.last == .closed(.silence))
        #expect(harness.carrier.wheel.count == 0)
    }

    @Test("a silence limit that is taken back does not close")
    func silenceTakenBack() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        client.write("\r\n\r\n")
        harness.receiver.outbox.append(.keepAlive(flow, .milliseconds(30)))
        harness.receiver.outbox.append(.keepAlive(flow, nil))
        try harness.loop.runTurn(waits: false)
        let start = harness.loop.now.monotonic
        try harness.run { harness.loop.now.monotonic > start + 100 }
        #expect(!client.isClosed)
        #expect(harness.carrier.wheel.count == 0)
    }

    @Test("trusted flows have no deadlines to authenticate or to finish a message")
    func trusted() throws {
        let block = try CIDR("127.0.0.0/8")
        let harness = try Harness {
            $0.trusted = [block]
            $0.authenticationDeadline = .milliseconds(20)
            $0.messageDeadline = .milliseconds(20)
        }
        let (client, flow) = try harness.connect()
        #expect(harness.receiver.infos[flow]?.isTrusted == true)
        client.write("OPTIONS")
        let start = harness.loop.now.monotonic
        try harness.run { harness.loop.now.monotonic > start + 100 }
        #expect(!client.isClosed)
        #expect(harness.carrier.wheel.count == 0)
    }
}
