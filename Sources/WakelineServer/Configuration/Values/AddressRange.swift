public import SIP

extension Configuration {
    /// A range of addresses in CIDR notation: `192.0.2.0/24`, `2001:db8::/32`.
    public struct AddressRange: Sendable, Hashable, CustomStringConvertible {
        private let base: SocketAddress
        /// Leading bits that count, of 128; IPv4 is the mapped IPv6 address.
        private let bits: Int

        /// Reads `address/length`, or one address.
        init(_ text: String) throws(ValueFault) {
            let mend = "write ADDRESS/LENGTH, like 10.0.0.0/8 or 2001:db8::/32"
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard 1...2 ~= parts.count, let base = SocketAddress(numeric: parts[0], port: 0) else {
                throw ValueFault("\"\(text)\" is no range of addresses", mend: mend)
            }
            let width = base.ipv4 == nil ? 128 : 32
            guard let length = parts.count == 2 ? Int(parts[1]) : width, 0...width ~= length else {
                throw ValueFault("the length in \"\(text)\" is not from 0 to \(width)", mend: mend)
            }
            bits = length + 128 - width
            let masked = Self.masked(base, bits)
            guard masked == base else {
                throw ValueFault(
                    "\"\(text)\" has bits set behind its length",
                    mend: "write \(Self.text(masked, length: length))"
                )
            }
            self.base = base
        }

        /// Whether an address is in the range; its port does not count.
        public func contains(_ address: SocketAddress) -> Bool {
            Self.masked(address, bits) == base
        }

        /// `192.0.2.0/24`.
        public var description: String {
            Self.text(base, length: base.ipv4 == nil ? bits : bits - 96)
        }

        private static func text(_ base: SocketAddress, length: Int) -> String {
            var host: [UInt8] = []
            base.appendHost(to: &host)
            let text = String(decoding: host, as: UTF8.self).filter { $0 != "[" && $0 != "]" }
            return "\(text)/\(length)"
        }

        private static func masked(_ address: SocketAddress, _ bits: Int) -> SocketAddress {
            // Smart shifts: by 64 or more they give 0.
            let high = bits >= 64 ? UInt64.max : ~(UInt64.max >> UInt64(bits))
            let low = bits <= 64 ? 0 : ~(UInt64.max >> UInt64(bits - 64))
            return SocketAddress(high: address.high & high, low: address.low & low, port: 0)
        }
    }
}
