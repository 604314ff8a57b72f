import SIP

/// Which flow took the place of which: a phone that comes back on a new connection is the same phone.
///
/// Requests and responses owed to the old flow go down the new one. Bounded: the oldest memories go first.
struct FlowSuccession {
    /// A device's way: address-of-record, instance and reg-id.
    struct Way: Hashable {
        var address: AddressOfRecord
        var instance: ByteString
        var regID: UInt32
    }

    private var successors: [FlowID: FlowID] = [:]
    private var retired: [Way: FlowID] = [:]
    private var successorAges = BoundedAges<FlowID>(capacity: 1 << 16)
    private var retiredAges = BoundedAges<Way>(capacity: 1 << 16)

    /// The flow of a registered device is gone.
    mutating func retire(_ flow: FlowID, of way: Way) {
        if retired.updateValue(flow, forKey: way) == nil, let oldest = retiredAges.append(way) {
            retired[oldest] = nil
        }
    }

    /// A device registered over a flow.
    ///
    /// - Returns: the flow it had before, where that is gone already.
    @discardableResult
    mutating func arrive(_ flow: FlowID, of way: @autoclosure () -> Way) -> FlowID? {
        guard !retired.isEmpty, let old = retired[way()], old != flow else { return nil }
        succeed(old, by: flow)
        return old
    }

    /// A flow took the place of another.
    mutating func succeed(_ old: FlowID, by new: FlowID) {
        guard old != new else { return }
        if successors.updateValue(new, forKey: old) == nil, let oldest = successorAges.append(old) {
            successors[oldest] = nil
        }
    }

    /// The flow that stands for this one now: itself, or the last that took its place.
    func current(_ flow: FlowID) -> FlowID {
        var at = flow
        // A chain as long as this is a phone that reconnected that often within one call.
        for _ in 0..<64 {
            guard let next = successors[at], next != flow else { break }
            at = next
        }
        return at
    }
}

/// Remembers the order in which so many keys came.
private struct BoundedAges<Key> {
    private var ring: [Key] = []
    private var next = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// Adds a key, and gives back the one that is too old now.
    mutating func append(_ key: Key) -> Key? {
        guard ring.count == capacity else {
            ring.append(key)
            return nil
        }
        let oldest = ring[next]
        ring[next] = key
        next = (next + 1) % capacity
        return oldest
    }
}
