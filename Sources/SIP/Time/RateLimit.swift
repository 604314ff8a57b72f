/// How often something may happen: so many times a second, and a burst beyond that.
///
/// The virtual scheduling form of the generic cell rate algorithm (ITU-T I.371): what is kept for one source of events is
/// one number, a `RateBucket`.
public struct RateLimit: Hashable, Sendable {
    /// Microseconds that one event costs; 0 where there is no limit.
    private let cost: Int64
    /// How far ahead of the clock a bucket may get.
    private let tolerance: Int64

    /// Sets a limit.
    ///
    /// - Parameters:
    ///   - rate: events a second; 0 for no limit.
    ///   - burst: events at once, after a pause.
    public init(perSecond rate: Int, burst: Int) {
        let rate = Int64(clamping: max(0, min(rate, 1_000_000)))
        cost = rate == 0 ? 0 : 1_000_000 / rate
        tolerance = cost * Int64(clamping: max(0, min(burst, 1_000_000) - 1))
    }

    /// No limit.
    public static let none = RateLimit(perSecond: 0, burst: 0)

    /// Counts an event.
    ///
    /// - Returns: whether it is within the limit; one that is not counts for nothing.
    @inline(__always)
    public func admits(_ bucket: inout RateBucket, at now: Instant) -> Bool {
        let time = now.microseconds
        let earliest = max(bucket.time, time)
        guard earliest - time <= tolerance else { return false }
        bucket.time = earliest + cost
        return true
    }

    /// How long a full bucket takes to be as if nothing had happened, in milliseconds.
    public var memory: Int64 { (tolerance + cost) / 1000 + 1 }
}

/// What a `RateLimit` has to remember of one source of events.
public struct RateBucket: Hashable, Sendable, BitwiseCopyable {
    /// When, in microseconds, all that was counted is paid for.
    fileprivate var time: Int64 = .min

    /// An untouched one.
    public init() {}

    /// Whether it is as good as untouched.
    @inline(__always)
    public func isIdle(at now: Instant) -> Bool { time <= now.microseconds }
}

extension Instant {
    /// Microseconds, short of overflowing.
    @inline(__always)
    fileprivate var microseconds: Int64 { milliseconds &* 1000 }
}
