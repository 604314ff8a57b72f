import SIP
import Testing

@testable import Signaling

enum ClientEvent: Sendable { case receive(UInt16), retransmission, lifetime, cancelled }

@Suite("INVITE client transaction, RFC 3261 figure 5 and RFC 6026 figure 5")
struct InviteClientTransactionTests {
    static let ways: [InviteClientTransaction.State: [ClientEvent]] = [
        .calling: [], .proceeding: [.receive(180)], .accepted: [.receive(200)], .completed: [.receive(486)],
        .terminated: [.receive(486), .lifetime],
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var state: InviteClientTransaction.State
        var event: ClientEvent
        var effects: TransactionEffects
        var next: InviteClientTransaction.State
        var isReliable = false
        var testDescription: String { "\(state) + \(event) over \(isReliable ? "TCP" : "UDP")" }
    }

    static let rows: [Row] = [
        Row(
            state: .calling,
            event: .retransmission,
            effects: effects(resend: true, retransmission: oneSecond),
            next: .calling
        ),
        Row(
            state: .calling,
            event: .lifetime,
            effects: effects(timedOut: true, terminated: true),
            next: .terminated
        ),
        Row(
            state: .calling,
            event: .receive(100),
            effects: effects(deliver: true, retransmission: .cancel, lifetime: .cancel),
            next: .proceeding
        ),
        Row(
            state: .calling,
            event: .receive(200),
            effects: effects(deliver: true, retransmission: .cancel, lifetime: thirtyTwo),
            next: .accepted
        ),
        Row(
            state: .calling,
            event: .receive(404),
            effects: effects(deliver: true, acknowledge: true, retransmission: .cancel, lifetime: thirtyTwo),
            next: .completed
        ),
        Row(
            state: .calling,
            event: .receive(404),
            effects: effects(deliver: true, acknowledge: true, terminated: true),
            next: .terminated,
            isReliable: true
        ),
        Row(state: .calling, event: .cancelled, effects: effects(), next: .calling),
        Row(state: .proceeding, event: .receive(183), effects: effects(deliver: true), next: .proceeding),
        Row(
            state: .proceeding,
            event: .receive(200),
            effects: effects(deliver: true, retransmission: .cancel, lifetime: thirtyTwo),
            next: .accepted
        ),
        Row(
            state: .proceeding,
            event: .receive(603),
            effects: effects(deliver: true, acknowledge: true, retransmission: .cancel, lifetime: thirtyTwo),
            next: .completed
        ),
        Row(state: .proceeding, event: .retransmission, effects: effects(), next: .proceeding),
        Row(state: .proceeding, event: .cancelled, effects: effects(lifetime: thirtyTwo), next: .proceeding),
        Row(
            state: .proceeding,
            event: .lifetime,
            effects: effects(timedOut: true, terminated: true),
            next: .terminated
        ),
        Row(state: .accepted, event: .receive(200), effects: effects(deliver: true), next: .accepted),
        Row(state: .accepted, event: .receive(180), effects: effects(), next: .accepted),
        Row(state: .accepted, event: .receive(486), effects: effects(), next: .accepted),
        Row(state: .accepted, event: .retransmission, effects: effects(), next: .accepted),
        Row(state: .accepted, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .completed, event: .receive(486), effects: effects(acknowledge: true), next: .completed),
        Row(state: .completed, event: .receive(180), effects: effects(), next: .completed),
        Row(state: .completed, event: .receive(200), effects: effects(), next: .completed),
        Row(state: .completed, event: .retransmission, effects: effects(), next: .completed),
        Row(state: .completed, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .terminated, event: .receive(200), effects: effects(), next: .terminated),
        Row(state: .terminated, event: .retransmission, effects: effects(), next: .terminated),
        Row(state: .terminated, event: .lifetime, effects: effects(), next: .terminated),
    ]

    static func feed(_ machine: inout InviteClientTransaction, _ event: ClientEvent) -> TransactionEffects {
        switch event {
        case .receive(let status): machine.receive(status: status)
        case .retransmission: machine.retransmissionTimerFired()
        case .lifetime: machine.lifetimeTimerFired()
        case .cancelled: machine.cancelled()
        }
    }

    @Test("does what the row says", arguments: rows)
    func row(_ row: Row) {
        var machine = InviteClientTransaction(TransactionTimers(), isReliable: row.isReliable)
        for event in Self.ways[row.state] ?? [] { _ = Self.feed(&machine, event) }
        #expect(machine.state == row.state)
        let done = Self.feed(&machine, row.event)
        #expect(done == row.effects)
        #expect(machine.state == row.next)
    }

