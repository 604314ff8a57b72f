import Flows
import Observability
import SIP

extension ConfigurationKey {
    /// Every key there is, in the order of the reference.
    static let all: [ConfigurationKey] =
        top + observability + registrations + connections + forwarding + bounds + abuse + [drain]

    private static let top: [ConfigurationKey] = [
        key(
            "",
            "listen",
            \.listen,
            Codec<ListenAddress>.listenAddress.list(),
            "Where to accept connections; port 0 lets the system choose."
        ),
        key(
            "",
            "domains",
            \.domains,
            Codec<String>.domain.list(),
            "The domains this server is responsible for; `serve` needs one."
        ),
        key("", "data", \.data, .path, "The directory for accounts, bindings and the call journal; made when missing."),
        key(
            "",
            "trust",
            \.trust,
            Codec<CIDR>.addressRange.list(),
            "Sources without limits: the operator's own servers."
        ),
        key(
            "",
            "advertise",
            \.advertise,
            .advertised,
            "What Via and Record-Route say, behind NAT or a load balancer; else the local address of each connection."
        ),
    ]

    private static let observability: [ConfigurationKey] = [
        key(
            "log",
            "level",
            \.log.level,
            .level,
            "The least level that is written: trace, debug, info, notice, warning, error."
        ),
        key("log", "format", \.log.format, .logFormat, "`logfmt` for people, `json` for collectors."),
        key(
            "log",
            "subsystems",
            \.log.subsystems,
            Codec<LogLevel>.level.map().mapped(
                { Dictionary($0.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) },
                { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
            ),
            "Levels of parts of the server, where they differ: `{storage: debug}`."
        ),
        key(
            "journal",
            "size",
            \.journal.size,
            .size(4_096...(1 << 40)),
            "Bytes of each of the journal's two files; the older is dropped."
        ),
    ]

    private static let registrations: [ConfigurationKey] = [
        key(
            "digest",
            "algorithms",
            \.digest.algorithms,
            Codec<DigestAlgorithm>.algorithm.list(),
            "What is offered to clients, the best first (RFC 8760): SHA-256, MD5."
        ),
        key(
            "digest",
            "user-agents",
            \.digest.userAgents,
            Codec<DigestAlgorithm>.algorithm.list().map().mapped(
                { $0.map { Configuration.UserAgentRule(prefix: $0.key, algorithms: $0.value) } },
                { $0.map { ($0.prefix, $0.algorithms) } }
            ),
            "What is offered instead to user agents that fail otherwise, by the beginning of their User-Agent."
        ),
        key(
            "digest",
            "nonce-lifetime",
            \.digest.nonceLifetime,
            .duration(from: .seconds(1)),
            "How long a nonce is good; later requests are asked again without bothering the user."
        ),
        key(
            "digest",
            "challenge-every-request",
            \.digest.challengeEveryRequest,
            .bool,
            "Ask for the password on each request, instead of once on each connection."
        ),
        key(
            "registrar",
            "min-expires",
            \.registrar.minExpires,
            .duration(from: .seconds(1)),
            "The shortest registration; shorter ones are answered 423."
        ),
        key(
            "registrar",
            "default-expires",
            \.registrar.defaultExpires,
            .duration(from: .seconds(1)),
            "The registration of a client that asks for no length."
        ),
        key(
            "registrar",
            "max-expires",
            \.registrar.maxExpires,
            .duration(from: .seconds(1)),
            "The longest registration; longer ones are cut."
        ),
        key(
            "registrar",
            "expiry-jitter",
            \.registrar.expiryJitter,
            .fraction,
            "Each registration is shortened by up to this part, so that clients do not come back all at once."
        ),
        key(
            "registrar",
            "max-contacts",
            \.registrar.maxContacts,
            .number(1...1_000),
            "Devices of one address."
        ),
        key("registrar", "service-route", \.registrar.serviceRoute, .bool, "Give a Service-Route (RFC 3608)."),
    ]

    private static let connections: [ConfigurationKey] = [
        key(
            "flow",
            "timer",
            \.flow.timer,
            .duration(to: .seconds(86_400)),
            "The Flow-Timer given to clients (RFC 5626): they ping more often than this; 0 gives none."
        ),
        key("flow", "grace", \.flow.grace, .duration(), "Silence beyond the Flow-Timer that is forgiven."),
        key(
            "flow",
            "user-timeout",
            \.flow.userTimeout,
            .duration(to: .seconds(86_400)),
            "A connection whose data stays unacknowledged for this long is closed; 0 leaves it to the system."
        ),
        key("flow", "dscp", \.flow.dscp, .number(0...63), "The traffic class of signaling (DSCP); 40 is CS5."),
        key(
            "flow",
            "write-mark",
            \.flow.writeMark,
            .size(1_024...(1 << 30)),
            "With more than this waiting for a connection, only what can't wait is added."
        ),
        key(
            "flow",
            "write-bound",
            \.flow.writeBound,
            .size(1_024...(1 << 30)),
            "With more than this waiting for a connection, it is closed."
        ),
        key(
            "flow",
            "first-message",
            \.flow.firstMessage,
            .duration(from: .milliseconds(100)),
            "The first whole message must come within this."
        ),
        key(
            "flow",
            "authentication",
            \.flow.authentication,
            .duration(from: .milliseconds(100)),
            "A client must have proved who it is within this."
        ),
    ]

    private static let forwarding: [ConfigurationKey] = [
        key(
            "proxy",
            "timer-c",
            \.proxy.timerC,
            .duration(from: .seconds(1)),
            "How long a callee may ring (RFC 3261 asks for more than three minutes)."
        ),
        key(
            "proxy",
            "max-breadth",
            \.proxy.maxBreadth,
            .number(1...1_000),
            "Branches of one request at a time, over all proxies (RFC 5393)."
        ),
        key("proxy", "fork-limit", \.proxy.forkLimit, .number(1...1_000), "Devices that one request rings here."),
        key(
            "proxy",
            "t1",
            \.proxy.t1,
            .duration(from: .milliseconds(1)),
            "The estimate of a round trip (RFC 3261, T1); transactions time out after 64 of it."
        ),
        key(
            "proxy",
            "t2",
            \.proxy.t2,
            .duration(from: .milliseconds(1)),
            "The longest pause between retransmissions (RFC 3261, T2)."
        ),
        key(
            "proxy",
            "t4",
            \.proxy.t4,
            .duration(from: .milliseconds(1)),
            "How long a message may stay in the network (RFC 3261, T4)."
        ),
        key(
            "proxy",
            "trying-after",
            \.proxy.tryingAfter,
            .duration(),
            "A request without an answer for this long gets a 100."
        ),
    ]

    private static let bounds: [ConfigurationKey] = [
        key("limits", "start-line", \.limits.startLine, .size(256...(1 << 24)), "The longest start line."),
        key(
            "limits",
            "header-section",
            \.limits.headerSection,
            .size(1_024...(1 << 24)),
            "The longest start line and header section together."
        ),
        key("limits", "body", \.limits.body, .size(0...(1 << 26)), "The longest body."),
        key("limits", "header-fields", \.limits.headerFields, .number(16...65_535), "Header fields of one message."),
    ]

    private static let abuse: [ConfigurationKey] = [
        key(
            "abuse",
            "connections",
            \.abuse.connections,
            .number(0...1_000_000),
            "Connections of one source: an IPv4 address, or the /64 of an IPv6 address; 0 for any number."
        ),
        key(
            "abuse",
            "new-connections",
            \.abuse.newConnections,
            .number(0...100_000),
            "New connections of one source a second, and ten times as many at once; 0 for any number."
        ),
        key(
            "abuse",
            "flow-requests",
            \.abuse.flowRequests,
            .number(0...100_000),
            "Requests of one connection a second, and ten times as many at once; more are answered 503, and go on to close it."
        ),
        key(
            "abuse",
            "account-requests",
            \.abuse.accountRequests,
            .number(0...100_000),
            "Requests of one account a second, and ten times as many at once; more are answered 503."
        ),
        key(
            "abuse",
            "source-failures",
            \.abuse.sourceFailures,
            .number(0...1_000_000),
            "Wrong passwords of one source without consequence; a second forgives one. After more it waits, ever longer."
        ),
        key(
            "abuse",
            "account-failures",
            \.abuse.accountFailures,
            .number(0...1_000_000),
            "Wrong passwords for one account without consequence; a minute forgives one. Registered phones never wait."
        ),
        key(
            "abuse",
            "longest-delay",
            \.abuse.longestDelay,
            .duration(from: .seconds(1), to: .seconds(3_600)),
            "The longest wait after wrong passwords; until then, who tries again is answered 503 with Retry-After."
        ),
    ]

    private static let drain: ConfigurationKey = key(
        "shutdown",
        "drain",
        \.shutdown.drain,
        .duration(to: .seconds(3_600)),
        "How long calls that are being set up may take when the server stops."
    )

    private static func key<Value>(
        _ section: String,
        _ name: String,
        _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        _ codec: Codec<Value>,
        _ meaning: String
    ) -> ConfigurationKey {
        ConfigurationKey(section, name, path, codec, meaning)
    }
}
