/// The time at which an event happened: both clocks, read once for all events of a turn.
public struct Now: Hashable, Sendable {
    /// For intervals and timers.
    public var monotonic: Instant
    /// For what outlives the process: milliseconds since 1970-01-01 00:00 UTC.
    public var wall: Int64

    /// Makes the time of an event.
    ///
    /// - Parameters:
    ///   - monotonic: the monotonic clock.
    ///   - wall: milliseconds since 1970-01-01 00:00 UTC.
    public init(monotonic: Instant, wall: Int64) {
        self.monotonic = monotonic
        self.wall = wall
    }
}
