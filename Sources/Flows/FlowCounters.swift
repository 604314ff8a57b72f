public import SIP

/// What a carrier has carried since it was made.
public struct FlowCounters: Hashable, Sendable {
    /// Connections accepted.
    public internal(set) var accepted: UInt64 = 0
    /// Connections that we opened.
    public internal(set) var connected: UInt64 = 0
    /// Connections that we tried to open in vain.
    public internal(set) var connectFailures: UInt64 = 0
    /// Connections turned away for want of descriptors.
    public internal(set) var turnedAway: UInt64 = 0
    /// Pauses of accepting for want of descriptors.
    public internal(set) var acceptPauses: UInt64 = 0
    /// Connections closed at once, since their source had too many or opened them too fast.
    public internal(set) var overSourceLimit: UInt64 = 0
    /// Bytes read.
    public internal(set) var bytesIn: UInt64 = 0
    /// Bytes the kernel has taken.
    public internal(set) var bytesOut: UInt64 = 0
    /// Whole messages read.
    public internal(set) var messagesIn: UInt64 = 0
    /// Messages given to flows that were open.
    public internal(set) var messagesOut: UInt64 = 0
    /// Pings answered.
    public internal(set) var pings: UInt64 = 0
    /// Streams that could not be framed.
    public internal(set) var refused: UInt64 = 0
    /// Times that a write queue went over its mark.
    public internal(set) var congestions: UInt64 = 0
    private var closures = [UInt64](repeating: 0, count: CloseReason.allCases.count)

    /// All zero.
    public init() {}

    /// Flows closed for a reason.
    public func closed(_ reason: CloseReason) -> UInt64 {
        let index = Int(reason.rawValue)
        return closures.indices.contains(index) ? closures[index] : 0
    }

    mutating func countClosed(_ reason: CloseReason) {
        let index = Int(reason.rawValue)
        if closures.indices.contains(index) { closures[index] &+= 1 }
    }
}
