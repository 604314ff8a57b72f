import SIP

/// The client side of an INVITE (RFC 3261 section 17.1.1 with RFC 6026 section 7.2).
///
///     Calling --1xx--> Proceeding --2xx--> Accepted --M--> Terminated
///        |                  '--300-699--> Completed --D--> Terminated
///        '--B: nothing came--> Terminated
///
/// Accepted lets every 2xx pass: a proxy forwards them all.
public struct InviteClientTransaction: Sendable {
    enum State: Sendable, CaseIterable {
        /// The INVITE has left and nothing has come back.
        case calling
        /// A provisional response has come.
        case proceeding
        /// A 2xx has come; more may follow.
        case accepted
        /// Another final response has come; each repetition gets its ACK again.
        case completed
        case terminated
    }

    private(set) var state = State.calling
    private let timers: TransactionTimers
    private let isReliable: Bool
    private var interval: Interval

    init(_ timers: TransactionTimers, isReliable: Bool) {
        self.timers = timers
        self.isReliable = isReliable
        interval = timers.t1
    }

    /// The INVITE leaves.
    func start() -> TransactionEffects {
        var effects = TransactionEffects()
        effects.lifetime = .arm(timers.timeout)
        if !isReliable { effects.retransmission = .arm(timers.t1) }
        return effects
    }

    /// A response came.
    mutating func receive(status: UInt16) -> TransactionEffects {
        switch state {
        case .calling where status < 200:
            state = .proceeding
            var effects = TransactionEffects.none.delivering()
            effects.retransmission = .cancel
            effects.lifetime = .cancel
            return effects
        case .proceeding where status < 200: return TransactionEffects.none.delivering()
        case .calling where status < 300, .proceeding where status < 300:
            state = .accepted
            var effects = TransactionEffects.none.delivering()
            effects.retransmission = .cancel
            effects.lifetime = .arm(timers.timeout)
            return effects
        case .calling, .proceeding:
            var effects = TransactionEffects.none.delivering()
            effects.acknowledge = true
            effects.retransmission = .cancel
            if isReliable {
                state = .terminated
                effects.lifetime = .cancel
                effects.isTerminated = true
            } else {
                state = .completed
                // Timer D: at least 32 s on unreliable transports.
                effects.lifetime = .arm(max(.seconds(32), timers.timeout))
            }
            return effects
        case .accepted where (200..<300).contains(status): return TransactionEffects.none.delivering()
        case .completed where status >= 300:
            var effects = TransactionEffects()
            effects.acknowledge = true
            return effects
        case .accepted, .completed, .terminated: return .none
        }
    }

    /// Timer A: the INVITE again, twice as late each time.
    mutating func retransmissionTimerFired() -> TransactionEffects {
        switch state {
        case .calling:
            interval = Interval(milliseconds: interval.milliseconds &* 2)
            var effects = TransactionEffects()
            effects.resend = true
            effects.retransmission = .arm(interval)
            return effects
        case .proceeding, .accepted, .completed, .terminated: return .none
        }
    }

    /// A CANCEL has left: a phone that never answers the INVITE after it is given up (RFC 3261 section 9.1).
    mutating func cancelled() -> TransactionEffects {
        switch state {
        case .proceeding:
            var effects = TransactionEffects()
            effects.lifetime = .arm(timers.timeout)
            return effects
        case .calling, .accepted, .completed, .terminated: return .none
        }
    }

    /// Timer B (nothing came), D, M, or the end of the wait after a CANCEL.
    mutating func lifetimeTimerFired() -> TransactionEffects {
        switch state {
        case .calling, .proceeding:
            state = .terminated
            var effects = TransactionEffects.terminated
            effects.timedOut = true
            return effects
        case .accepted, .completed:
            state = .terminated
            return .terminated
        case .terminated: return .none
        }
    }
}
