/// Finds places in an array by a hash, with four bytes a slot, of which half are free at least.
///
/// The array has what the places stand for, and tells the hash of each when the index grows or closes a gap.
struct PlaceIndex {
    /// The place of an entry plus one, found from its hash onward; a power of two in size.
    ///
    /// Free slots are 0.
    private var slots: [UInt32] = []
    private var count = 0

    /// The place with this hash that is the one looked for; nil where there is none.
    @inline(__always)
    func find(_ hash: Int, where isIt: (Int) -> Bool) -> Int? { slot(hash, where: isIt).map { Int(slots[$0]) - 1 } }

    /// Enters a place.
    @inline(__always)
    mutating func insert(_ place: Int, _ hash: Int, hashOf: (Int) -> Int) {
        if (count + 1) * 2 > slots.count { grow(hashOf) }
        enter(place, hash)
        count += 1
    }

    /// Puts one place where another was.
    @inline(__always)
    mutating func replace(_ place: Int, _ hash: Int, by other: Int) {
        if let slot = slot(hash, where: { $0 == place }) { slots[slot] = UInt32(truncatingIfNeeded: other + 1) }
    }

    /// Forgets a place, where it is there.
    @inline(__always)
    mutating func remove(_ place: Int, _ hash: Int, hashOf: (Int) -> Int) {
        guard let slot = slot(hash, where: { $0 == place }) else { return }
        close(slot, hashOf)
        count -= 1
    }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        for slot in slots.indices { slots[slot] = 0 }
        count = 0
    }

    @inline(__always)
    private func slot(_ hash: Int, where isIt: (Int) -> Bool) -> Int? {
        guard !slots.isEmpty else { return nil }
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            if isIt(Int(slots[slot]) - 1) { return slot }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    @inline(__always)
    private mutating func enter(_ place: Int, _ hash: Int) {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
        slots[slot] = UInt32(truncatingIfNeeded: place + 1)
    }

    private mutating func grow(_ hashOf: (Int) -> Int) {
        let old = slots
        slots = Array(repeating: 0, count: max(16, old.count * 2))
        for slot in old where slot != 0 { enter(Int(slot) - 1, hashOf(Int(slot) - 1)) }
    }

    /// Frees a slot, and moves up those behind it that would not be found any more.
    private mutating func close(_ slot: Int, _ hashOf: (Int) -> Int) {
        let mask = slots.count - 1
        var hole = slot
        var at = (slot + 1) & mask
        while slots[at] != 0 {
            let wanted = hashOf(Int(slots[at]) - 1) & mask
            // It may move where the hole lies between the slot it wants and the one it has.
            if (at - wanted) & mask >= (at - hole) & mask {
                slots[hole] = slots[at]
                hole = at
            }
            at = (at + 1) & mask
        }
        slots[hole] = 0
    }
}
