import SIP

/// The keep-alives of one flow: a ping at its time, and a pong within ten seconds (RFC 5626 section 4.4.1).
///
/// An answer from the server is as good as a pong, so a flow that is in use is not pinged.
struct KeepAlive {
    private enum State: Hashable {
        /// The flow is not kept alive.
        case off
        /// Nothing is due before this.
        case quiet(until: Instant)
        /// A ping is out.
        case waiting(since: Instant, until: Instant)
    }

    /// What is to be done now.
    enum Action: Equatable {
        case none
        case ping
        /// The flow is dead.
        case fail
    }

    private var state = State.off
    private var shortest = Interval.zero
    private var longest = Interval.zero

    /// When the machine wants to be asked again.
    var deadline: Instant? {
        switch state {
        case .off: nil
        case .quiet(let until), .waiting(_, let until): until
        }
    }

    /// Between which two a ping is sent; nil where the flow is not kept alive.
    var interval: ClosedRange<Interval>? { state == .off ? nil : shortest...longest }

    /// Whether a pong is owed.
    var isWaiting: Bool {
        if case .waiting = state { return true }
        return false
    }

    /// The flow is registered: it is pinged at random within these bounds from now on.
    mutating func begin(_ interval: ClosedRange<Interval>, fraction: Double, now: Instant) {
        shortest = interval.lowerBound
        longest = interval.upperBound
        rest(fraction: fraction, now: now)
    }

    /// The flow is gone.
    mutating func end() { state = .off }

    /// A ping is sent, due or early: early ones are always fine.
    mutating func ping(pongWithin: Interval, now: Instant) -> Action {
        switch state {
        case .off, .waiting: return .none
        case .quiet:
            state = .waiting(since: now, until: now + pongWithin)
            return .ping
        }
    }

    /// Bytes came.
    ///
    /// - Returns: how long the pong took, where it was one.
    mutating func heard(fraction: Double, now: Instant) -> Interval? {
        switch state {
        case .off: return nil
        case .quiet:
            rest(fraction: fraction, now: now)
            return nil
        case .waiting(let since, _):
            rest(fraction: fraction, now: now)
            return now - since
        }
    }

    /// Time has gone by.
    mutating func timerFired(pongWithin: Interval, now: Instant) -> Action {
        switch state {
        case .off: return .none
        case .quiet(let until): return until <= now ? ping(pongWithin: pongWithin, now: now) : .none
        case .waiting(_, let until):
            guard until <= now else { return .none }
            state = .off
            return .fail
        }
    }

    private mutating func rest(fraction: Double, now: Instant) {
        let span = Double(longest.milliseconds - shortest.milliseconds)
        state = .quiet(until: now + Interval(milliseconds: shortest.milliseconds + Int64(span * fraction)))
    }
}

extension ClosedRange<Interval> {
    /// Between which two a client pings that was given this Flow-Timer: 80 to 100 % of it (RFC 5626 section 4.4.1).
    static func flowTimer(_ seconds: UInt32) -> ClosedRange<Interval> {
        let whole = Interval.seconds(Int64(seconds)).milliseconds
        return Interval(milliseconds: whole / 5 * 4)...Interval(milliseconds: Swift.max(whole, 1))
    }
}
