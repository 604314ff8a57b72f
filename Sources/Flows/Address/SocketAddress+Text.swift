import Glibc
public import SIP

extension SocketAddress {
    /// Reads an IPv4 or IPv6 address in text, without brackets and port; nil when it is neither.
    ///
    /// - Parameters:
    ///   - host: `192.0.2.1`, `2001:db8::1`, ...
    ///   - port: the port to go with it.
    public init?(host: String, port: UInt16) {
        var ipv4 = in_addr()
        if inet_pton(AF_INET, host, &ipv4) == 1 {
            self.init(ipv4: UInt32(bigEndian: ipv4.s_addr), port: port)
            return
        }
        var ipv6 = in6_addr()
        guard inet_pton(AF_INET6, host, &ipv6) == 1 else { return nil }
        self.init(ipv6, port: UInt16(bigEndian: port.bigEndian))
    }

    init(_ ipv6: in6_addr, port: UInt16) {
        let (high, low) = withUnsafeBytes(of: ipv6) { bytes in
            (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: port)
    }
}
