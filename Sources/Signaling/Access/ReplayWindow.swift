/// Which nonce counts of which nonces were used: bounded, and never a replay (RFC 7616 section 3.3, `nc`).
///
/// A table of small sets: in a full set the oldest nonce makes room and leaves behind how young it was, and an unknown
/// nonce that is not younger is stale. So forgetting costs a client one more round trip, and never lets a count pass twice.
struct ReplayWindow {
    private struct Slot {
        var id: UInt64 = 0
        var issued: Int64 = 0
        /// The highest count that was used; 0 in a free slot.
        var highest: UInt32 = 0
        /// Bit n: count `highest - n` was used.
        var used: UInt64 = 0
    }

    private static let ways = 8
    private var slots: [Slot]
    /// For each set, the youngest nonce that had to make room.
    private var forgotten: [Int64]

    /// Remembers up to `capacity` nonces, a power of two.
    init(capacity: Int = 1 << 16) {
        slots = Array(repeating: Slot(), count: capacity)
        forgotten = Array(repeating: .min, count: capacity / Self.ways)
    }

    /// Whether a nonce was used before, and is remembered: then it is known to be this server's own.
    func knows(_ id: UInt64, issued: Int64) -> Bool {
        let first = Int(truncatingIfNeeded: id & UInt64(forgotten.count - 1)) * Self.ways
        for index in first..<(first + Self.ways)
        where slots[index].id == id && slots[index].issued == issued && slots[index].highest > 0 { return true }
        return false
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
        let set = Int(truncatingIfNeeded: id & UInt64(forgotten.count - 1))
        let first = set * Self.ways
        var victim = first
        for index in first..<(first + Self.ways) {
            if slots[index].highest > 0, slots[index].id == id, slots[index].issued == issued {
                return use(count, at: index)
            }
            if slots[index].issued < oldest { slots[index].highest = 0 }
            if slots[index].highest == 0 || (slots[victim].highest > 0 && slots[index].issued < slots[victim].issued) {
                victim = index
            }
        }
        guard issued > forgotten[set] else { return false }
        if slots[victim].highest > 0 {
            // The newcomer may be the oldest of all; then it is the one that finds no room.
            guard issued > slots[victim].issued else { return false }
            forgotten[set] = max(forgotten[set], slots[victim].issued)
        }
        slots[victim] = Slot(id: id, issued: issued, highest: count, used: 1)
        return true
    }

    private mutating func use(_ count: UInt32, at index: Int) -> Bool {
        if count > slots[index].highest {
            let distance = count - slots[index].highest
            slots[index].used = distance >= 64 ? 1 : slots[index].used << UInt64(distance) | 1
            slots[index].highest = count
            return true
        }
        let distance = slots[index].highest - count
        guard distance < 64, slots[index].used & (1 << UInt64(distance)) == 0 else { return false }
        slots[index].used |= 1 << UInt64(distance)
        return true
    }
}
