public import SIP

/// Where to listen, as the operator writes it: `tcp://127.0.0.1:5060`, `tcp://[::1]:5060`, `tcp://*:5060`.
public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
    /// What is spoken there.
    public var transport: TransportKind
    /// The addresses to bind: one, or for `*` those of both IP versions.
    ///
    /// Port 0 lets the kernel choose.
    public var addresses: [SocketAddress]
    /// Whether it was `*`, which does without IPv6 where there is none.
    public var isAnyAddress: Bool

    /// Listens on one address.
    public init(transport: TransportKind = .tcp, _ address: SocketAddress) {
        self.transport = transport
        addresses = [address]
        isAnyAddress = false
    }

    /// Reads what the operator wrote.
    ///
    /// - Parameter text: `tcp://HOST:PORT`; without a port, 5060. HOST is an IPv4 address, an IPv6 address in brackets,
    ///   or `*` for all addresses of both.
    /// - Throws: what is wrong with it and the mend.
    public init(_ text: String) throws(ListenAddressError) {
        guard let slashes = text.utf8.firstRange(of: "://".utf8) else { throw .noScheme(text) }
        let scheme = String(text[..<slashes.lowerBound]).lowercased()
        guard scheme == "tcp" else { throw .unknownScheme(text, scheme: scheme) }
        let (host, port) = try Self.split(text[slashes.upperBound...], of: text)
        transport = .tcp
        isAnyAddress = host == "*"
        if isAnyAddress {
            addresses = [SocketAddress(ipv4: 0, port: port), SocketAddress(high: 0, low: 0, port: port)]
            return
        }
        guard let address = SocketAddress(host: host, port: port) else { throw .notAnAddress(text, host: host) }
        addresses = [address]
    }

    /// Cuts host and port, the host without its brackets.
    private static func split(
        _ place: Substring,
        of text: String
    ) throws(ListenAddressError) -> (host: String, port: UInt16) {
        var host = place
        var port: Substring?
        if place.first == "[" {
            guard let bracket = place.firstIndex(of: "]") else { throw .notAnAddress(text, host: String(place)) }
            host = place[place.index(after: place.startIndex)..<bracket]
            let rest = place[place.index(after: bracket)...]
            guard host.contains(":"), rest.isEmpty || rest.first == ":" else {
                throw .notAnAddress(text, host: String(place))
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
            port = place[place.index(after: colon)...]
            // More colons: an IPv6 address without its brackets.
            if port?.contains(":") == true { throw .notAnAddress(text, host: String(place)) }
        }
        guard let port else { return (String(host), 5060) }
        guard port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(port) else {
            throw .badPort(text, port: String(port))
        }
        return (String(host), number)
    }

    /// As it is written.
    public var description: String {
        guard let first = addresses.first else { return "tcp://" }
        return isAnyAddress ? "tcp://*:\(first.port)" : "tcp://\(first)"
    }
}

/// What is wrong with a listen address.
public enum ListenAddressError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing says how to speak.
    case noScheme(String)
    /// A transport that is not served.
    case unknownScheme(String, scheme: String)
    /// The host is no IP address.
    case notAnAddress(String, host: String)
    /// The port is no number from 0 to 65535.
    case badPort(String, port: String)

    /// What is wrong.
    public var problem: String {
        switch self {
        case .noScheme(let text): "'\(text)' names no transport"
        case .unknownScheme(let text, let scheme):
            "'\(text)': \(scheme.isEmpty ? "an empty scheme" : scheme) is not served here, tcp is"
        case .notAnAddress(let text, let host): "'\(text)': '\(host)' is no IP address to listen on"
        case .badPort(let text, let port): "'\(text)': '\(port)' is no port"
        }
    }

    /// What to write instead.
    public var mend: String {
        switch self {
        case .noScheme(let text): "write tcp://\(text.isEmpty ? "127.0.0.1:5060" : text)"
        case .unknownScheme: "write tcp://HOST:PORT"
        case .notAnAddress: "write an IPv4 address, an IPv6 address in brackets such as [::1], or * for all"
        case .badPort: "write a number from 0 to 65535 (0 takes a free one)"
        }
    }

    /// A sentence that names the mend.
    public var description: String { "\(problem): \(mend)" }
}
