import Glibc
import SIP

extension Configuration {
    /// What Via and Record-Route say of this server.
    public struct AdvertisedAddress: Sendable, Hashable, CustomStringConvertible {
        /// A name or an address; an IPv6 address is in brackets.
        public var host: String
        /// A port; nil for that of each flow.
        public var port: UInt16?

        /// Puts an address together.
        public init(host: String, port: UInt16? = nil) {
            self.host = host
            self.port = port
        }

        /// Reads `host` or `host:port`.
        init(_ text: String) throws(ValueFault) {
            let mend = "write HOST or HOST:PORT, like sip.example.com:5060"
            guard let (host, port) = hostAndPort(text[...]) else {
                throw ValueFault("\"\(text)\" is no host with a port from 1 to 65535", mend: mend)
            }
            let isAddress = SocketAddress(numeric: host, port: 0) != nil
            guard isAddress || isHostName(host), port != 0 else {
                throw ValueFault("\"\(text)\" is no host with a port from 1 to 65535", mend: mend)
            }
            self.init(host: host, port: port)
        }

        /// `host` or `host:port`.
        public var description: String { port.map { "\(host):\($0)" } ?? host }
    }
}

/// Takes `host:port` or `[v6]:port` apart; nil when the port is no port.
func hostAndPort(_ text: Substring) -> (host: String, port: UInt16?)? {
    let afterBracket = text.firstIndex(of: "]") ?? text.startIndex
    guard let colon = text[afterBracket...].firstIndex(of: ":") else { return (String(text), nil) }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits) else { return nil }
    return (String(text[..<colon]), port)
}

/// Whether a text can be the name of a host (RFC 1123 section 2.1), or an IPv4 address.
func isHostName(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 253
        && labels.allSatisfy { label in
            1...63 ~= label.utf8.count && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy { byte in
                    0x30...0x39 ~= byte || 0x61...0x7a ~= byte | 0x20 || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                }
        }
}

extension SocketAddress {
    /// Reads a numeric address, an IPv6 address with or without brackets; nil for anything else.
    init?(numeric host: some StringProtocol, port: UInt16) {
        var text = String(host)
        if text.hasPrefix("["), text.hasSuffix("]") { text = String(text.dropFirst().dropLast()) }
        var v4 = in_addr()
        if !host.hasPrefix("["), inet_pton(AF_INET, text, &v4) == 1 {
            self.init(ipv4: UInt32(bigEndian: v4.s_addr), port: port)
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let halves = withUnsafeBytes(of: v6) { raw in
            (
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
                UInt64(bigEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
        self.init(high: halves.0, low: halves.1, port: port)
    }
}
