import Flows
import Observability
import SIP
import Signaling

/// The configuration in the words of those who work by it.
extension Configuration {
    /// What the rules are set to.
    var rules: Settings {
        var settings = Settings()
        settings.domains = domains.map { ByteString($0) }
        settings.advertise = advertise.map { ByteString($0.description) }
        settings.algorithms = digest.algorithms
        settings.userAgentAlgorithms = digest.userAgents.map { rule in
            (prefix: ByteString(rule.prefix), algorithms: rule.algorithms)
        }
        settings.nonceLifetime = digest.nonceLifetime
        settings.challengesEveryRequest = digest.challengeEveryRequest
        settings.minExpires = registrar.minExpires
        settings.defaultExpires = registrar.defaultExpires
        settings.maxExpires = registrar.maxExpires
        settings.expiryJitter = registrar.expiryJitter
        settings.maxContacts = registrar.maxContacts
        settings.sendsServiceRoute = registrar.serviceRoute
        settings.flowTimer = flow.timer
        settings.flowGrace = flow.grace
        settings.timers.t1 = proxy.t1
        settings.timers.t2 = proxy.t2
        settings.timers.t4 = proxy.t4
        settings.timerC = proxy.timerC
        settings.tryingAfter = proxy.tryingAfter
        settings.maxBreadth = UInt32(clamping: proxy.maxBreadth)
        settings.forkLimit = proxy.forkLimit
        settings.limits = messageLimits
        settings.requestsPerFlow = Self.rate(abuse.flowRequests)
        settings.excessPerFlow = UInt16(clamping: abuse.flowRequests * 20)
        settings.requestsPerAccount = Self.rate(abuse.accountRequests)
        settings.failuresPerSource = abuse.sourceFailures
        settings.failuresPerAccount = abuse.accountFailures
        settings.longestDelay = abuse.longestDelay
        return settings
    }

    /// So many a second, and ten seconds' worth at once.
    private static func rate(_ perSecond: Int) -> RateLimit { RateLimit(perSecond: perSecond, burst: perSecond * 10) }

    /// How flows are carried.
    var carriage: FlowSettings {
        var settings = FlowSettings()
        settings.limits = messageLimits
        settings.dscp = UInt8(clamping: flow.dscp)
        settings.userTimeout = flow.userTimeout
        settings.congestionMark = flow.writeMark
        settings.queueBound = flow.writeBound
        settings.messageDeadline = flow.firstMessage
        settings.authenticationDeadline = flow.authentication
        settings.trusted = trust
        settings.connectionsPerSource = abuse.connections
        settings.newConnectionsPerSource = Self.rate(abuse.newConnections)
        return settings
    }

    private var messageLimits: SIP.Limits {
        var limits = SIP.Limits()
        limits.startLine = self.limits.startLine
        limits.headerSection = self.limits.headerSection
        limits.body = self.limits.body
        limits.headerFields = self.limits.headerFields
        return limits
    }

    /// The keys that differ from another configuration and can't change while the server runs.
    func keysThatNeedRestart(comparedTo other: Configuration) -> [String] {
        var keys: [String] = []
        if listen != other.listen { keys.append("listen") }
        if data != other.data { keys.append("data") }
        if journal != other.journal { keys.append("journal.size") }
        if log.format != other.log.format { keys.append("log.format") }
        if flow.dscp != other.flow.dscp { keys.append("flow.dscp") }
        if flow.userTimeout != other.flow.userTimeout { keys.append("flow.user-timeout") }
        return keys
    }
}
