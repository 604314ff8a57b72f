/// What the rules owe the carriers: bytes to send and orders about flows, in order.
///
/// All bytes lie in one arena that is emptied each turn, so a message is written once, where it is sent from.
public final class Outbox {
    /// One order; ranges are of `arena`.
    public enum Entry: Equatable, Sendable {
        /// Send these bytes of the arena.
        case send(FlowID, Range<Int>)
        /// The flow belongs to this device now.
        case tag(FlowID, FlowTag)
        /// The flow has authenticated. Close it when it is silent for longer than this; `nil` holds it until told otherwise.
        case keepAlive(FlowID, Interval?)
        /// Close it once what is queued is written.
        case close(FlowID, CloseReason)
        /// Open a flow; answered by `connected` or `connectFailed` with the same ticket.
        case connect(ticket: UInt64, FlowTarget)
        /// Report the next bytes that come on the flow, be they a pong only, by `stirred`.
        case watch(FlowID)
    }

    /// The bytes of all `send` entries.
    public private(set) var arena: [UInt8] = []
    /// The orders of this turn.
    public private(set) var entries: [Entry] = []

    /// An empty outbox.
    public init() {
        arena.reserveCapacity(1 << 16)
        entries.reserveCapacity(256)
    }

    /// Whether nothing is owed.
    public var isEmpty: Bool { entries.isEmpty }

    /// Sends what `write` appends to the arena.
    ///
    /// - Parameters:
    ///   - flow: where to.
    ///   - write: appends the bytes; it must not touch what is there already.
    /// - Returns: where in the arena they are.
    @discardableResult
    public func send(_ flow: FlowID, _ write: (inout [UInt8]) -> Void) -> Range<Int> {
        let start = arena.count
        write(&arena)
        let written = start..<arena.count
        if !written.isEmpty { entries.append(.send(flow, written)) }
        return written
    }

    /// Adds an order about a flow.
    public func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// Forgets all, and keeps the memory up to a bound.
    public func removeAll() {
        guard !entries.isEmpty || !arena.isEmpty else { return }
        entries.removeAll(keepingCapacity: entries.capacity <= 1 << 14)
        arena.removeAll(keepingCapacity: arena.capacity <= 1 << 22)
    }
}
