/// What became of a world, as text: the same to the byte for the same scenario.
public struct WorldReport: CustomStringConvertible {
    private let world: World

    /// Reports on a world that has run.
    public init(_ world: World) { self.world = world }

    /// A line a figure.
    public var description: String {
        let tally = world.tally
        let scenario = world.scenario
        var lines = [
            "world: \(scenario.phones) phones of \(world.devices.count) users, \(scenario.nodes) "
                + "node\(scenario.nodes == 1 ? "" : "s"), \(Self.decimal(scenario.hours)) h, seed \(scenario.seed), "
                + "faults \(Self.decimal(scenario.faults)), Flow-Timer \(scenario.flowTimer) s"
        ]
        let calls = tally.outcomes.reduce(0, +)
        lines.append("calls: \(calls)")
        for outcome in CallRecord.Outcome.allCases {
            lines.append("  \(outcome.words): \(tally.outcomes[Int(outcome.rawValue)])")
        }
        lines.append("  over, noticed by the silence only: \(tally.silentEnds)")
        lines.append("rang: \(tally.ringTimes.reduce(0, +)); INVITE to ring " + Self.quantiles(tally.ringTimes))
        lines.append("  from the wish to call, waking included: " + Self.quantiles(tally.reachTimes))
        lines.append(
            "messages of users: \(tally.messagesSent) sent, \(tally.messagesDelivered) arrived, "
                + "\(tally.messagesAnswered) answered, \(tally.messagesFailed) failed"
        )
        let wakeUps = tally.wakeUps.reduce(0, +)
        let phoneHours = Double(scenario.phones) * scenario.hours
        let perHour = phoneHours > 0 ? Double(wakeUps) / phoneHours : 0
        lines.append("wake-ups of radios: \(wakeUps), \(Self.decimal(perHour)) per phone and hour")
        for cause in Tally.Cause.allCases { lines.append("  for \(cause): \(tally.wakeUps[cause.rawValue])") }
        lines.append("pushes: \(tally.pushes), lost on the way: \(tally.lostPushes)")
        lines.append(
            "registrations: \(tally.registrations) new, \(tally.refreshes) renewed, \(tally.refusedRegistrations) failed; "
                + "commits: \(tally.commits)"
        )
        lines.append("connections: \(tally.connections); lost by phones: \(tally.lostFlows); pings: \(tally.pings)")
        lines.append(
            "messages: \(tally.messagesUp) from phones, \(tally.messagesDown) to phones; bytes: \(tally.bytes)"
        )
        lines.append(
            "faults: \(tally.crashes) crashes, \(tally.powerLosses) power losses, \(tally.partitions) partitions, "
                + "\(tally.diskFaults) disk faults, "
                + "\(tally.deadPaths) dead connections, \(tally.networkChanges) changes of network, \(tally.kills) ended apps"
        )
        lines.append("events: \(tally.events); checks beside those at every event: \(tally.checks)")
        lines.append("broken rules: \(world.violations.count)")
        return lines.joined(separator: "\n")
    }

    private static func quantiles(_ classes: [Int]) -> String {
        func text(_ perMille: Int) -> String { Tally.quantile(perMille, of: classes).map { "\($0) ms" } ?? "-" }
        return "p50 \(text(500)), p99 \(text(990)), p99.9 \(text(999))"
    }

    /// Two digits behind the point.
    private static func decimal(_ value: Double) -> String {
        let hundredths = Int64((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}

extension CallRecord.Outcome {
    fileprivate var words: String {
        switch self {
        case .answered: "answered"
        case .busyOrRejected: "busy or refused"
        case .cancelled: "given up while it rang"
        case .unanswered: "not answered"
        case .unreachable: "nobody there to ring"
        case .lost: "lost with a connection, a node or a phone"
        }
    }
}
