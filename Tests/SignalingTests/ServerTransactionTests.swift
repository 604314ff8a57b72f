import SIP
import Testing

@testable import Signaling

enum InviteServerEvent: Sendable {
    case invite, ack, send(UInt16), timerG, lifetime
}

@Suite("INVITE server transaction, RFC 3261 figure 7 and RFC 6026 figure 3")
struct InviteServerTransactionTests {
    /// How to get into a state from the start.
    static let ways: [InviteServerTransaction.State: [InviteServerEvent]] = [
        .proceeding: [], .accepted: [.send(200)], .completed: [.send(404)], .confirmed: [.send(404), .ack],
        .terminated: [.send(200), .lifetime],
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var state: InviteServerTransaction.State
        var event: InviteServerEvent
        var effects: TransactionEffects
        var next: InviteServerTransaction.State
        var isReliable = false
        var testDescription: String { "\(state) + \(event) over \(isReliable ? "TCP" : "UDP")" }
    }

    static let rows: [Row] = [
        Row(state: .proceeding, event: .invite, effects: effects(resend: true), next: .proceeding),
        Row(state: .proceeding, event: .send(180), effects: effects(deliver: true), next: .proceeding),
        Row(
            state: .proceeding,
            event: .send(200),
            effects: effects(deliver: true, lifetime: thirtyTwo),
            next: .accepted
        ),
        Row(
            state: .proceeding,
            event: .send(486),
            effects: effects(deliver: true, retransmission: halfSecond, lifetime: thirtyTwo),
            next: .completed
        ),
        Row(
            state: .proceeding,
            event: .send(486),
            effects: effects(deliver: true, lifetime: thirtyTwo),
            next: .completed,
            isReliable: true
        ),
        Row(state: .proceeding, event: .ack, effects: effects(), next: .proceeding),
        Row(state: .proceeding, event: .timerG, effects: effects(), next: .proceeding),
        Row(state: .proceeding, event: .lifetime, effects: effects(), next: .proceeding),
        Row(state: .accepted, event: .invite, effects: effects(), next: .accepted),
        Row(state: .accepted, event: .ack, effects: effects(deliver: true), next: .accepted),
        Row(state: .accepted, event: .send(200), effects: effects(deliver: true), next: .accepted),
        Row(state: .accepted, event: .send(180), effects: effects(), next: .accepted),
        Row(state: .accepted, event: .send(500), effects: effects(), next: .accepted),
        Row(state: .accepted, event: .timerG, effects: effects(), next: .accepted),
        Row(state: .accepted, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .completed, event: .invite, effects: effects(resend: true), next: .completed),
        Row(
            state: .completed,
            event: .ack,
            effects: effects(retransmission: .cancel, lifetime: t4),
            next: .confirmed
        ),
        Row(
            state: .completed,
            event: .ack,
            effects: effects(terminated: true),
            next: .terminated,
            isReliable: true
        ),
        Row(state: .completed, event: .send(200), effects: effects(), next: .completed),
        Row(
            state: .completed,
            event: .timerG,
            effects: effects(resend: true, retransmission: oneSecond),
            next: .completed
        ),
        Row(
            state: .completed,
            event: .lifetime,
            effects: effects(timedOut: true, terminated: true),
            next: .terminated
        ),
        Row(state: .confirmed, event: .invite, effects: effects(), next: .confirmed),
        Row(state: .confirmed, event: .ack, effects: effects(), next: .confirmed),
        Row(state: .confirmed, event: .timerG, effects: effects(), next: .confirmed),
        Row(state: .confirmed, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .terminated, event: .invite, effects: effects(), next: .terminated),
        Row(state: .terminated, event: .ack, effects: effects(), next: .terminated),
        Row(state: .terminated, event: .send(200), effects: effects(), next: .terminated),
        Row(state: .terminated, event: .lifetime, effects: effects(), next: .terminated),
    ]

    static func feed(_ machine: inout InviteServerTransaction, _ event: InviteServerEvent) -> TransactionEffects {
        switch event {
        case .invite: machine.receiveRetransmission()
        case .ack: machine.receiveACK()
        case .send(let status): machine.send(status: status)
        case .timerG: machine.retransmissionTimerFired()
        case .lifetime: machine.lifetimeTimerFired()
        }
    }

