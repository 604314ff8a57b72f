import SIP

/// What the rules know of each open flow, found by its slot.
struct FlowTable {
    /// A flow that is open.
    struct Flow {
        let id: FlowID
        let info: FlowInfo
        /// The addresses-of-record with a binding over this flow: one for a phone, many for an edge proxy.
        var addresses: [AddressOfRecord] = []
        /// Whether it was given a Flow-Timer.
        var hasFlowTimer = false
        /// Head of the list of client transactions that wait for a response from here.
        var firstClient = TransactionTable.ClientID(slot: 0, generation: 0)
        /// Head of the list of server transactions that owe a response to here.
        var firstServer = TransactionTable.ServerID(slot: 0, generation: 0)
        /// The flow of the same device whose place this one took.
        var predecessor: FlowID?
        /// How many requests came lately.
        var requests = RateBucket()
        /// Requests that were too many since it was quiet.
        var excess: UInt16 = 0

        fileprivate mutating func admits(_ limit: RateLimit, at now: Instant) -> Bool {
            limit.admits(&requests, at: now)
        }
    }

    private var slots: [Flow?] = []
    /// Number of open flows.
    private(set) var count = 0

    mutating func open(_ id: FlowID, _ info: FlowInfo) {
        while slots.count <= id.slot { slots.append(nil) }
        if slots[id.slot] == nil { count += 1 }
        slots[id.slot] = Flow(id: id, info: info)
    }

    @discardableResult
    mutating func close(_ id: FlowID) -> Flow? {
        guard let flow = self[id] else { return nil }
        slots[id.slot] = nil
        count -= 1
        return flow
    }

    @inline(__always)
    func isOpen(_ id: FlowID) -> Bool {
        id.slot < slots.count && slots[id.slot]?.id == id
    }

    /// The record; nil for a closed flow.
    subscript(id: FlowID) -> Flow? {
        @inline(__always) get { isOpen(id) ? slots[id.slot] : nil }
    }

    /// Counts a request.
    ///
    /// - Returns: nil where it is within the limit, else how many were too many since the flow was quiet.
    @inline(__always)
    mutating func countRequest(on id: FlowID, _ limit: RateLimit, at now: Instant) -> UInt16? {
        guard isOpen(id), slots[id.slot]?.info.isTrusted == false else { return nil }
        if slots[id.slot]?.requests.isIdle(at: now) == true { slots[id.slot]?.excess = 0 }
        guard slots[id.slot]?.admits(limit, at: now) == false else { return nil }
        let excess = slots[id.slot]?.excess ?? 0
        slots[id.slot]?.excess = excess == .max ? excess : excess + 1
        return excess
    }

    /// Changes a record in place; does nothing for a closed flow.
    @inline(__always)
    mutating func update(_ id: FlowID, _ change: (inout Flow) -> Void) {
        guard isOpen(id) else { return }
        // Taken out and put back: moved, not copied.
        guard var taken = slots[id.slot].take() else { return }
        change(&taken)
        slots[id.slot] = taken
    }
}
