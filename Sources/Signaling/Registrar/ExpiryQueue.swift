import SIP

/// When bindings expire, by the second: one entry an address-of-record, looked at again when it comes up.
///
/// The entry stays when the last binding goes before its time, and serves the next one: a phone that comes and goes leaves
/// no more behind than one that stays.
struct ExpiryQueue {
    private var seconds: [Int64: [AddressOfRecord]] = [:]
    private var scheduled: [AddressOfRecord: Int64] = [:]

    /// Has an address-of-record looked at no later than `expires`, in milliseconds since 1970.
    mutating func schedule(_ address: AddressOfRecord, expires: Int64) {
        let second = expires / 1000 + 1
        if let earlier = scheduled[address], earlier <= second { return }
        scheduled[address] = second
        seconds[second, default: []].append(address)
    }

    /// Takes all that is due within one second.
    mutating func due(second: Int64) -> [AddressOfRecord] {
        guard let addresses = seconds.removeValue(forKey: second) else { return [] }
        return addresses.filter { address in
            guard scheduled[address] == second else { return false }
            scheduled[address] = nil
            return true
        }
    }

    /// Whether nothing will ever be due.
    var isEmpty: Bool { seconds.isEmpty }

    /// The first second at which something is due.
    var first: Int64? { seconds.keys.min() }
}
