public import SIP

/// The bargain of old between an app and the system that suspends it: a handler that the system calls at an interval of
/// its own choosing, no less than ten minutes, possibly early, and that then has ten seconds.
struct KeepAliveHandler {
    /// The shortest interval a system grants.
    static let shortest = Interval.seconds(600)
    /// How long the handler may run.
    static let budget = Interval.seconds(10)

    /// How often the system calls; nil where no handler is set.
    private(set) var interval: Interval?
    /// When the handler that runs has to be over; nil where none runs.
    private(set) var deadline: Instant?

    mutating func set(_ interval: Interval?) throws(KeepAliveHandlerError) {
        if let interval, interval < Self.shortest { throw .intervalTooShort(asked: interval, shortest: Self.shortest) }
        self.interval = interval
    }

    /// The system calls.
    ///
    /// - Returns: until when what is due counts as due now, so that the radio wakes once for all of it.
    mutating func called(now: Instant) -> Instant {
        deadline = now + Self.budget
        return now + (interval ?? Self.shortest) + Self.budget
    }

    mutating func finish() { deadline = nil }
}

/// Why a keep-alive handler can't be set.
public enum KeepAliveHandlerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The system calls no handler so often.
    case intervalTooShort(asked: Interval, shortest: Interval)

    /// What is wrong, and the mend.
    public var description: String {
        switch self {
        case .intervalTooShort(let asked, let shortest):
            "a keep-alive handler can't be called every \(asked.seconds) s: ask for \(shortest.seconds) s or more"
        }
    }
}
