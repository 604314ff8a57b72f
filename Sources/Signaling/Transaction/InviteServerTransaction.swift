import SIP

/// The server side of an INVITE (RFC 3261 section 17.2.1 with RFC 6026 section 7.1).
///
///     Proceeding --2xx--> Accepted --L--> Terminated
///         |                  ^ further 2xx of other branches pass
///         '--300-699--> Completed --ACK--> Confirmed --I--> Terminated
///                           '------H: no ACK ------------------^
///
/// Accepted absorbs INVITE retransmissions, and lets 2xx and ACK pass: both belong to the user of the transaction.
public struct InviteServerTransaction: Sendable {
    enum State: Sendable, CaseIterable {
        /// No final response yet; retransmitted INVITEs get the last provisional one.
        case proceeding
        /// A 2xx has left; its retransmission is the callee's business.
        case accepted
        /// A final response other than 2xx has left, and waits for its ACK.
        case completed
        /// The ACK has come; only its retransmissions are absorbed.
        case confirmed
        case terminated
    }

    private(set) var state = State.proceeding
    private let timers: TransactionTimers
    private let isReliable: Bool
    private var interval: Interval

    init(_ timers: TransactionTimers, isReliable: Bool) {
        self.timers = timers
        self.isReliable = isReliable
        interval = timers.t1
    }

    /// The same INVITE came again.
    func receiveRetransmission() -> TransactionEffects {
        var effects = TransactionEffects()
        switch state {
        case .proceeding, .completed: effects.resend = true
        case .accepted, .confirmed, .terminated: break
        }
        return effects
    }

    /// An ACK came with this transaction's branch; it is delivered where it acknowledges a 2xx.
    mutating func receiveACK() -> TransactionEffects {
        switch state {
        case .completed:
            if isReliable {
                state = .terminated
                return .terminated
            }
            state = .confirmed
            var effects = TransactionEffects()
            effects.retransmission = .cancel
            effects.lifetime = .arm(timers.t4)
            return effects
        case .accepted: return TransactionEffects.none.delivering()
        case .proceeding, .confirmed, .terminated: return .none
        }
    }

    /// The user sends a response; `deliver` tells whether it may leave.
    mutating func send(status: UInt16) -> TransactionEffects {
        switch state {
        case .proceeding where status < 200: return TransactionEffects.none.delivering()
        case .proceeding where status < 300:
            state = .accepted
            var effects = TransactionEffects.none.delivering()
            effects.lifetime = .arm(timers.timeout)
            return effects
        case .proceeding:
            state = .completed
            var effects = TransactionEffects.none.delivering()
            effects.lifetime = .arm(timers.timeout)
            if !isReliable { effects.retransmission = .arm(timers.t1) }
            return effects
        case .accepted where (200..<300).contains(status): return TransactionEffects.none.delivering()
        case .accepted, .completed, .confirmed, .terminated: return .none
        }
    }

    /// Timer G: the final response again.
    mutating func retransmissionTimerFired() -> TransactionEffects {
        switch state {
        case .completed:
            interval = timers.doubled(interval)
            var effects = TransactionEffects()
            effects.resend = true
            effects.retransmission = .arm(interval)
            return effects
        case .proceeding, .accepted, .confirmed, .terminated: return .none
        }
    }

    /// Timer H (no ACK), I or L.
    mutating func lifetimeTimerFired() -> TransactionEffects {
        switch state {
        case .completed:
            state = .terminated
            var effects = TransactionEffects.terminated
            effects.timedOut = true
            return effects
        case .accepted, .confirmed:
            state = .terminated
            return .terminated
        case .proceeding, .terminated: return .none
        }
    }
}