    @Test("timer A doubles without bound until B, and only where the transport may lose")
    func timerA() {
        var machine = InviteClientTransaction(TransactionTimers(), isReliable: false)
        #expect(machine.start() == effects(retransmission: halfSecond, lifetime: thirtyTwo))
        let pauses = (0..<5).map { _ in machine.retransmissionTimerFired().retransmission }
        #expect(pauses == [1, 2, 4, 8, 16].map { .arm(.seconds($0)) })
        let reliable = InviteClientTransaction(TransactionTimers(), isReliable: true)
        #expect(reliable.start() == effects(lifetime: thirtyTwo))
    }
}

@Suite("Non-INVITE client transaction, RFC 3261 figure 6")
struct NonInviteClientTransactionTests {
    static let ways: [NonInviteClientTransaction.State: [ClientEvent]] = [
        .trying: [], .proceeding: [.receive(100)], .completed: [.receive(200)],
        .terminated: [.receive(200), .lifetime],
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var state: NonInviteClientTransaction.State
        var event: ClientEvent
        var effects: TransactionEffects
        var next: NonInviteClientTransaction.State
        var isReliable = false
        var testDescription: String { "\(state) + \(event) over \(isReliable ? "TCP" : "UDP")" }
    }

    static let rows: [Row] = [
        Row(
            state: .trying,
            event: .retransmission,
            effects: effects(resend: true, retransmission: oneSecond),
            next: .trying
        ),
        Row(
            state: .trying,
            event: .lifetime,
            effects: effects(timedOut: true, terminated: true),
            next: .terminated
        ),
        Row(state: .trying, event: .receive(100), effects: effects(deliver: true), next: .proceeding),
        Row(
            state: .trying,
            event: .receive(200),
            effects: effects(deliver: true, retransmission: .cancel, lifetime: t4),
            next: .completed
        ),
        Row(
            state: .trying,
            event: .receive(200),
            effects: effects(deliver: true, terminated: true),
            next: .terminated,
            isReliable: true
        ),
        Row(
            state: .proceeding,
            event: .retransmission,
            effects: effects(resend: true, retransmission: .arm(.seconds(4))),
            next: .proceeding
        ),
        Row(state: .proceeding, event: .receive(100), effects: effects(deliver: true), next: .proceeding),
        Row(
            state: .proceeding,
            event: .receive(503),
            effects: effects(deliver: true, retransmission: .cancel, lifetime: t4),
            next: .completed
        ),
        Row(
            state: .proceeding,
            event: .lifetime,
            effects: effects(timedOut: true, terminated: true),
            next: .terminated
        ),
        Row(state: .completed, event: .receive(200), effects: effects(), next: .completed),
        Row(state: .completed, event: .retransmission, effects: effects(), next: .completed),
        Row(state: .completed, event: .lifetime, effects: effects(terminated: true), next: .terminated),
        Row(state: .terminated, event: .receive(200), effects: effects(), next: .terminated),
        Row(state: .terminated, event: .retransmission, effects: effects(), next: .terminated),
        Row(state: .terminated, event: .lifetime, effects: effects(), next: .terminated),
    ]

    static func feed(_ machine: inout NonInviteClientTransaction, _ event: ClientEvent) -> TransactionEffects {
        switch event {
        case .receive(let status): machine.receive(status: status)
        case .retransmission: machine.retransmissionTimerFired()
        case .lifetime, .cancelled: machine.lifetimeTimerFired()
        }
    }

    @Test("does what the row says", arguments: rows)
    func row(_ row: Row) {
        var machine = NonInviteClientTransaction(TransactionTimers(), isReliable: row.isReliable)
        for event in Self.ways[row.state] ?? [] { _ = Self.feed(&machine, event) }
        #expect(machine.state == row.state)
        let done = Self.feed(&machine, row.event)
        #expect(done == row.effects)
        #expect(machine.state == row.next)
    }

    @Test("timer E doubles up to T2")
    func timerE() {
        var machine = NonInviteClientTransaction(TransactionTimers(), isReliable: false)
        let pauses = (0..<5).map { _ in machine.retransmissionTimerFired().retransmission }
        #expect(pauses == [1, 2, 4, 4, 4].map { .arm(.seconds($0)) })
    }
}
