/// What is known of a flow when it opens.
///
/// Plain and fixed in size.
public struct FlowInfo: Hashable, Sendable {
    /// How it travels.
    public var transport: TransportKind
    /// Our end.
    public var local: SocketAddress
    /// The other end, as seen here.
    public var remote: SocketAddress
    /// Whether the source is one of the operator's own (`--trust`): no limits apply.
    public var isTrusted: Bool

    /// Describes a flow.
    public init(transport: TransportKind, local: SocketAddress, remote: SocketAddress, isTrusted: Bool = false) {
        self.transport = transport
        self.local = local
        self.remote = remote
        self.isTrusted = isTrusted
    }
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
    /// The value of `+sip.instance`, without quotes and brackets.
    public var instance: ByteString?
    /// The `reg-id`, 0 without outbound.
    public var regID: UInt32

    /// Names a flow's owner.
    public init(addressOfRecord: ByteString, instance: ByteString?, regID: UInt32) {
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
