/// Which nonce counts of which nonces were used: bounded, and never a replay (RFC 7616 section 3.3, `nc`).
///
/// A direct-mapped table: a nonce that pushes out another leaves behind how young that one was, and an unknown nonce that
/// is not younger is stale. So forgetting costs a client one more round trip, and never lets a count pass twice.
struct ReplayWindow {
    private struct Slot {
        var id: UInt64 = 0
        var issued: Int64 = 0
        var highest: UInt32 = 0
        /// Bit n: count `highest - n` was used.
        var used: UInt64 = 0
        /// The youngest nonce that was pushed out of here.
        var forgotten: Int64 = .min
    }

    private var slots: [Slot]

    /// Remembers up to `capacity` nonces, a power of two.
    init(capacity: Int = 1 << 16) {
        slots = Array(repeating: Slot(), count: capacity)
    }

    /// Uses a count of a nonce up.
    ///
    /// - Parameters:
    ///   - id: the nonce's random number.
    ///   - issued: when it was made, in milliseconds.
    ///   - count: `nc`.
    /// - Returns: false when it was used before, or that can't be told any more.
    mutating func use(_ id: UInt64, issued: Int64, count: UInt32) -> Bool {
        guard count > 0 else { return false }
        let index = Int(truncatingIfNeeded: id & UInt64(slots.count - 1))
        if slots[index].id != id || slots[index].issued != issued {
            guard issued > slots[index].forgotten else { return false }
            if slots[index].highest > 0 { slots[index].forgotten = max(slots[index].forgotten, slots[index].issued) }
            // The newcomer may be the older of the two; then it is the one to be careful with.
            guard issued > slots[index].forgotten else { return false }
            slots[index].id = id
            slots[index].issued = issued
            slots[index].highest = count
            slots[index].used = 1
            return true
        }
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
