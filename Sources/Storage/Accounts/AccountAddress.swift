/// The address of an account, `user@domain`: the user as written, the domain in lower case (RFC 3261 section 19.1.4).
public struct AccountAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The part before the `@`.
    public let user: String
    /// The part behind the `@`, in lower case.
    public let domain: String

    /// The longest address that is taken, in bytes.
    public static let maximumLength = 512

    /// Reads `user@domain`.
    ///
    /// - Parameter text: what the operator wrote.
    /// - Throws: an error of kind `invalidAddress` that says what is wrong with it.
    public init(_ text: String) throws(StorageError) {
        func refuse(_ reason: String) -> StorageError {
            StorageError(.invalidAddress, file: text.isEmpty ? "\"\"" : text, detail: reason)
        }
        guard text.utf8.count <= Self.maximumLength else { throw refuse("the address is too long") }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw refuse("an address has exactly one @") }
        guard !parts[0].isEmpty else { throw refuse("the user part is empty") }
        guard !parts[1].isEmpty else { throw refuse("the domain is empty") }
        guard !text.hasPrefix("sip:"), !text.hasPrefix("sips:") else { throw refuse("an address has no scheme") }
        for byte in text.utf8 where byte <= 0x20 || byte == 0x7f || "\"<>,;?:".utf8.contains(byte) {
            throw refuse("the character \"\(Unicode.Scalar(byte))\" can't be in an address")
        }
        user = String(parts[0])
        domain = parts[1].lowercased()
    }

    /// `user@domain`.
    public var description: String { "\(user)@\(domain)" }

    /// The bytes of `user@domain`, the key of lookups.
    public var bytes: [UInt8] { Array(description.utf8) }

    /// Orders by domain, then by user.
    public static func < (left: AccountAddress, right: AccountAddress) -> Bool {
        (left.domain, left.user) < (right.domain, right.user)
    }

    /// Lower-cases the domain of an address that came over the network, without asking more of it.
    static func folded(_ address: [UInt8]) -> [UInt8] {
        guard let at = address.firstIndex(of: UInt8(ascii: "@")) else { return address }
        var folded = address
        for index in at..<folded.endIndex where 0x41...0x5a ~= folded[index] { folded[index] |= 0x20 }
        return folded
    }
}
