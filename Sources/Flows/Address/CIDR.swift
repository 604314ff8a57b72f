public import SIP

/// A block of addresses: `10.0.0.0/8`, `2001:db8::/32`, or one address alone.
public struct CIDR: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64
    /// The bits that count, of the 128 of the address as `SocketAddress` keeps it.
    private let bits: Int

    /// Reads a block.
    ///
    /// - Parameter text: an address, and after a slash how many of its bits count; without a slash, all.
    /// - Throws: what is wrong with it and how it is written.
    public init(_ text: String) throws(CIDRError) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.first, let address = SocketAddress(host: String(host), port: 0) else {
            throw .notAnAddress(text)
        }
        let width = address.ipv4 == nil ? 128 : 32
        var prefix = width
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let given = Int(parts[1]), given <= width
            else { throw .badPrefix(text, longest: width) }
            prefix = given
        }
        bits = 128 - width + prefix
        high = address.high & Self.mask(bits)
        low = address.low & Self.mask(bits - 64)
    }

    /// Whether an address lies in the block; its port does not matter.
    public func contains(_ address: SocketAddress) -> Bool {
        address.high & Self.mask(bits) == high && address.low & Self.mask(bits - 64) == low
    }

    /// The block as it is written, its host bits cleared.
    public var description: String {
        let address = SocketAddress(high: high, low: low, port: 0)
        var host: [UInt8] = []
        address.appendHost(to: &host)
        host.removeAll { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        return "\(String(decoding: host, as: UTF8.self))/\(address.ipv4 == nil ? bits : bits - 96)"
    }

    /// A word whose `bits` upper bits are set.
    private static func mask(_ bits: Int) -> UInt64 {
        bits <= 0 ? 0 : UInt64.max << UInt64(64 - min(bits, 64))
    }
}

/// What is wrong with a block of addresses.
public enum CIDRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It does not begin with an IP address.
    case notAnAddress(String)
    /// What follows the slash is no number of bits.
    case badPrefix(String, longest: Int)

    /// What is wrong.
    public var problem: String {
        switch self {
        case .notAnAddress(let text): "'\(text)' is no block of addresses"
        case .badPrefix(let text, _): "'\(text)' has no usable prefix length"
        }
    }

    /// What to write instead.
    public var mend: String {
        switch self {
        case .notAnAddress: "write 10.0.0.0/8, 2001:db8::/32 or one address such as 127.0.0.1"
        case .badPrefix(_, let longest): "write a number from 0 to \(longest) after the slash"
        }
    }

    /// A sentence that names the mend.
    public var description: String { "\(problem): \(mend)" }
}
