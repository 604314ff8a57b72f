import SIP

/// The addresses-of-record of one flow: one for a phone, which is kept without an array, and many for an edge proxy.
enum FlowAddresses: Sequence {
    case none
    case one(AddressOfRecord)
    case many([AddressOfRecord])

    init() { self = .none }

    var isEmpty: Bool {
        switch self {
        case .none: true
        case .one: false
        case .many(let addresses): addresses.isEmpty
        }
    }

    mutating func append(_ address: AddressOfRecord) {
        switch self {
        case .none: self = .one(address)
        case .one(let first): self = .many([first, address])
        case .many(var addresses):
            // Given up first, so that the array is not copied.
            self = .none
            addresses.append(address)
            self = .many(addresses)
        }
    }

    mutating func remove(_ address: AddressOfRecord) {
        switch self {
        case .none: break
        case .one(let only): if only == address { self = .none }
        case .many(var addresses):
            self = .none
            addresses.removeAll { $0 == address }
            self = .many(addresses)
        }
    }

    func makeIterator() -> Iterator { Iterator(addresses: self) }

    struct Iterator: IteratorProtocol {
        let addresses: FlowAddresses
        private var position = 0

        init(addresses: FlowAddresses) { self.addresses = addresses }

        mutating func next() -> AddressOfRecord? {
            defer { position += 1 }
            switch addresses {
            case .none: return nil
            case .one(let address): return position == 0 ? address : nil
            case .many(let addresses): return position < addresses.count ? addresses[position] : nil
            }
        }
    }
}
