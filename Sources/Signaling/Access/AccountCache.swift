import SIP

/// Accounts that were looked up, those that do not exist among them; bounded.
struct AccountCache {
    private var known: [AddressOfRecord: Account?] = [:]
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// What is remembered: nil when nothing is, `.some(nil)` when there is no such account.
    subscript(address: AddressOfRecord) -> Account?? {
        known[address]
    }

    mutating func remember(_ address: AddressOfRecord, _ account: Account?) {
        // Rarely so full; then it is cheaper to start again than to keep an order.
        if known.count >= capacity { known.removeAll(keepingCapacity: true) }
        known[address] = .some(account)
    }

    mutating func removeAll() { known.removeAll(keepingCapacity: true) }
}
