/// How a message travels (RFC 3261 section 18, RFC 7118).
public enum TransportKind: UInt8, Sendable, CaseIterable {
    case udp
    case tcp
    case tls
    case ws
    case wss

    /// Whether retransmissions are the transport's business (RFC 3261 section 17).
    public var isReliable: Bool { self != .udp }

    /// The name in a Via's sent-protocol: `TCP`, `WSS`, ...
    public var viaName: StaticString {
        switch self {
        case .udp: "UDP"
        case .tcp: "TCP"
        case .tls: "TLS"
        case .ws: "WS"
        case .wss: "WSS"
        }
    }

    /// The value of a URI's `transport` parameter; RFC 3261 section 26.2.2 deprecates `tls`, so TLS is `tcp` there.
    public var uriName: StaticString {
        switch self {
        case .udp: "udp"
        case .tcp, .tls: "tcp"
        case .ws, .wss: "ws"
        }
    }
}
