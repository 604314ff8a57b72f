/// What can be an entry of a `SlotTable`.
protocol SlotEntry {}

extension SlotEntry {
    /// Lends the entry where it stands.
    ///
    /// A method, since only through one an optional's content is changed without being taken out.
    @inline(__always)
    fileprivate mutating func lend(_ change: (inout Self) -> Void) { change(&self) }
}

/// A table whose entries have an identity of slot and generation: found without hashing, and a stale identity finds nothing.
struct SlotTable<Element: SlotEntry> {
    /// The identity of an entry; as a number it fits a branch or a timer.
    struct ID: Hashable, Sendable, BitwiseCopyable {
        var slot: UInt32
        var generation: UInt32

        var rawValue: UInt64 { UInt64(generation) << 32 | UInt64(slot) }

        init(slot: UInt32, generation: UInt32) {
            self.slot = slot
            self.generation = generation
        }

        init(rawValue: UInt64) {
            slot = UInt32(truncatingIfNeeded: rawValue)
            generation = UInt32(truncatingIfNeeded: rawValue >> 32)
        }
    }

    private struct Slot {
        var generation: UInt32
        var element: Element?
    }

    private var slots: [Slot] = []
    private var free: [UInt32] = []

    /// Number of entries.
    var count: Int { slots.count - free.count }

    mutating func insert(_ element: Element) -> ID {
        if let slot = free.popLast() {
            slots[Int(slot)].element = element
            return ID(slot: slot, generation: slots[Int(slot)].generation)
        }
        slots.append(Slot(generation: 1, element: element))
        return ID(slot: UInt32(truncatingIfNeeded: slots.count - 1), generation: 1)
    }

    /// Who is in a slot; nil for nobody.
    func id(inSlot slot: Int) -> ID? {
        guard slot < slots.count, slots[slot].element != nil else { return nil }
        return ID(slot: UInt32(truncatingIfNeeded: slot), generation: slots[slot].generation)
    }

    @inline(__always)
    func contains(_ id: ID) -> Bool {
        Int(id.slot) < slots.count && slots[Int(id.slot)].generation == id.generation
    }

    /// The entry; nil for a stale identity.
    subscript(id: ID) -> Element? {
        @inline(__always) get { contains(id) ? slots[Int(id.slot)].element : nil }
    }

    /// Changes an entry in place; does nothing for a stale identity.
    ///
    /// A closure, since a subscript that yields would allocate the frame of its coroutine at each change.
    @inline(__always)
    mutating func update(_ id: ID, _ change: (inout Element) -> Void) {
        guard contains(id) else { return }
        slots[Int(id.slot)].element?.lend(change)
    }

    @discardableResult
    mutating func remove(_ id: ID) -> Element? {
        guard contains(id) else { return nil }
        let element = slots[Int(id.slot)].element.take()
        release(id.slot)
        return element
    }

    private mutating func release(_ slot: UInt32) {
        slots[Int(slot)].generation &+= 1
        free.append(slot)
    }
}
