public import SIP

/// How phones behave, the same for all that share a `PhoneHost`.
///
/// The defaults are those of the RFCs, and of a phone on a battery.
public struct PhonePolicy: Sendable {
    /// The `User-Agent` that is sent.
    public var userAgent: ByteString = "Wakeline phone"
    /// How long a registration is asked for.
    public var expires = Interval.seconds(3600)
    /// Between which two a ping is sent where the server names no Flow-Timer.
    ///
    /// RFC 5626 section 4.4.1 has 95 to 120 s as a rule, and 672 to 840 s for devices on batteries.
    public var pingInterval: ClosedRange<Interval> = .seconds(672) ... .seconds(840)
    /// How long a pong may take (RFC 5626 section 4.4.1).
    public var pongWithin = Interval.seconds(10)
    /// How long to wait before a flow that failed is opened again.
    public var backoff = Backoff()
    /// How long opening a flow may take.
    public var connectWithin = Interval.seconds(20)
    /// T1, the estimate of a round trip (RFC 3261 section 17.1.1.1).
    public var t1 = Interval.milliseconds(500)
    /// T2, the longest time between two retransmissions of a 2xx.
    public var t2 = Interval.seconds(4)
    /// When a call that nothing came back of is tried by the other line too, where there is one.
    public var signOfLifeWithin = Interval.seconds(2)
    /// How long a call that rings waits for a new flow when its own is lost: servers wait no longer either.
    public var reconnectWithin = Interval.seconds(8)
    /// How long a phone rings before it gives up.
    public var ringFor = Interval.seconds(120)
    /// How long a caller lets it ring.
    public var callFor = Interval.seconds(180)
    /// How long a call that a push told of may take to arrive once the phone is registered.
    public var awaitPushedCall = Interval.seconds(10)
    /// Calls at once; one more is answered 486.
    public var maxCalls = 2
    /// Whether ringing is told reliably to callers that can do it (RFC 3262).
    public var ringsReliably = false
    /// Bounds on messages.
    public var limits = Limits()

    /// The defaults.
    public init() {}

    /// 64 times T1: how long a transaction may take (RFC 3261, Timers B, F and H).
    var transactionTime: Interval { Interval(milliseconds: t1.milliseconds * 64) }
}

/// How long to wait before a flow that failed is opened again (RFC 5626 section 4.5).
public struct Backoff: Hashable, Sendable {
    /// The base where all flows have failed.
    public var baseAlone = Interval.seconds(30)
    /// The base where another flow holds.
    public var baseBeside = Interval.seconds(90)
    /// The longest wait.
    public var most = Interval.seconds(1800)

    /// The RFC's defaults.
    public init() {}

    /// The wait after so many failures in a row.
    ///
    /// - Parameters:
    ///   - failures: failures in a row for this proxy: 0 where a flow that had proved good is lost.
    ///   - isAlone: whether all flows have failed.
    ///   - fraction: a random number from 0 up to 1; it chooses between half and all of the wait.
    /// - Returns: how long to wait.
    public func wait(failures: Int, isAlone: Bool, fraction: Double) -> Interval {
        let base = (isAlone ? baseAlone : baseBeside).milliseconds
        // 2^20 times the base is past any bound, and can't overflow.
        let (product, overflow) = base.multipliedReportingOverflow(by: 1 << Int64(min(max(failures, 0), 20)))
        let upper = min(overflow ? .max : product, most.milliseconds)
        return Interval(milliseconds: upper / 2 + Int64(Double(upper - upper / 2) * fraction))
    }
}
