/// Which nonce counts of which nonces were used: bounded, and never a replay (RFC 7616 section 3.3, `nc`).
///
/// A table of small sets, which doubles when one of them is full. At its bound the oldest nonce of a full set makes room and
/// leaves behind how young it was, and an unknown nonce that is not younger is stale. So forgetting costs a client one
/// more round trip, and never lets a count pass twice.
struct ReplayWindow {
    private struct Use {
        var issued: Int64 = 0
        /// The highest count that was used.
        var highest: UInt32 = 0
        /// Bit n: count `highest - n` was used.
        var used: UInt64 = 0
    }

    /// Enough that fifteen thousand phones that come at once fill no set of the first table.
    private static let ways = 16
    /// The nonces' random numbers, set by set; 0 in a free slot.
    ///
    /// By themselves, since nearly all that is asked is whether one is there.
    private var ids: [UInt64]
    private var uses: [Use]
    /// For each set, the youngest nonce that had to make room.
    private var forgotten: [Int64]
    private let limit: Int

    /// Remembers nonces.
    ///
    /// - Parameters:
    ///   - capacity: how many slots there are at first; a power of two, 16 at least.
    ///   - limit: how many there may be.
    init(capacity: Int = 1 << 16, limit: Int = 1 << 20) {
        ids = Array(repeating: 0, count: capacity)
        uses = Array(repeating: Use(), count: capacity)
        forgotten = Array(repeating: .min, count: capacity / Self.ways)
        self.limit = limit
    }

    /// Uses a count of a nonce up.
    ///
    /// - Parameters:
    ///   - id: the nonce's random number.
    ///   - issued: when it was made, in milliseconds.
    ///   - count: `nc`.
    ///   - oldest: nonces made before are refused anyway, so they need not be remembered.
    /// - Returns: false when it was used before, or that can't be told any more.
    mutating func use(_ id: UInt64, issued: Int64, count: UInt32, oldest: Int64 = .min) -> Bool {
        guard count > 0 else { return false }
        if let known = slot(of: id, issued) { return use(count, at: known) }
        guard let free = room(for: id, issued, oldest) else { return false }
        ids[free] = id
        uses[free] = Use(issued: issued, highest: count, used: 1)
        return true
    }

    private func set(of id: UInt64) -> Int { Int(truncatingIfNeeded: id & UInt64(forgotten.count - 1)) }

    private func slots(of id: UInt64) -> Range<Int> {
        let first = set(of: id) * Self.ways
        return first..<(first + Self.ways)
    }

    private func slot(of id: UInt64, _ issued: Int64) -> Int? {
        slots(of: id).first { ids[$0] == id && id != 0 && uses[$0].issued == issued }
    }

    /// The slot that a newcomer may have; nil where it may have been here before.
    private mutating func room(for id: UInt64, _ issued: Int64, _ oldest: Int64) -> Int? {
        // What is free has this number, so no nonce may.
        guard id != 0 else { return nil }
        if let free = slots(of: id).first(where: { ids[$0] == 0 }) {
            return issued > forgotten[set(of: id)] ? free : nil
        }
        let slots = slots(of: id)
        guard let victim = slots.min(by: { uses[$0].issued < uses[$1].issued }) else { return nil }
        if uses[victim].issued >= oldest, ids.count < limit {
            grow()
            return room(for: id, issued, oldest)
        }
        // The newcomer may be the oldest of all; then it is the one that finds no room.
        guard issued > max(uses[victim].issued, forgotten[set(of: id)]) else { return nil }
        forgotten[set(of: id)] = uses[victim].issued
        return victim
    }

    /// Doubles the table: each set is shared out between itself and one as far behind as there were sets.
    private mutating func grow() {
        var larger = ReplayWindow(capacity: ids.count * 2, limit: limit)
        for set in larger.forgotten.indices { larger.forgotten[set] = forgotten[set % forgotten.count] }
        for slot in ids.indices where ids[slot] != 0 {
            guard let free = larger.slots(of: ids[slot]).first(where: { larger.ids[$0] == 0 }) else { continue }
            larger.ids[free] = ids[slot]
            larger.uses[free] = uses[slot]
        }
        self = larger
    }

    private mutating func use(_ count: UInt32, at index: Int) -> Bool {
        if count > uses[index].highest {
            let distance = count - uses[index].highest
            uses[index].used = distance >= 64 ? 1 : uses[index].used << UInt64(distance) | 1
            uses[index].highest = count
            return true
        }
        let distance = uses[index].highest - count
        guard distance < 64, uses[index].used & (1 << UInt64(distance)) == 0 else { return false }
        uses[index].used |= 1 << UInt64(distance)
        return true
    }
}
