import SIP

/// One line's way to being registered, and to staying so (RFC 3261 section 10.2, RFC 5626 sections 4.2 and 4.5).
///
/// ```
///  idle ──begin──► connecting ──opened──► registering ──accepted──► registered ─┐
///   ▲                  │ failed                │ rejected, lost        │  ▲     │ due
///   │                  ▼                       ▼                  lost │  └─────┘
///   └── leave ──── waiting ◄───────────────────┴───────────────────────┘
///                     │ refused for good
///                     ▼
///                  refused ──begin──► connecting
/// ```
struct Registration {
    enum Phase: Hashable {
        /// Nothing is wanted.
        case idle
        /// A flow is being opened.
        case connecting
        /// The first REGISTER of this flow is out.
        case registering
        /// There is a binding.
        case registered
        /// There is a binding, and a REGISTER that renews it is out.
        case refreshing
        /// The flow failed; the next attempt has its time.
        case waiting
        /// The server will not have us, and asking again would not help.
        case refused
        /// The REGISTER that ends the binding is out.
        case leaving
    }

    /// What is to be done now.
    enum Action: Equatable {
        case none
        case connect
        case register
        case unregister
        case close
    }

    private(set) var phase = Phase.idle
    /// When the phase ends by itself; nil where it does not.
    private(set) var deadline: Instant?
    /// When the binding ends.
    private(set) var expiresAt: Instant?
    /// Flows of this line that failed in a row.
    private(set) var failures = 0
    /// Whether the flow at hand was good for a registration, and for a pong where it is kept alive.
    private var isProved = false
    /// Seconds that were granted last.
    private(set) var granted: UInt32 = 0

    /// Whether requests can go down the flow of this line.
    var isUsable: Bool { phase == .registered || phase == .refreshing }
    /// Whether a flow is open or being opened.
    var hasFlow: Bool {
        switch phase {
        case .connecting, .registering, .registered, .refreshing, .leaving: true
        case .idle, .waiting, .refused: false
        }
    }

    /// A registration is wanted, or wanted anew, now: at the start, after a push, on a new network.
    mutating func begin(connectBy: Instant) -> Action {
        switch phase {
        case .idle, .waiting, .refused:
            phase = .connecting
            deadline = connectBy
            isProved = false
            return .connect
        case .registered:
            phase = .refreshing
            deadline = nil
            return .register
        case .connecting, .registering, .refreshing, .leaving: return .none
        }
    }

    /// The flow is open.
    mutating func opened() -> Action {
        guard phase == .connecting else { return .close }
        phase = .registering
        deadline = nil
        return .register
    }

    /// The server granted a binding.
    ///
    /// - Parameters:
    ///   - seconds: for so long.
    ///   - fraction: random, from 0 up to 1: it is renewed after 80 to 90 % of the time, so that phones that began together
    ///     do not stay together.
    ///   - now: the time.
    mutating func accepted(seconds: UInt32, fraction: Double, now: Instant) {
        switch phase {
        case .registering, .refreshing:
            phase = .registered
            granted = seconds
            let time = Interval.seconds(Int64(seconds)).milliseconds
            expiresAt = now + Interval(milliseconds: time)
            deadline = now + Interval(milliseconds: Int64(Double(time) * (0.8 + 0.1 * fraction)))
        case .leaving:
            phase = .idle
            deadline = nil
            expiresAt = nil
        case .idle, .connecting, .registered, .waiting, .refused: break
        }
    }

    /// The flow proved good: losing it counts for nothing (RFC 5626 section 4.5).
    mutating func proved() {
        isProved = true
        failures = 0
    }

    /// Counts a failure, if it is one.
    mutating func countFailure() {
        if !isProved { failures += 1 }
    }

    /// The flow is gone, or no use: the next attempt is at `retry`.
    ///
    /// - Parameter retry: nil where there is no network to try it on.
    mutating func failed(retry: Instant?) {
        switch phase {
        case .idle, .refused: break
        case .leaving:
            phase = .idle
            deadline = nil
        case .connecting, .registering, .registered, .refreshing, .waiting:
            phase = .waiting
            deadline = retry
        }
    }

    /// The server refused for good.
    mutating func refused() {
        phase = phase == .leaving ? .idle : .refused
        deadline = nil
        expiresAt = nil
    }

    /// No registration is wanted any more.
    mutating func leave() -> Action {
        switch phase {
        case .registered, .refreshing:
            phase = .leaving
            deadline = nil
            return .unregister
        case .connecting, .registering:
            phase = .idle
            deadline = nil
            return .close
        case .idle, .waiting, .refused:
            phase = .idle
            deadline = nil
            return .none
        case .leaving: return .none
        }
    }

    /// The deadline has come.
    mutating func timerFired(connectBy: Instant) -> Action {
        switch phase {
        case .waiting: return begin(connectBy: connectBy)
        case .registered: return begin(connectBy: connectBy)
        // Opening a flow took too long.
        case .connecting: return .close
        case .idle, .registering, .refreshing, .refused, .leaving: return .none
        }
    }
}
