/// What is to happen in a world, in order of time, and for one time in the order in which it was arranged.
struct EventQueue {
    /// One arrangement.
    struct Entry {
        /// Milliseconds since the world began.
        var time: Int64
        var order: UInt64
        var event: Event
    }

    private var heap: [Entry] = []
    private var arranged: UInt64 = 0

    var count: Int { heap.count }

    /// When the next event is.
    var next: Int64? { heap.first?.time }

    mutating func arrange(_ event: Event, at time: Int64) {
        let entry = Entry(time: time, order: arranged, event: event)
        arranged += 1
        heap.append(entry)
        var at = heap.count - 1
        while at > 0 {
            let parent = (at - 1) >> 2
            guard Self.isBefore(entry, heap[parent]) else { break }
            heap[at] = heap[parent]
            at = parent
        }
        heap[at] = entry
    }

    mutating func take() -> Entry? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        let count = heap.count
        var at = 0
        while true {
            let child = at << 2 + 1
            guard child < count else { break }
            var least = child
            var other = child + 1
            while other < min(child + 4, count) {
                if Self.isBefore(heap[other], heap[least]) { least = other }
                other += 1
            }
            guard Self.isBefore(heap[least], last) else { break }
            heap[at] = heap[least]
            at = least
        }
        heap[at] = last
        return first
    }

    @inline(__always)
    private static func isBefore(_ left: Entry, _ right: Entry) -> Bool {
        left.time != right.time ? left.time < right.time : left.order < right.order
    }
}

/// Something that happens, and to whom: two numbers whose meaning is the kind's.
struct Event {
    enum Kind: UInt8 {
        // The network: a pipe, and its generation or the number of a parcel.
        case connectArrives, connectFails, connectSucceeds
        case messageUp, messageDown, pingUp, pongDown
        case closeUp, closeDown, pathFails, silenceEnds, nodeGivesUp, phoneGivesUp
        // Nodes.
        case nodeTimer, accountFound, commitDone, nodeCrashes, nodeRestarts
        // Handsets.
        case phoneTimer, dial, place, decide, handsetHangsUp, callerGivesUp, fallsAsleep, isOpened, isKilled
        case isCharged, changesNetwork, keepAliveHandler, pushArrives, says
        // Faults.
        case partitionBegins, partitionEnds, diskFaultBegins, diskFaultEnds
        // Checks.
        case mustRing, mustBeSilent, mustBeOver, mustBeRegistered
    }

    var kind: Kind
    var first: Int32
    var second: Int32

    init(_ kind: Kind, _ first: Int, _ second: Int = 0) {
        self.kind = kind
        self.first = Int32(truncatingIfNeeded: first)
        self.second = Int32(truncatingIfNeeded: second)
    }
}
