/// A table whose entries have an identity of slot and generation: found without hashing, and a stale identity finds nothing.
struct SlotTable<Element> {
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

        @inline(__always)
        mutating func change(_ change: (inout Element) -> Void) {
            // Taken out and put back: moved, not copied.
            guard var taken = element.take() else { return }
            change(&taken)
            element = taken
        }
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
        slots[Int(id.slot)].change(change)
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
