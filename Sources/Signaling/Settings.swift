public import SIP

/// All that can be set of the rules.
///
/// The defaults are the server's.
public struct Settings: Sendable {
    /// The domains served, lower case; each is the realm of its accounts.
    ///
    /// The first is the one the server speaks as.
    public var domains: [ByteString] = []
    /// The host and port to name in Via and Record-Route; the flow's own local address where it is nil.
    public var advertise: ByteString?
    /// The digest algorithms offered, best first.
    public var algorithms: [DigestAlgorithm] = [.sha256, .md5]
    /// Algorithms for user agents whose User-Agent begins so.
    public var userAgentAlgorithms: [(prefix: ByteString, algorithms: [DigestAlgorithm])] = []
    /// How long a nonce is good for.
    public var nonceLifetime = Interval.seconds(300)
    /// Whether even requests from registered flows are challenged.
    public var challengesEveryRequest = false

    /// The least time a registration is granted; less is answered 423.
    public var minExpires = Interval.seconds(60)
    /// The time granted where none is asked for.
    public var defaultExpires = Interval.seconds(3600)
    /// The most that is granted.
    public var maxExpires = Interval.seconds(7200)
    /// The fraction by which a granted time is shortened at random, so that phones do not come back all at once.
    public var expiryJitter = 0.1
    /// Contacts of one address-of-record.
    public var maxContacts = 10
    /// Whether a 200 to REGISTER carries a Service-Route.
    public var sendsServiceRoute = true

    /// The Flow-Timer clients are given; zero for none.
    ///
    /// Carriers are known that forget an idle connection after 300 s, and a client may take all of its time.
    public var flowTimer = Interval.seconds(270)
    /// How long a flow may be silent beyond its Flow-Timer.
    public var flowGrace = Interval.seconds(30)
    /// How long a flow that authenticated but never registered may be silent.
    public var idleLimit = Interval.seconds(300)

    /// T1, T2, T4.
    public var timers = TransactionTimers()
    /// Timer C: how long a phone may ring.
    public var timerC = Interval.seconds(185)
    /// When another way to a device is tried beside one that has not answered at all.
    public var signOfLifeWithin = Interval.seconds(2)
    /// When a 100 leaves if nothing better has come (RFC 3261 section 17.2.1).
    public var tryingAfter = Interval.milliseconds(200)
    /// Max-Breadth of requests that bring none (RFC 5393).
    public var maxBreadth: UInt32 = 60
    /// Branches of one request.
    public var forkLimit = 20
    /// How long a call waits for a caller whose flow broke before it is cancelled.
    public var callerPatience = Interval.seconds(8)

    /// Requests that one flow may bring; trusted flows have no limit.
    public var requestsPerFlow = RateLimit(perSecond: 1000, burst: 10_000)
    /// A flow whose requests were too many so many times, and that never paused, is closed.
    public var excessPerFlow: UInt16 = 20_000
    /// Requests that one account may make, over all its flows.
    public var requestsPerAccount = RateLimit(perSecond: 1000, burst: 10_000)
    /// Wrong passwords for one account that have no consequence; each minute forgives one, 0 forgives all.
    public var failuresPerAccount = 10
    /// Wrong passwords from one source that have no consequence; each second forgives one, 0 forgives all.
    public var failuresPerSource = 200
    /// The longest that an account or a source has to wait after a wrong password too many.
    public var longestDelay = Interval.seconds(60)

    /// Bounds on messages.
    public var limits = Limits()
    /// Requests that may wait for an account or a commit at once; more are answered 503.
    public var maxWaiting = 50_000
    /// Accounts remembered.
    public var maxCachedAccounts = 200_000

    /// The defaults.
    public init() {}
}
