import SIP

/// Accounts that were looked up, those that do not exist among them; bounded.
struct AccountCache {
    private var known = AddressTable<Account?>()
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    /// What is remembered: nil when nothing is, an account of nil when there is none.
    ///
    /// The address is the one that is kept here, so that its bytes are there once for all who keep it.
    subscript(address: AddressOfRecord) -> (address: AddressOfRecord, account: Account?)? {
        known.entry(address).map { ($0.address, $0.value) }
    }

    mutating func remember(_ address: AddressOfRecord, _ account: Account?) {
        // Rarely so full; then it is cheaper to start again than to keep an order.
        if known.count >= capacity { known.removeAll() }
        known.update(address) { $0 = .some(account) }
    }

    mutating func removeAll() { known.removeAll() }
}
