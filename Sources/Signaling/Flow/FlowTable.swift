import SIP

/// What the rules know of each open flow, found by its slot.
struct FlowTable {
    /// A flow that is open; the fields are in an order that leaves no gaps.
    struct Flow {
        let id: FlowID
        let info: FlowInfo
        /// Whether it was given a Flow-Timer.
        var hasFlowTimer = false
        /// Requests that were too many since it was quiet.
        var excess: UInt16 = 0
        /// The addresses-of-record with a binding over this flow.
        var addresses = FlowAddresses()
        /// Head of the list of client transactions that wait for a response from here.
        var firstClient = TransactionTable.ClientID.none
        /// Head of the list of server transactions that owe a response to here.
        var firstServer = TransactionTable.ServerID.none
        /// The flow of the same device whose place this one took; none where its identity is `vacant`.
        var predecessor = Flow.vacant
        /// How many requests came lately.
        var requests = RateBucket()

        /// The identity that no flow has: serial numbers begin at 1.
        static var vacant: FlowID { FlowID(rawValue: 0) }

        fileprivate mutating func admits(_ limit: RateLimit, at now: Instant) -> Bool {
            limit.admits(&requests, at: now)
        }
    }

    /// By slot; a record whose identity is `vacant` is of no flow.
    private var slots: [Flow] = []
    /// Number of open flows.
    private(set) var count = 0

    mutating func open(_ id: FlowID, _ info: FlowInfo) {
        while slots.count <= id.slot { slots.append(Flow(id: Flow.vacant, info: info)) }
        if slots[id.slot].id == Flow.vacant { count += 1 }
        slots[id.slot] = Flow(id: id, info: info)
    }

    @discardableResult
    mutating func close(_ id: FlowID) -> Flow? {
        guard let flow = self[id] else { return nil }
        slots[id.slot] = Flow(id: Flow.vacant, info: flow.info)
        count -= 1
        return flow
    }

    @inline(__always)
    func isOpen(_ id: FlowID) -> Bool {
        id.slot < slots.count && slots[id.slot].id == id && id != Flow.vacant
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
        guard isOpen(id), !slots[id.slot].info.isTrusted else { return nil }
        if slots[id.slot].requests.isIdle(at: now) { slots[id.slot].excess = 0 }
        guard !slots[id.slot].admits(limit, at: now) else { return nil }
        let excess = slots[id.slot].excess
        slots[id.slot].excess = excess == .max ? excess : excess + 1
        return excess
    }

    /// Changes a record in place; does nothing for a closed flow.
    @inline(__always)
    mutating func update(_ id: FlowID, _ change: (inout Flow) -> Void) {
        guard isOpen(id) else { return }
        change(&slots[id.slot])
    }
}
