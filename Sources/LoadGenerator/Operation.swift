/// What phones of a load do, each counted and timed by itself.
public enum Operation: Int, CaseIterable, Sendable {
    /// Connect and register, challenge included.
    case setUp
    /// A ping and its pong.
    case ping
    /// A REGISTER that renews, with credentials for a nonce that is known.
    case refresh
    /// A REGISTER, its challenge, and the REGISTER that answers it.
    case register
    /// A MESSAGE, delivered and answered.
    case message
    /// A call from INVITE to the answered BYE; its time is that from INVITE to 180.
    case call
    /// Let go of the connection, connect and register again.
    case reconnect
    /// Something no honest client does; it is to be refused or closed.
    case abuse

    /// As options and reports name it.
    public var name: String {
        switch self {
        case .setUp: "set-up"
        case .ping: "ping"
        case .refresh: "refresh"
        case .register: "register"
        case .message: "message"
        case .call: "call"
        case .reconnect: "reconnect"
        case .abuse: "abuse"
        }
    }

    /// Reads a name.
    public init?(_ name: some StringProtocol) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }
}

/// How often something is done.
public enum Pace: Hashable, Sendable {
    /// So many begin each second, from the first rate to the second over the run, whether or not earlier ones have ended.
    case rate(from: Double, to: Double)
    /// So many are always under way.
    case window(Int)
}
