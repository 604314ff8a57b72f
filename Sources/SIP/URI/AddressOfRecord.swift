/// `user@domain`: what a phone registers for and is called by (RFC 3261 section 10.2).
///
/// In canonical form: escapes of the user undone, the domain in lower case, no port and no parameters.
public struct AddressOfRecord: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// `user@domain`.
    public let text: ByteString

    /// Where the `@` is; searched for when it is wanted, since a number more would be kept of every phone in many tables.
    private var separator: Int { text.bytes.lastIndex(of: UInt8(ascii: "@")) ?? text.count }

    /// Joins user and domain, both in canonical form.
    public init(user: ByteString, domain: ByteString) {
        self.init(user.bytes, verbatim: user.range, domain: domain)
    }

    /// Joins a user part in which nothing is escaped, and a domain in canonical form.
    public init(_ bytes: [UInt8], verbatim user: Range<Int>, domain: ByteString) {
        var text: [UInt8] = []
        text.reserveCapacity(user.count + 1 + domain.count)
        text.append(bytes, user)
        text.append(UInt8(ascii: "@"))
        text.append(domain)
        self.text = ByteString(text)
    }

    /// Reads `user@domain`; nil where one of them is missing.
    public init?(_ text: ByteString) {
        guard let sign = text.bytes.lastIndex(of: UInt8(ascii: "@")), sign > 0, sign + 1 < text.count else {
            return nil
        }
        self.text = ByteString(
            Array(text.bytes[..<sign]) + text.bytes[sign...].map { $0 | ($0 >= 65 && $0 <= 90 ? 32 : 0) }
        )
    }

    /// Joins the user part of a URI, whose escapes are undone, and a domain in canonical form.
    public init(_ bytes: [UInt8], user: Range<Int>, domain: ByteString) {
        var text: [UInt8] = []
        text.reserveCapacity(user.count + 1 + domain.count)
        bytes.appendUnescaped(user, to: &text)
        text.append(UInt8(ascii: "@"))
        text.append(domain)
        self.text = ByteString(text)
    }

    /// Whether this is the AoR of such a user part and domain.
    public func matches(_ bytes: [UInt8], user: Range<Int>, domain: ByteString) -> Bool {
        let separator = text.count - domain.count - 1
        guard separator >= 0, text.bytes[separator] == UInt8(ascii: "@"),
            text.bytes.isEqual((separator + 1)..<text.count, to: domain.bytes, domain.range)
        else { return false }
        if bytes.isEqual(user, to: text.bytes, 0..<separator) { return true }
        return user.count > separator && bytes.unescaped(user) == self.user
    }

    /// The part before the `@`.
    public var user: ByteString { ByteString(text.bytes, 0..<separator) }

    /// The part after the `@`.
    public var domain: ByteString { ByteString(text.bytes, (separator + 1)..<text.count) }

    /// `user@domain`.
    public var description: String { text.description }

    /// Compares the text.
    public static func == (left: AddressOfRecord, right: AddressOfRecord) -> Bool { left.text == right.text }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { text.hash(into: &hasher) }

    /// Orders by text.
    public static func < (left: AddressOfRecord, right: AddressOfRecord) -> Bool { left.text < right.text }

    /// Appends `sip:user@domain`, the user escaped as a URI needs it.
    public func appendURI(to out: inout [UInt8]) {
        out.append(text: "sip:")
        let separator = separator
        for byte in text.bytes[..<separator] {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "!"), UInt8(ascii: "~"), UInt8(ascii: "*"), UInt8(ascii: "'"), UInt8(ascii: "("),
                UInt8(ascii: ")"), UInt8(ascii: "+"), UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "$"):
                out.append(byte)
            default:
                out.append(UInt8(ascii: "%"))
                out.append(hex: UInt64(byte), digits: 2)
            }
        }
        out.append(contentsOf: text.bytes[separator...])
    }
}
