public import SIP

/// What a transaction's machine wants done after an event.
///
/// Compared whole in tests.
public struct TransactionEffects: Equatable, Sendable {
    /// What to do with one of the two timers a transaction has.
    public enum TimerChange: Equatable, Sendable {
        case keep
        case arm(Interval)
        case cancel
    }

    /// Hand the message to the user of the transaction.
    public var deliver = false
    /// Send the last message of this transaction again.
    public var resend = false
    /// Send the ACK of a final response that is not 2xx (RFC 3261 section 17.1.1.3).
    public var acknowledge = false
    /// Tell the user that no final response came in time, or that no ACK did.
    public var timedOut = false
    /// The timer of retransmissions: A, E, G.
    public var retransmission: TimerChange = .keep
    /// The timer that ends a state: B, D, F, H, I, J, K, L, M.
    public var lifetime: TimerChange = .keep
    /// The transaction is over; forget it.
    public var isTerminated = false

    /// Nothing to do.
    public init() {}

    /// Whether a timer is to be armed or cancelled.
    var changesTimers: Bool { retransmission != .keep || lifetime != .keep }

    static let none = TransactionEffects()

    static var terminated: TransactionEffects {
        var effects = TransactionEffects()
        effects.retransmission = .cancel
        effects.lifetime = .cancel
        effects.isTerminated = true
        return effects
    }

    func delivering() -> TransactionEffects {
        var effects = self
        effects.deliver = true
        return effects
    }
}

/// The base intervals of all transaction timers (RFC 3261 section 17.1.1.1, table 4 in its appendix A).
public struct TransactionTimers: Hashable, Sendable {
    /// Estimate of a round trip.
    public var t1 = Interval.milliseconds(500)
    /// The longest pause between retransmissions of requests other than INVITE and of responses to INVITE.
    public var t2 = Interval.seconds(4)
    /// The longest time a message stays in the network.
    public var t4 = Interval.seconds(5)

    /// The RFC's values.
    public init() {}

    /// 64 times T1: timers B, F, H, J, L, M.
    var timeout: Interval { Interval(milliseconds: t1.milliseconds &* 64) }

    /// Twice an interval, up to T2.
    func doubled(_ interval: Interval) -> Interval {
        Interval(milliseconds: min(interval.milliseconds &* 2, t2.milliseconds))
    }
}
