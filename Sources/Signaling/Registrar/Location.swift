import SIP

/// Who is where: all bindings, in memory, which is the truth; what is stored is for the next start.
struct Location {
    private var records: [AddressOfRecord: [Binding]] = [:]
    /// Which address-of-record a temporary GRUU's serial belongs to.
    private var serials: [UInt64: AddressOfRecord] = [:]
    /// Number of bindings, parked ones included.
    private(set) var count = 0

    /// Number of addresses-of-record that have a binding.
    var addressCount: Int { records.count }

    /// The bindings of an address-of-record.
    func bindings(of address: AddressOfRecord) -> [Binding] { records[address] ?? [] }

    /// Replaces all bindings of an address-of-record.
    mutating func set(_ bindings: [Binding], of address: AddressOfRecord) {
        let old = records.updateValue(bindings, forKey: address) ?? []
        if bindings.isEmpty { records[address] = nil }
        count += bindings.count - old.count
        for binding in old where binding.gruuSerial != 0 { serials[binding.gruuSerial] = nil }
        for binding in bindings where binding.gruuSerial != 0 { serials[binding.gruuSerial] = address }
    }

    /// The owner of a temporary GRUU.
    func address(ofSerial serial: UInt64) -> AddressOfRecord? { serials[serial] }
}
