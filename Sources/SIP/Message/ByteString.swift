/// A short owned byte string: an AoR, a tag, a Call-ID, as it stands on the wire.
///
/// Hashes its bytes in one go; an `[UInt8]` as a dictionary key would hash them one by one.
public struct ByteString: Hashable, Comparable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The bytes.
    public var bytes: [UInt8]

    /// An empty string.
    public init() { bytes = [] }

    /// Takes over an array.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Copies any bytes.
    public init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

    /// The UTF-8 of a Swift string.
    public init(_ string: String) { bytes = Array(string.utf8) }

    /// The UTF-8 of a literal.
    public init(stringLiteral value: String) { bytes = Array(value.utf8) }

    /// Number of bytes.
    public var count: Int { bytes.count }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { bytes.isEmpty }

    /// The bytes read as UTF-8, for logs and errors; what is not UTF-8 is replaced.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Feeds all bytes at once.
    public func hash(into hasher: inout Hasher) {
        unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }

    /// Orders by bytes.
    public static func < (left: ByteString, right: ByteString) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
