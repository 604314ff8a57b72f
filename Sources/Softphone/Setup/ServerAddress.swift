import Flows
import Glibc
public import SIP

/// Where a phone's server is, as people write it: `tcp://sip.example.test:5060`, `tcp://127.0.0.1`, `tcp://[::1]`.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address in numbers, without brackets.
    public var host: String
    /// The port.
    public var port: UInt16

    /// Names a server.
    public init(host: String, port: UInt16 = 5060) {
        self.host = host
        self.port = port
    }

    /// Reads what someone wrote.
    ///
    /// - Parameter text: `tcp://HOST:PORT`; without a port, 5060.
    /// - Throws: what is wrong, with the mend.
    public init(_ text: String) throws(ServerAddressError) {
        guard let slashes = text.utf8.firstRange(of: "://".utf8) else { throw .noScheme(text) }
        let scheme = text[..<slashes.lowerBound].lowercased()
        guard scheme == "tcp" else { throw .unknownScheme(scheme) }
        let place = text[slashes.upperBound...]
        let end: String.Index
        if place.first == "[" {
            guard let bracket = place.firstIndex(of: "]") else { throw .malformed(text) }
            host = String(place[place.index(after: place.startIndex)..<bracket])
            end = place.index(after: bracket)
        } else {
            end = place.firstIndex(of: ":") ?? place.endIndex
            host = String(place[..<end])
        }
        let rest = place[end...]
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }) else {
            throw .malformed(text)
        }
        guard rest.isEmpty || rest.first == ":" else { throw .malformed(text) }
        guard !rest.isEmpty else {
            port = 5060
            return
        }
        let digits = rest.dropFirst()
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(digits), number > 0 else {
            throw .badPort(String(digits))
        }
        port = number
    }

    /// As it is written, without its transport.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Finds the address in numbers; asks the system's resolver where it is a name, which may take its time.
    ///
    /// Of several addresses the first is taken that there is a way to, IPv4 before IPv6: servers that are tried on one
    /// machine often listen on 127.0.0.1 alone, while `localhost` is ::1 as well.
    ///
    /// - Throws: why there is none.
    public func resolve() throws(ServerAddressError) -> SocketAddress {
        if let address = SocketAddress(host: host, port: port) { return address }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let result = getaddrinfo(host, nil, &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard result == 0 else { throw .unresolved(host, String(cString: gai_strerror(result))) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = Self.address(entry.pointee, port) { found.append(address) }
            next = entry.pointee.ai_next
        }
        let reachable = found.filter(Self.hasRoute)
        guard let address = reachable.first(where: { $0.ipv4 != nil }) ?? reachable.first ?? found.first else {
            throw .unresolved(host, "it has no address")
        }
        return address
    }

    /// Whether the kernel knows a way there; connecting a datagram socket sends nothing.
    private static func hasRoute(_ address: SocketAddress) -> Bool {
        let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return address.withKernelAddress { connect(descriptor, $0, $1) } == 0
    }

    /// Where a flow to it goes: its address in numbers.
    ///
    /// - Throws: why there is none.
    public func target() throws(ServerAddressError) -> FlowTarget {
        let address = try resolve()
        var host: [UInt8] = []
        address.appendHost(to: &host)
        host.removeAll { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]") }
        return FlowTarget(transport: .tcp, host: ByteString(host), port: address.port)
    }

    private static func address(_ entry: addrinfo, _ port: UInt16) -> SocketAddress? {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard let address = entry.ai_addr,
            getnameinfo(address, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        let host = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return SocketAddress(host: host, port: port)
    }
}

/// What is wrong with a server's address.
public enum ServerAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing says how to speak.
    case noScheme(String)
    /// A transport that phones do not speak here.
    case unknownScheme(String)
    /// It is no host with a port.
    case malformed(String)
    /// The port is no number from 1 to 65535.
    case badPort(String)
    /// The name has no address.
    case unresolved(String, String)

    /// What is wrong, and the mend.
    public var description: String {
        switch self {
        case .noScheme(let text): "'\(text)' names no transport; write tcp://\(text.isEmpty ? "127.0.0.1:5060" : text)"
        case .unknownScheme(let scheme): "'\(scheme)' is not spoken here, tcp is; write tcp://HOST:PORT"
        case .malformed(let text): "'\(text)' is no server; write tcp://HOST:PORT, an IPv6 address in brackets"
        case .badPort(let port): "'\(port)' is no port; write a number from 1 to 65535"
        case .unresolved(let host, let reason):
            "\(host) can't be resolved: \(reason); say where the server is with --server tcp://127.0.0.1:5060"
        }
    }
}
