import SIP

/// Who is where: all bindings, in memory, which is the truth; what is stored is for the next start.
struct Location {
    /// Stays without bindings until it is looked at: a phone that comes and goes leaves no more behind than one that stays.
    private struct Record {
        var bindings: [Binding] = []
        /// The second in which it is looked at for expired bindings; 0 for none.
        var scheduled: Int64 = 0

        var isNeeded: Bool { !bindings.isEmpty || scheduled > 0 }
    }

    private var records = AddressTable<Record>()
    /// Which address-of-record a temporary GRUU's serial belongs to.
    private var serials: [UInt64: AddressOfRecord] = [:]
    /// Number of bindings, parked ones included.
    private(set) var count = 0

    /// The bindings of an address-of-record.
    func bindings(of address: AddressOfRecord) -> [Binding] { records[address]?.bindings ?? [] }

    /// Replaces all bindings of an address-of-record.
    mutating func set(_ bindings: [Binding], of address: AddressOfRecord) {
        var old: [Binding] = []
        change(address) {
            swap(&old, &$0.bindings)
            $0.bindings = bindings
        }
        count += bindings.count - old.count
        // A refresh changes none of them.
        for index in old.indices where old[index].gruuSerial != 0 {
            let serial = old[index].gruuSerial
            if !Self.holds(bindings, serial) { serials[serial] = nil }
        }
        for index in bindings.indices where bindings[index].gruuSerial != 0 {
            let serial = bindings[index].gruuSerial
            if !Self.holds(old, serial) { serials[serial] = address }
        }
    }

    private static func holds(_ bindings: [Binding], _ serial: UInt64) -> Bool {
        bindings.indices.contains { bindings[$0].gruuSerial == serial }
    }

    /// The second in which an address-of-record is looked at; nil where none is set.
    func scheduled(_ address: AddressOfRecord) -> Int64? {
        guard let second = records[address]?.scheduled, second > 0 else { return nil }
        return second
    }

    /// Sets the second in which an address-of-record is looked at; nil for none.
    mutating func schedule(_ address: AddressOfRecord, second: Int64?) {
        change(address) { $0.scheduled = second ?? 0 }
    }

    private mutating func change(_ address: AddressOfRecord, _ change: (inout Record) -> Void) {
        records.update(address) { known in
            var record = known ?? Record()
            change(&record)
            known = record.isNeeded ? record : nil
        }
    }

    /// The owner of a temporary GRUU.
    func address(ofSerial serial: UInt64) -> AddressOfRecord? { serials[serial] }
}
