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
    private var index = PlaceIndex()

    /// Number of entries.
    var count: Int { entries.count }

    /// The value of an address; nil where there is none.
    subscript(address: AddressOfRecord) -> Value? { find(address).map { entries[$0].value } }

    /// The value, with the address as it is kept here, so that its bytes are there once for all who keep it.
    func entry(_ address: AddressOfRecord) -> (address: AddressOfRecord, value: Value)? {
        find(address).map { (entries[$0].address, entries[$0].value) }
    }

    /// Changes the value of an address; nil where there is none, before and after.
    ///
    /// A closure, since a subscript that yields would allocate the frame of its coroutine at each change.
    @inline(__always)
    mutating func update(_ address: AddressOfRecord, _ change: (inout Value?) -> Void) {
        guard let place = find(address) else {
            var value: Value?
            change(&value)
            if let value { insert(address, value) }
            return
        }
        var value = Optional(entries[place].value)
        change(&value)
        if let value { entries[place].value = value } else { remove(place) }
    }

    /// Forgets all, and keeps the memory.
    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
        index.removeAll()
    }

    private func find(_ address: AddressOfRecord) -> Int? {
        index.find(address.hashValue) { entries[$0].address == address }
    }

    private mutating func insert(_ address: AddressOfRecord, _ value: Value) {
        entries.append(Entry(address: address, value: value))
        index.insert(entries.count - 1, address.hashValue) { entries[$0].address.hashValue }
    }

    private mutating func remove(_ place: Int) {
        index.remove(place, entries[place].address.hashValue) { entries[$0].address.hashValue }
        let last = entries.count - 1
        if place != last {
            index.replace(last, entries[last].address.hashValue, by: place)
            entries.swapAt(place, last)
        }
        entries.removeLast()
    }
}
