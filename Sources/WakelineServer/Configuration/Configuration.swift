public import Flows
public import Observability
public import SIP

/// All that an operator can set; the defaults are what a server does without a file.
///
/// Read once, checked as a whole, and passed on by value: nothing else reads files, environment or flags. What each key
/// means for an operator stands in `ConfigurationKey.all`, from which `docs/configuration.md` is made.
public struct Configuration: Sendable, Equatable {
    /// Where to accept connections.
    public var listen = [
        ListenAddress(SocketAddress(ipv4: 0, port: 5060)),
        ListenAddress(SocketAddress(high: 0, low: 0, port: 5060)),
    ]
    /// The domains this server is responsible for, in lower case.
    public var domains: [String] = []
    /// The directory that holds all that must not be forgotten.
    public var data = "/var/lib/wakeline"
    /// Sources without limits.
    public var trust: [CIDR] = []
    /// What Via and Record-Route say; nil for the local address of each flow.
    public var advertise: AdvertisedAddress?
    /// What is logged.
    public var log = LogSettings()
    /// The call journal.
    public var journal = Journal()
    /// How passwords are asked for.
    public var digest = Digest()
    /// Registrations.
    public var registrar = Registrar()
    /// Connections.
    public var flow = Flow()
    /// Forwarding, and the timers of transactions.
    public var proxy = Proxy()
    /// Bounds on messages.
    public var limits = Limits()
    /// Limits against abuse.
    public var abuse = Abuse()
    /// How the server stops.
    public var shutdown = Shutdown()

    /// The defaults.
    public init() {}

    /// The call journal.
    public struct Journal: Sendable, Equatable {
        /// Bytes of each of its two files.
        public var size = 64 << 20
    }

    /// How passwords are asked for.
    public struct Digest: Sendable, Equatable {
        /// What is offered, in order.
        public var algorithms: [DigestAlgorithm] = [.sha256, .md5]
        /// What is offered instead to user agents that can't cope, by the beginning of their User-Agent.
        public var userAgents = [
            UserAgentRule(prefix: "baresip v1.", algorithms: [.md5]),
            UserAgentRule(prefix: "baresip 1.", algorithms: [.md5]),
        ]
        /// How long a nonce is good.
        public var nonceLifetime = Interval.seconds(300)
        /// Whether each request is challenged, instead of each connection once.
        public var challengeEveryRequest = false
    }

    /// Registrations.
    public struct Registrar: Sendable, Equatable {
        /// The shortest lease; less is answered 423.
        public var minExpires = Interval.seconds(60)
        /// The lease for who asks for none.
        public var defaultExpires = Interval.seconds(3_600)
        /// The longest lease; more is cut.
        public var maxExpires = Interval.seconds(7_200)
        /// The part of a lease by which it is shortened at random.
        public var expiryJitter = 0.1
        /// Contacts of one address-of-record.
        public var maxContacts = 10
        /// Whether a Service-Route is given.
        public var serviceRoute = true
    }

    /// Connections.
    public struct Flow: Sendable, Equatable {
        /// The Flow-Timer given to clients; zero for none.
        public var timer = Interval.seconds(270)
        /// Silence beyond the Flow-Timer that is forgiven.
        public var grace = Interval.seconds(30)
        /// How long data may stay unacknowledged.
        public var userTimeout = Interval.seconds(25)
        /// The traffic class of signaling.
        public var dscp = 40
        /// Bytes of a write queue from which only what can't wait is sent.
        public var writeMark = 256 << 10
        /// Bytes of a write queue at which the connection is closed.
        public var writeBound = 1 << 20
        /// From accept to the first whole message.
        public var firstMessage = Interval.seconds(10)
        /// From accept to authentication.
        public var authentication = Interval.seconds(30)
    }

    /// Forwarding, and the timers of transactions.
    public struct Proxy: Sendable, Equatable {
        /// How long a callee may ring (RFC 3261, timer C).
        public var timerC = Interval.seconds(185)
        /// Branches of one request, over all proxies (RFC 5393).
        public var maxBreadth = 60
        /// Branches that one fork may have here.
        public var forkLimit = 20
        /// The estimate of a round trip (RFC 3261, T1).
        public var t1 = Interval.milliseconds(500)
        /// The longest pause between retransmissions (RFC 3261, T2).
        public var t2 = Interval.milliseconds(4_000)
        /// How long a message may stay in the network (RFC 3261, T4).
        public var t4 = Interval.milliseconds(5_000)
        /// When a request without an answer gets a 100.
        public var tryingAfter = Interval.milliseconds(200)
    }

    /// Bounds on messages.
    public struct Limits: Sendable, Equatable {
        /// Bytes of a start line.
        public var startLine = 64 << 10
        /// Bytes of the start line and header section.
        public var headerSection = 64 << 10
        /// Bytes of a body.
        public var body = 64 << 10
        /// Header fields of a message.
        public var headerFields = 256
    }

    /// Limits against abuse; 0 switches one off.
    public struct Abuse: Sendable, Equatable {
        /// Connections of one source.
        public var connections = 10_000
        /// New connections of one source a second.
        public var newConnections = 500
        /// Requests of one connection a second.
        public var flowRequests = 1_000
        /// Requests of one account a second.
        public var accountRequests = 1_000
        /// Wrong passwords from one source without consequence.
        public var sourceFailures = 200
        /// Wrong passwords for one account without consequence.
        public var accountFailures = 10
        /// The longest delay after more.
        public var longestDelay = Interval.seconds(60)
    }

    /// How the server stops.
    public struct Shutdown: Sendable, Equatable {
        /// How long calls that are being set up may take.
        public var drain = Interval.seconds(10)
    }
}
