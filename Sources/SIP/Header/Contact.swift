/// A Contact value with all that a registrar reads of it (RFC 3261 section 10, RFC 5626, RFC 5627, RFC 8599).
public enum Contact: Hashable, Sendable {
    /// `Contact: *`: all of them.
    case all
    /// One address.
    case address(Address)

    /// The address and its parameters, as ranges of the message.
    public struct Address: Hashable, Sendable {
        /// The URI, its display name and the raw parameters.
        public var nameAddress: NameAddress
        /// `q` in thousandths; 1000 where it is absent.
        public var q: UInt16
        /// `expires` in seconds; a value too large to read counts as the largest.
        public var expires: UInt32?
        /// `+sip.instance`, with quotes and brackets as written.
        @PackedIfAny public var instance: Range<Int>?
        /// `reg-id`.
        public var regID: UInt32?
        /// Whether there are parameters besides these.
        public var hasOthers: Bool
    }

    /// Reads all Contact values of a message.
    ///
    /// - Throws: `MessageFault.malformed(.contact)`.
    public static func all(of message: Message) throws(MessageFault) -> [Contact] {
        // Nearly every phone has one, which was read with the message.
        if let only = message.prepared.first?.contact { return [.address(only)] }
        var contacts: [Contact] = []
        for value in message.values(.contact) {
            if value.count == 1, message.bytes[value.lowerBound] == UInt8(ascii: "*") {
                contacts.append(.all)
            } else {
                contacts.append(.address(try Address(message.bytes, value)))
            }
        }
        return contacts
    }
}

extension Contact.Address {
    /// Reads one value.
    ///
    /// - Throws: `MessageFault.malformed(.contact)`.
    public init(_ bytes: [UInt8], _ range: Range<Int>) throws(MessageFault) {
        try self.init(unchecked: bytes, range)
        guard bytes.isURI(nameAddress.uri) else { throw .malformed(.contact) }
    }

    /// Reads a value whose URI the caller looks at.
    init(unchecked bytes: [UInt8], _ range: Range<Int>) throws(MessageFault) {
        nameAddress = try NameAddress(unchecked: bytes, range, of: .contact)
        q = 1000
        hasOthers = false
        for parameter in Parameters(bytes, nameAddress.parameters) {
            func isCalled(_ name: StaticString) -> Bool { bytes.isEqualIgnoringCase(parameter.name, name) }
            switch parameter.name.count {
            case 1 where isCalled("q"):
                guard let value = parameter.value, let q = bytes.qValue(value) else { throw .malformed(.contact) }
                self.q = q
            case 7 where isCalled("expires"):
                guard let value = parameter.value else { throw .malformed(.contact) }
                guard bytes.isNumber(value) else { continue }
                expires = bytes.decimal(value).flatMap { UInt32(exactly: $0) } ?? .max
            case 13 where isCalled("+sip.instance"):
                instance = parameter.value
            case 6 where isCalled("reg-id"):
                guard let value = parameter.value, let number = bytes.decimal(value), number > 0,
                    let number = UInt32(exactly: number), number < 1 << 31
                else { throw .malformed(.contact) }
                regID = number
            default: hasOthers = true
            }
        }
    }
}

extension [UInt8] {
    /// Whether the range is made of digits only.
    func isNumber(_ range: Range<Int>) -> Bool {
        for position in range where !self[position].isIn(.digit) { return false }
        return !range.isEmpty
    }

    /// A q-value in thousandths: `0`, `0.5`, `1.000` (RFC 3261 section 25.1).
    func qValue(_ range: Range<Int>) -> UInt16? {
        guard let first = range.first, self[first] == UInt8(ascii: "0") || self[first] == UInt8(ascii: "1"),
            range.count <= 5
        else { return nil }
        var thousandths: UInt16 = self[first] == UInt8(ascii: "1") ? 1000 : 0
        guard range.count > 1 else { return thousandths }
        guard self[first + 1] == UInt8(ascii: ".") else { return nil }
        var weight: UInt16 = 100
        for position in (first + 2)..<range.upperBound {
            guard self[position].isIn(.digit) else { return nil }
            thousandths += UInt16(self[position] - UInt8(ascii: "0")) * weight
            weight /= 10
        }
        return thousandths <= 1000 ? thousandths : nil
    }
}
