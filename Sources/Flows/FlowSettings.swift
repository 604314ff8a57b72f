public import SIP

/// All that can be set about carrying flows; the defaults are fit for production.
public struct FlowSettings: Hashable, Sendable {
    /// Bounds on what a peer may send.
    public var limits = Limits()
    /// The traffic class of signaling, 0 to 63: CS5 (RFC 4594 section 4.1).
    public var dscp: UInt8 = 40
    /// How long sent data may stay without acknowledgement before the kernel gives a connection up (TCP_USER_TIMEOUT).
    public var userTimeout = Interval.seconds(25)
    /// Bytes in a flow's write queue beyond which the flow counts as congested and nothing more is read from it.
    public var congestionMark = 256 << 10
    /// Bytes in a flow's write queue beyond which that flow is closed.
    public var queueBound = 1 << 20
    /// How long a message may take from its first byte to its last, and a new flow until anything whole has come.
    ///
    /// Trusted flows may take any time.
    public var messageDeadline = Interval.seconds(10)
    /// How long a flow may live before it has authenticated.
    ///
    /// Trusted flows need not.
    public var authenticationDeadline = Interval.seconds(30)
    /// How long a peer may take to accept a flow that we open.
    public var connectDeadline = Interval.seconds(10)
    /// Our addresses for flows that we open, in turn, among those of the target's IP version; where there is none the
    /// kernel chooses.
    ///
    /// One address has some 28,000 ports to one target. Port 0 lets the kernel choose the port, and is what is wanted
    /// unless only one flow is ever opened.
    public var localAddresses: [SocketAddress] = []
    /// How long a closing flow may take to write what is queued.
    public var closeDeadline = Interval.seconds(5)
    /// How long a flow that was answered and refused is kept for the peer to read the answer.
    public var lingerDeadline = Interval.seconds(2)
    /// How long accepting rests when descriptors run out.
    public var acceptPause = Interval.milliseconds(200)
    /// How long connections wait for a descriptor before they are turned away, so that their peers try elsewhere.
    public var acceptPatience = Interval.seconds(2)
    /// Connections accepted in one turn of a listener, so that a storm does not keep the others waiting.
    public var acceptBatch = 256
    /// Flows that have not authenticated yet and are read in one turn, while others bring something; the rest waits for the
    /// next.
    ///
    /// So a call between phones that are there is not kept waiting by thousands that come at once.
    public var strangersPerTurn = 64
    /// The same where no flow that has authenticated has brought anything for a second.
    public var strangersPerQuietTurn = 512
    /// Connections that the kernel holds for a listener; it cuts this to `net.core.somaxconn`.
    public var backlog: Int32 = 4096
    /// Connections that one source may have: an IPv4 address, or an IPv6 /64; 0 for any number.
    ///
    /// Thousands of phones may share the address of a carrier's NAT; trusted sources have no limit.
    public var connectionsPerSource = 10_000
    /// How often one source may open a connection.
    public var newConnectionsPerSource = RateLimit(perSecond: 500, burst: 5000)
    /// Sources that are the operator's own.
    public var trusted: [CIDR] = []

    /// The defaults.
    public init() {}
}
