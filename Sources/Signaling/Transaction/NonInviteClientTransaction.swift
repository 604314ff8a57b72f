import SIP

/// The client side of any request but INVITE and ACK (RFC 3261 section 17.1.2).
///
///     Trying --1xx--> Proceeding --final--> Completed --K--> Terminated
///        '-----------------'--F--> Terminated
///
/// On a reliable transport K is zero: the transaction ends with its final response.
public struct NonInviteClientTransaction: Sendable {
    enum State: Sendable, CaseIterable {
        /// The request has left and nothing has come back.
        case trying
        /// A provisional response has come.
        case proceeding
        /// The final response has come; its retransmissions are absorbed.
        case completed
        case terminated
    }

    private(set) var state = State.trying
    private let timers: TransactionTimers
    private let isReliable: Bool
    private var interval: Interval

    init(_ timers: TransactionTimers, isReliable: Bool) {
        self.timers = timers
        self.isReliable = isReliable
        interval = timers.t1
    }

    /// The request leaves.
    func start() -> TransactionEffects {
        var effects = TransactionEffects()
        effects.lifetime = .arm(timers.timeout)
        if !isReliable { effects.retransmission = .arm(timers.t1) }
        return effects
    }

    /// A response came.
    mutating func receive(status: UInt16) -> TransactionEffects {
        switch state {
        case .trying where status < 200, .proceeding where status < 200:
            state = .proceeding
            return TransactionEffects.none.delivering()
        case .trying, .proceeding:
            var effects = TransactionEffects.none.delivering()
            effects.retransmission = .cancel
            if isReliable {
                state = .terminated
                effects.lifetime = .cancel
                effects.isTerminated = true
            } else {
                state = .completed
                effects.lifetime = .arm(timers.t4)
            }
            return effects
        case .completed, .terminated: return .none
        }
    }

    /// Timer E: the request again; after a provisional response every T2.
    mutating func retransmissionTimerFired() -> TransactionEffects {
        var effects = TransactionEffects()
        switch state {
        case .trying: interval = timers.doubled(interval)
        case .proceeding: interval = timers.t2
        case .completed, .terminated: return .none
        }
        effects.resend = true
        effects.retransmission = .arm(interval)
        return effects
    }

    /// Timer F (no final response) or K.
    mutating func lifetimeTimerFired() -> TransactionEffects {
        switch state {
        case .trying, .proceeding:
            state = .terminated
            var effects = TransactionEffects.terminated
            effects.timedOut = true
            return effects
        case .completed:
            state = .terminated
            return .terminated
        case .terminated: return .none
        }
    }
}
