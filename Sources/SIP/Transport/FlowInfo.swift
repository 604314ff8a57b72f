/// What is known of a flow when it opens.
///
/// Plain and fixed in size; laid out by hand, since a node keeps two of each flow, and two `SocketAddress` side by side
/// have 12 bytes of padding between them.
public struct FlowInfo: Hashable, Sendable {
    private var remoteHigh, remoteLow, localHigh, localLow: UInt64
    private var remotePort, localPort: UInt16
    /// The transport, and the highest bit for trust.
    private var traits: UInt8

    private static let trustBit: UInt8 = 0x80

    /// Describes a flow.
    ///
    /// - Parameters:
    ///   - transport: how it travels.
    ///   - local: our end.
    ///   - remote: the other end, as seen here.
    ///   - isTrusted: whether the source is one of the operator's own (`--trust`).
    public init(transport: TransportKind, local: SocketAddress, remote: SocketAddress, isTrusted: Bool = false) {
        remoteHigh = remote.high
        remoteLow = remote.low
        remotePort = remote.port
        localHigh = local.high
        localLow = local.low
        localPort = local.port
        traits = transport.rawValue | (isTrusted ? Self.trustBit : 0)
    }

    /// How it travels.
    public var transport: TransportKind { TransportKind(rawValue: traits & ~Self.trustBit) ?? .tcp }

    /// Our end.
    public var local: SocketAddress { SocketAddress(high: localHigh, low: localLow, port: localPort) }

    /// The other end, as seen here.
    public var remote: SocketAddress { SocketAddress(high: remoteHigh, low: remoteLow, port: remotePort) }

    /// Whether the source is one of the operator's own (`--trust`): no limits apply.
    public var isTrusted: Bool { traits & Self.trustBit != 0 }
}

/// Where a flow is to be opened to.
public struct FlowTarget: Hashable, Sendable {
    /// How it is to travel.
    public var transport: TransportKind
    /// An address, without brackets, or a name for the carrier to resolve.
    public var host: ByteString
    /// The port.
    public var port: UInt16

    /// Names a target.
    public init(transport: TransportKind, host: ByteString, port: UInt16) {
        self.transport = transport
        self.host = host
        self.port = port
    }
}

/// Who a flow belongs to, stored with its socket (RFC 5626: instance and reg-id).
public struct FlowTag: Hashable, Sendable {
    /// The address-of-record that registered over it, `user@domain`.
    public var addressOfRecord: ByteString
    /// The value of `+sip.instance`, without quotes and brackets; a part of what its binding keeps anyway.
    public var instance: Excerpt?
    /// The `reg-id`, 0 without outbound.
    public var regID: UInt32

    /// Names a flow's owner.
    public init(addressOfRecord: ByteString, instance: Excerpt?, regID: UInt32) {
        self.addressOfRecord = addressOfRecord
        self.instance = instance
        self.regID = regID
    }
}

/// Why a flow ended.
public enum CloseReason: UInt8, Sendable, CaseIterable {
    /// The other end closed it.
    case peer
    /// The network or the kernel reported an error.
    case error
    /// Silent for longer than its Flow-Timer and grace.
    case silence
    /// No whole message in time, no authentication in time, or a write queue over its bound.
    case limit
    /// What came was no SIP.
    case garbage
    /// The rules asked for it: a newer flow of the same device, an expired registration.
    case replaced
    /// The server stops.
    case shutdown
}
