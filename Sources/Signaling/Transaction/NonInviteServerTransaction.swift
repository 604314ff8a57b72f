import SIP

/// The server side of any request but INVITE and ACK (RFC 3261 section 17.2.2, RFC 4320).
///
///     Trying --1xx--> Proceeding --final--> Completed --J--> Terminated
///
/// On a reliable transport J is zero: the transaction ends with its final response.
public struct NonInviteServerTransaction: Sendable {
    enum State: Sendable, CaseIterable {
        /// No response yet; retransmissions are dropped.
        case trying
        /// A 100 has left; retransmissions get it again.
        case proceeding
        /// The final response has left; retransmissions get it again.
        case completed
        case terminated
    }

    private(set) var state = State.trying
    private let timers: TransactionTimers
    private let isReliable: Bool

    init(_ timers: TransactionTimers, isReliable: Bool) {
        self.timers = timers
        self.isReliable = isReliable
    }

    /// The same request came again.
    func receiveRetransmission() -> TransactionEffects {
        var effects = TransactionEffects()
        switch state {
        case .proceeding, .completed: effects.resend = true
        case .trying, .terminated: break
        }
        return effects
    }

    /// The user sends a response; `deliver` tells whether it may leave.
    ///
    /// A provisional response other than 100 may not (RFC 4320 section 4.1), nor a 408 (section 4.2).
    mutating func send(status: UInt16) -> TransactionEffects {
        switch state {
        case .trying where status < 200, .proceeding where status < 200:
            guard status == 100 else { return .none }
            state = .proceeding
            return TransactionEffects.none.delivering()
        case .trying, .proceeding:
            if isReliable || status == 408 {
                state = .terminated
                var effects = TransactionEffects.terminated
                effects.deliver = status != 408
                return effects
            }
            state = .completed
            var effects = TransactionEffects.none.delivering()
            effects.lifetime = .arm(timers.timeout)
            return effects
        case .completed, .terminated: return .none
        }
    }

    /// Timer J.
    mutating func lifetimeTimerFired() -> TransactionEffects {
        switch state {
        case .completed:
            state = .terminated
            return .terminated
        case .trying, .proceeding, .terminated: return .none
        }
    }
}
