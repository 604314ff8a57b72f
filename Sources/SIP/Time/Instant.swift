/// A point on the monotonic clock, in whole milliseconds since an arbitrary start.
///
/// The pure targets never read a clock: every event brings its `Now`.
public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
    /// Milliseconds since the clock's start.
    public var milliseconds: Int64

    /// Makes an instant from milliseconds since the clock's start.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Later than every other instant: "never".
    public static let distantFuture = Instant(milliseconds: .max)

    /// Orders by time.
    public static func < (left: Instant, right: Instant) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The instant `interval` later, or `distantFuture` where that is past the end of time.
    public static func + (left: Instant, right: Interval) -> Instant {
        let (sum, overflow) = left.milliseconds.addingReportingOverflow(right.milliseconds)
        return overflow ? .distantFuture : Instant(milliseconds: sum)
    }

    /// The time from `right` to `left`; negative when `left` is earlier.
    public static func - (left: Instant, right: Instant) -> Interval {
        let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
        return Interval(milliseconds: overflow ? .max : difference)
    }
}

/// A length of time in whole milliseconds.
///
/// `Swift.Duration` is 128 bits wide and slower to compare; timers are many, and need no more than this.
public struct Interval: Hashable, Comparable, Sendable {
    /// The length in milliseconds.
    public var milliseconds: Int64

    /// Makes an interval of so many milliseconds.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// An interval of so many milliseconds.
    public static func milliseconds(_ count: Int64) -> Interval { Interval(milliseconds: count) }

    /// An interval of so many seconds, the longest there is where that does not fit.
    public static func seconds(_ count: Int64) -> Interval {
        let (product, overflow) = count.multipliedReportingOverflow(by: 1000)
        return Interval(milliseconds: overflow ? (count < 0 ? .min : .max) : product)
    }

    /// No time at all.
    public static let zero = Interval(milliseconds: 0)

    /// The length in whole seconds, rounded towards zero.
    public var seconds: Int64 { milliseconds / 1000 }

    /// Orders by length.
    public static func < (left: Interval, right: Interval) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
