import SIP

/// Values by address-of-record: one dense array of entries, and an index of 4 bytes a place.
///
/// A dictionary keeps room for key and value in every place that is free, which is half of what a hundred thousand phones
/// would cost. Entries are in no order that means anything.
struct AddressTable<Value> {
    private struct Entry {
        var address: AddressOfRecord
        var value: Value
    }

    private var entries: [Entry] = []
    /// The place of an entry plus one, found from its hash onward; a power of two in size.
    ///
    /// Free places are 0.
    private var index: [UInt32] = []

    /// Number of entries.
    var count: Int { entries.count }

    /// The value of an address; nil where there is none.
    subscript(address: AddressOfRecord) -> Value? { find(address).map { entries[$0.place].value } }

    /// The value, with the address as it is kept here, so that its bytes are there once for all who keep it.
    func entry(_ address: AddressOfRecord) -> (address: AddressOfRecord, value: Value)? {
        find(address).map { (entries[$0.place].address, entries[$0.place].value) }
    }

    /// Changes the value of an address; nil where there is none, before and after.
    ///
    /// A closure, since a subscript that yields would allocate the frame of its coroutine at each change.
    @inline(__always)
    mutating func update(_ address: AddressOfRecord, _ change: (inout Value?) -> Void) {
        guard let (slot, place) = find(address) else {
            var value: Value?
            change(&value)
            if let value { insert(address, value) }
            return
        }
        var value = Optional(entries[place].value)
        change(&value)
        if let value { entries[place].value = value } else { remove(slot, place) }
    }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        for slot in index.indices { index[slot] = 0 }
    }

    private func find(_ address: AddressOfRecord) -> (slot: Int, place: Int)? {
        guard !index.isEmpty else { return nil }
        var slot = home(address)
        while index[slot] != 0 {
            let place = Int(index[slot]) - 1
            if entries[place].address == address { return (slot, place) }
            slot = (slot + 1) & (index.count - 1)
        }
        return nil
    }

    private func home(_ address: AddressOfRecord) -> Int { address.hashValue & (index.count - 1) }

    private mutating func insert(_ address: AddressOfRecord, _ value: Value) {
        if (entries.count + 1) * 2 > index.count { grow() }
        entries.append(Entry(address: address, value: value))
        enter(entries.count - 1)
    }

    private mutating func enter(_ place: Int) {
        var slot = home(entries[place].address)
        while index[slot] != 0 { slot = (slot + 1) & (index.count - 1) }
        index[slot] = UInt32(truncatingIfNeeded: place + 1)
    }

    private mutating func grow() {
        index = Array(repeating: 0, count: max(16, index.count * 2))
        for place in entries.indices { enter(place) }
    }

    private mutating func remove(_ slot: Int, _ place: Int) {
        close(slot)
        let last = entries.count - 1
        if place != last, let moved = find(entries[last].address) {
            index[moved.slot] = UInt32(truncatingIfNeeded: place + 1)
            entries.swapAt(place, last)
        }
        entries.removeLast()
    }

    /// Frees a slot, and moves up those behind it that would not be found any more.
    private mutating func close(_ slot: Int) {
        let mask = index.count - 1
        var hole = slot
        var at = (slot + 1) & mask
        while index[at] != 0 {
            let wanted = home(entries[Int(index[at]) - 1].address)
            // It may move where the hole lies between the slot it wants and the one it has.
            if (at - wanted) & mask >= (at - hole) & mask {
                index[hole] = index[at]
                hole = at
            }
            at = (at + 1) & mask
        }
        index[hole] = 0
    }
}
