import Synchronization

/// The least level of a subsystem that is written; shared by all copies of its logger, so that it can change at once.
public final class LogThreshold: Sendable {
    private let value: Atomic<UInt8>

    /// Begins with a level.
    public init(_ level: LogLevel) {
        value = Atomic(level.rawValue)
    }

    /// The level in force.
    public var level: LogLevel {
        get { LogLevel(rawValue: value.load(ordering: .relaxed)) ?? .info }
        set { value.store(newValue.rawValue, ordering: .relaxed) }
    }
}