    @Test("does what the row says", arguments: rows)
    func row(_ row: Row) {
        var machine = InviteServerTransaction(TransactionTimers(), isReliable: row.isReliable)
        for event in Self.ways[row.state] ?? [] { _ = Self.feed(&machine, event) }
        #expect(machine.state == row.state)
        let done = Self.feed(&machine, row.event)
        #expect(done == row.effects)
        #expect(machine.state == row.next)
    }

    @Test("timer G doubles up to T2")
    func timerG() {
        var machine = InviteServerTransaction(TransactionTimers(), isReliable: false)
        _ = machine.send(status: 486)
        let pauses = (0..<5).map { _ in machine.retransmissionTimerFired().retransmission }
        #expect(pauses == [1, 2, 4, 4, 4].map { .arm(.seconds($0)) })
    }
}

enum NonInviteServerEvent: Sendable { case request, send(UInt16), lifetime }

@Suite("Non-INVITE server transaction, RFC 3261 figure 8 and RFC 4320")
struct NonInviteServerTransactionTests {
    static let ways: [NonInviteServerTransaction.State: [NonInviteServerEvent]] = [
        .trying: [], .proceeding: [.send(100)], .completed: [.send(200)], .terminated: [.send(200), .lifetime],
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var state: NonInviteServerTransaction.State
        var event: NonInviteServerEvent
        var effects: TransactionEffects
        var next: NonInviteServerTransaction.State
        var isReliable = false
        var testDescription: String { "\(state) + \(event) over \(isReliable ? "TCP" : "UDP")" }
    }

    static let rows: [Row] = [
        Row(state: .trying, event: .request, effects: effects(), next: .trying),
        Row(state: .trying, event: .send(100), effects: effects(deliver: true), next: .proceeding),
        Row(state: .trying, event: .send(183), effects: effects(), next: .trying),
        Row(state: .trying, event: .send(200), effects: effects(deliver: true, lifetime: thirtyTwo), next: .completed),
        Row(
            state: .trying,
            event: .send(200),
            effects: effects(deliver: true, terminated: true),
            next: .terminated,
            isReliable: true
        ),
        Row(state: .trying, event: .send(408), effects: effects(terminated: true), next: .terminated),
        Row(state: .trying, event: .lifetime, effects: effects(), next: .trying),
        Row(state: .proceeding, event: .request, effects: effects(resend: true), next: .proceeding),
        Row(state: .proceeding, event: .send(100), effects: effects(deliver: true), next: .proceeding),
        Row(
            state: .proceeding,
            event: .send(404),
            effects: effects(deliver: true, lifetime: thirtyTwo),
            next: .completed
        ),
        Row(state: .proceeding, event: .send(408), effects: effects(terminated: true), next: .terminated),
        Row(state: .proceeding, event: .lifetime, effects: effects(), next: .proceeding),
        Row(state: .completed, event: .request, effects: effects(resend: true), next: .completed),
        Row(state: .completed, event: .send(200), effects: effects(), next: .completed),
        Row(state: .completed, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .terminated, event: .request, effects: effects(), next: .terminated),
        Row(state: .terminated, event: .send(200), effects: effects(), next: .terminated),
        Row(state: .terminated, event: .lifetime, effects: effects(), next: .terminated),
    ]

    static func feed(_ machine: inout NonInviteServerTransaction, _ event: NonInviteServerEvent) -> TransactionEffects {
        switch event {
        case .request: machine.receiveRetransmission()
        case .send(let status): machine.send(status: status)
        case .lifetime: machine.lifetimeTimerFired()
        }
    }

    @Test("does what the row says", arguments: rows)
    func row(_ row: Row) {
        var machine = NonInviteServerTransaction(TransactionTimers(), isReliable: row.isReliable)
        for event in Self.ways[row.state] ?? [] { _ = Self.feed(&machine, event) }
        #expect(machine.state == row.state)
        let done = Self.feed(&machine, row.event)
        #expect(done == row.effects)
        #expect(machine.state == row.next)
    }
}
