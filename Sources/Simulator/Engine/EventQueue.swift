/// What is to happen in a world, in order of time, and for one time in the order in which it was arranged.
///
/// Three ranges: a bucket for each millisecond of the next four seconds, one for each four seconds of the next hours, and a
/// rest. A bucket is spread over the finer range when its time has come, before anything is arranged there directly, so
/// order needs no comparison, and an event touches memory three times however many there are.
struct EventQueue {
    /// One arrangement.
    struct Entry {
        /// Milliseconds since the world began.
        var time: Int64
        var event: Event
    }

    private var near = Buckets()
    /// When the first bucket of `near` is: a multiple of its length.
    private var nearStart: Int64 = 0
    private var far = Buckets()
    private var farStart: Int64 = 0
    private var rest: [Entry] = []
    /// The bucket of `near` that is being emptied, and how many of it were taken.
    private var current = 0
    private var taken = 0
    private(set) var count = 0

    private static let farBits = Int64(2 * Buckets.bits)

    /// Arranges an event for a time that is not before that of the last one taken.
    mutating func arrange(_ event: Event, at time: Int64) {
        count += 1
        place(Entry(time: time, event: event))
    }

    /// The next event, if it is not after `end`.
    mutating func take(until end: Int64) -> Entry? {
        while true {
            if let bucket = near.first(from: current) {
                guard nearStart + Int64(bucket) <= end else { return nil }
                current = bucket
                let entry = near.buckets[bucket][taken]
                taken += 1
                if taken == near.buckets[bucket].count {
                    near.clear(bucket)
                    taken = 0
                }
                count -= 1
                return entry
            }
            // What lies beyond `end` stays: until then, earlier events may be arranged.
            if let bucket = far.first(from: 0) {
                let start = farStart + Int64(bucket) << Int64(Buckets.bits)
                guard start <= end else { return nil }
                (nearStart, current) = (start, 0)
                for entry in far.empty(bucket) { place(entry) }
            } else {
                guard let least = rest.lazy.map(\.time).min() else { return nil }
                let start = (least >> Self.farBits) << Self.farBits
                guard start <= end else { return nil }
                (nearStart, farStart, current) = (start, start, 0)
                let entries = rest
                rest = []
                for entry in entries { place(entry) }
            }
        }
    }

    private mutating func place(_ entry: Entry) {
        if entry.time - nearStart < Int64(Buckets.count) {
            near.add(entry, Int(max(0, entry.time - nearStart)))
        } else if entry.time >> Self.farBits == farStart >> Self.farBits {
            far.add(entry, Int((entry.time - farStart) >> Int64(Buckets.bits)))
        } else {
            rest.append(entry)
        }
    }

    /// Arrangements by time, with a bit for each bucket that holds any.
    private struct Buckets {
        static let bits = 12
        static let count = 1 << bits

        var buckets = [[Entry]](repeating: [], count: count)
        private var words = InlineArray<64, UInt64>(repeating: 0)

        mutating func add(_ entry: Entry, _ bucket: Int) {
            buckets[bucket].append(entry)
            words[bucket >> 6] |= 1 << UInt64(bucket & 63)
        }

        /// The first that is not empty, from one on.
        func first(from start: Int) -> Int? {
            guard start < Self.count else { return nil }
            var word = start >> 6
            var bits = words[word] & (~0 << UInt64(start & 63))
            while bits == 0 {
                word += 1
                guard word < 64 else { return nil }
                bits = words[word]
            }
            return word << 6 + bits.trailingZeroBitCount
        }

        /// Forgets what is in a bucket, and keeps its memory.
        mutating func clear(_ bucket: Int) {
            buckets[bucket].removeAll(keepingCapacity: true)
            words[bucket >> 6] &= ~(1 << UInt64(bucket & 63))
        }

        /// Takes out what is in a bucket.
        mutating func empty(_ bucket: Int) -> [Entry] {
            let entries = buckets[bucket]
            buckets[bucket] = []
            words[bucket >> 6] &= ~(1 << UInt64(bucket & 63))
            return entries
        }
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
