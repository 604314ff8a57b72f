import SIP

/// When bindings expire, by the second: who is to be looked at when that second has passed.
///
/// An entry is a hint: the location knows for which second an address-of-record is really scheduled.
struct ExpiryQueue {
    private var seconds: [Int64: [AddressOfRecord]] = [:]
    /// All seconds up to this one were taken.
    private var taken: Int64

    /// Begins at a time, in milliseconds since 1970.
    init(wall: Int64) {
        taken = wall / 1000
    }

    /// Whether nothing is scheduled.
    var isEmpty: Bool { seconds.isEmpty }

    /// Has an address-of-record looked at in a second, the next one at the earliest.
    ///
    /// - Returns: the second.
    mutating func schedule(_ address: AddressOfRecord, second: Int64) -> Int64 {
        let second = max(second, taken + 1)
        seconds[second, default: []].append(address)
        return second
    }

    /// Takes all that is due up to a second, in the order of seconds.
    mutating func due(through last: Int64) -> [(second: Int64, addresses: [AddressOfRecord])] {
        guard last > taken else { return [] }
        defer { taken = last }
        // After a long pause, or a jump of the clock, there are fewer entries than seconds.
        let isSparse = last - taken > Int64(seconds.count)
        let passed = isSparse ? seconds.keys.filter { $0 <= last }.sorted() : Array(taken + 1...last)
        return passed.compactMap { second in
            seconds.removeValue(forKey: second).map { (second, $0) }
        }
    }
}
