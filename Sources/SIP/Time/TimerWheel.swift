/// A hierarchical timing wheel: arm, re-arm and cancel in constant time, any number of timers.
///
/// Six levels of 64 slots of 1 ms, 64 ms, 4 s, ... reach 2 years; a timer moves down a level when its slot comes up, so
/// it expires in its own millisecond. Timers are nodes in one array, linked by index. A `TimerID` carries a
/// generation, so a late cancel or a stale identity is harmless.
public struct TimerWheel<Payload: BitwiseCopyable> {
    /// The identity of an armed timer.
    public struct TimerID: Hashable, Sendable {
        fileprivate var index: Int32
        fileprivate var generation: UInt32

        /// No timer.
        public static var none: TimerID { TimerID(index: -1, generation: 0) }
    }

    private struct Node {
        var previous: Int32
        var next: Int32
        var generation: UInt32
        var slot: Int16
        var deadline: Int64
        /// Of no meaning once the timer is not armed.
        var payload: Payload
    }

    private static var levels: Int { 6 }
    private static var bits: Int64 { 6 }

    private var nodes: [Node] = []
    private var free: Int32 = -1
    /// First node of each slot, level by level.
    private var heads: [Int32]
    /// A bit for each slot that is not empty, a word a level.
    private var occupied = InlineArray<6, UInt64>(repeating: 0)
    private var current: Int64
    /// What comes next, or would if it had not been cancelled; the largest number for nothing.
    ///
    /// Nearly always nothing is due, and this is all that is looked at.
    private var earliest = Int64.max
    /// Number of armed timers.
    public private(set) var count = 0

    /// An empty wheel that stands at `now`.
    public init(now: Instant) {
        heads = Array(repeating: -1, count: Self.levels << Int(Self.bits))
        current = now.milliseconds
    }

    /// Arms a timer.
    ///
    /// A deadline that has passed expires at the next `advance`.
    public mutating func arm(at deadline: Instant, _ payload: Payload) -> TimerID {
        let index: Int32
        if free >= 0 {
            index = free
            free = nodes[Int(index)].next
        } else {
            index = Int32(truncatingIfNeeded: nodes.count)
            nodes.append(Node(previous: -1, next: -1, generation: 0, slot: -1, deadline: 0, payload: payload))
        }
        nodes[Int(index)].deadline = deadline.milliseconds
        nodes[Int(index)].payload = payload
        link(index)
        count += 1
        return TimerID(index: index, generation: nodes[Int(index)].generation)
    }

    /// Moves an armed timer to another deadline.
    ///
    /// - Returns: false when the timer is not armed any more.
    @discardableResult
    public mutating func rearm(_ id: TimerID, at deadline: Instant) -> Bool {
        guard isArmed(id) else { return false }
        unlink(id.index)
        nodes[Int(id.index)].deadline = deadline.milliseconds
        link(id.index)
        return true
    }

    /// Disarms a timer; nothing happens when it is not armed any more.
    public mutating func cancel(_ id: TimerID) {
        guard isArmed(id) else { return }
        unlink(id.index)
        release(id.index)
    }

    /// Whether the timer is still to expire.
    public func isArmed(_ id: TimerID) -> Bool {
        nodes.indices.contains(Int(id.index)) && nodes[Int(id.index)].generation == id.generation
            && nodes[Int(id.index)].slot >= 0
    }

    /// When `expire` is wanted next: never later than the earliest deadline, and earlier only to move timers down, or for
    /// one that was cancelled.
    public var nextDeadline: Instant? {
        @inline(__always) get { count == 0 ? nil : Instant(milliseconds: earliest) }
    }

    /// When the next slot that is not empty comes up; the largest number where all are.
    private func nextSlot() -> Int64 {
        var best = Int64.max
        for level in 0..<Self.levels {
            let word = occupied[level]
            guard word != 0 else { continue }
            let shift = Self.bits * Int64(level)
            let position = (current >> shift) & 63
            // The slots after the current position come first, then, one turn later, those before it.
            let ahead = position == 63 ? 0 : word & (UInt64.max << UInt64(position + 1))
            var time: Int64
            if level == 0, word & (1 << UInt64(position)) != 0 {
                time = current
            } else if ahead != 0 {
                time = (((current >> shift) & ~63) | Int64(ahead.trailingZeroBitCount)) << shift
            } else {
                time = ((((current >> shift) & ~63) + 64) | Int64(word.trailingZeroBitCount)) << shift
            }
            best = min(best, max(time, current))
        }
        return best
    }

    /// Moves the clock on and takes the next timer that has expired; call until it gives nil.
    @inline(__always)
    public mutating func expire(at now: Instant) -> Payload? {
        guard earliest > now.milliseconds else { return expireDue(at: now.milliseconds) }
        current = max(current, now.milliseconds)
        return nil
    }

    private mutating func expireDue(at now: Int64) -> Payload? {
        while true {
            earliest = nextSlot()
            guard earliest <= now else { break }
            current = max(current, earliest)
            cascade()
            let slot = Int(current & 63)
            let index = heads[slot]
            if index >= 0 {
                let payload = nodes[Int(index)].payload
                unlink(index)
                release(index)
                return payload
            }
        }
        current = max(current, now)
        return nil
    }

    /// Moves down all timers of higher levels whose slot has come up.
    private mutating func cascade() {
        for level in stride(from: Self.levels - 1, to: 0, by: -1) {
            let position = Int((current >> (Self.bits * Int64(level))) & 63)
            guard occupied[level] & (1 << UInt64(position)) != 0 else { continue }
            let slot = level << Int(Self.bits) | position
            var index = heads[slot]
            var guardCount = count
            while index >= 0, guardCount >= 0 {
                let next = nodes[Int(index)].next
                // A timer of a later turn of this level stays where it is.
                if level == Self.levels - 1, nodes[Int(index)].deadline - current >= Int64(1) << (Self.bits * 6) {
                    index = next
                    continue
                }
                unlink(index)
                link(index)
                index = next
                guardCount -= 1
            }
        }
    }

    private mutating func link(_ index: Int32) {
        let deadline = max(nodes[Int(index)].deadline, current)
        // The level is that of the highest digit in which the deadline differs from now.
        let differing = UInt64(bitPattern: deadline ^ current)
        let digit = differing == 0 ? 0 : (63 - differing.leadingZeroBitCount) / Int(Self.bits)
        let level = min(digit, Self.levels - 1)
        let position = Int((deadline >> (Self.bits * Int64(level))) & 63)
        let slot = level << Int(Self.bits) | position
        let head = heads[slot]
        nodes[Int(index)].slot = Int16(truncatingIfNeeded: slot)
        nodes[Int(index)].previous = -1
        nodes[Int(index)].next = head
        if head >= 0 { nodes[Int(head)].previous = index }
        heads[slot] = index
        occupied[level] |= 1 << UInt64(position)
        // Of the last level a slot may be of a later turn.
        let shift = Self.bits * Int64(level)
        earliest = level == Self.levels - 1 ? nextSlot() : min(earliest, (deadline >> shift) << shift)
    }

    private mutating func unlink(_ index: Int32) {
        let node = nodes[Int(index)]
        if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { heads[Int(node.slot)] = node.next }
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if heads[Int(node.slot)] < 0 {
            occupied[Int(node.slot) >> Int(Self.bits)] &= ~(1 << UInt64(Int(node.slot) & 63))
        }
        nodes[Int(index)].slot = -1
    }

    private mutating func release(_ index: Int32) {
        nodes[Int(index)].generation &+= 1
        nodes[Int(index)].next = free
        free = index
        count -= 1
    }
}
