import PhoneKit
public import SIP
import Signaling

/// A world in memory: phones, the network, nodes and their disks, with a clock that jumps from event to event.
///
/// All that is random comes from one seed, and nothing depends on anything else, so the same scenario is the same world
/// to the byte.
public final class World {
    let scenario: Scenario
    let hashes: Hashes
    var queue = EventQueue()
    /// Milliseconds since the world began.
    public internal(set) var time: Int64 = 0
    var pipes = PipeTable()
    var parcels = ParcelStore()
    var nodes: [Node] = []
    var handsets: [Handset] = []
    /// The handsets of each user.
    var devices: [[Int]] = []
    /// What the nodes find of each user when they look; nil until one did.
    var accounts: [Account?] = []
    let host: PhoneHost
    var reports: [PhoneReport] = []

    var networkRandom: SeededRandom
    var peopleRandom: SeededRandom
    var faultRandom: SeededRandom
    let nodeRandom: RandomSource

    /// Calls by number; nil once all is known of them.
    var calls: [CallRecord?] = []
    var callNumbers: [ByteString: Int] = [:]
    var openCalls = 0
    /// Ways to the network that are cut off at the moment.
    var isCut = [Bool](repeating: false, count: Access.all.count)
    /// Until when.
    var cutUntil = [Int64](repeating: 0, count: Access.all.count)
    /// Whether people and faults are at rest.
    var isQuieting = false
    /// What has been counted so far.
    public internal(set) var tally = Tally()
    /// Rules that were broken; the first stops the world.
    public internal(set) var violations: [Violation] = []

    /// The phone whose messages are shown, and how.
    public var traced: (phone: Int, show: (String) -> Void)?

    /// The wall clock when the world began.
    static let dawn: Int64 = 1_800_000_000_000

    /// Makes a world.
    ///
    /// - Parameters:
    ///   - scenario: what kind.
    ///   - hashes: MD5, SHA-256 and HMAC.
    public init(_ scenario: Scenario, hashes: Hashes) {
        self.scenario = scenario
        self.hashes = hashes
        networkRandom = SeededRandom(seed: scenario.seed, stream: 1)
        peopleRandom = SeededRandom(seed: scenario.seed, stream: 2)
        faultRandom = SeededRandom(seed: scenario.seed, stream: 3)
        nodeRandom = RandomSource(SeededRandom(seed: scenario.seed, stream: 4))
        var policy = PhonePolicy()
        policy.userAgent = ByteString()
        host = PhoneHost(
            policy: policy,
            hashes: hashes,
            random: RandomSource(SeededRandom(seed: scenario.seed, stream: 5))
        )
        for index in 0..<max(1, scenario.nodes) {
            nodes.append(Node(index: index))
            begin(nodes[index])
        }
        populate()
        if scenario.faults > 0 { arrangeFaults() }
    }

    /// The time as the rules are told it.
    var now: Now { Now(monotonic: Instant(milliseconds: time), wall: Self.dawn + time) }

    /// Runs the world to its end, or to the first rule that is broken.
    ///
    /// - Parameter progress: is told each hour of the world's time.
    public func run(progress: (_ hours: Int) -> Void = { _ in }) {
        let day = Int64(scenario.hours * 3_600_000)
        var hours = 0
        while violations.isEmpty, step(until: day) {
            while time >= Int64(hours + 1) * 3_600_000 {
                hours += 1
                progress(hours)
            }
        }
        guard violations.isEmpty else { return }
        time = day
        comeToRest()
    }

    /// Runs until a time, or to the first rule that is broken.
    func run(until end: Int64) {
        while violations.isEmpty, step(until: end) {}
        if violations.isEmpty { time = end }
    }

    /// Lets the next event happen, if it is not after `end`.
    private func step(until end: Int64) -> Bool {
        guard let entry = queue.take(until: end) else { return false }
        time = entry.time
        tally.events += 1
        happen(entry.event)
        return true
    }

    func arrange(_ kind: Event.Kind, _ first: Int, _ second: Int = 0, in milliseconds: Int64) {
        queue.arrange(Event(kind, first, second), at: time + max(0, milliseconds))
    }

    private func happen(_ event: Event) {
        let first = Int(event.first)
        let second = Int(event.second)
        switch event.kind {
        case .connectArrives: connectArrives(first, event.second)
        case .connectFails: connectFails(first, event.second)
        case .connectSucceeds: connectSucceeds(first, event.second)
        case .messageUp: messageUp(first, second)
        case .messageDown: messageDown(first, second)
        case .pingUp: pingUp(first, event.second)
        case .pongDown: pongDown(first, event.second)
        case .closeUp: closeUp(first, event.second)
        case .closeDown: closeDown(first, event.second)
        case .pathFails: pathFails(first, event.second)
        case .silenceEnds: silenceEnds(first, event.second)
        case .nodeGivesUp: nodeGivesUp(first, event.second)
        case .phoneGivesUp: phoneGivesUp(first, event.second)
        case .nodeTimer: nodeTimer(nodes[first])
        case .accountFound: accountFound(nodes[first], second)
        case .commitDone: commitDone(nodes[first], event.second)
        case .nodeCrashes: nodeCrashes(nodes[first], losesPower: second == 1)
        case .nodeRestarts: nodeRestarts(nodes[first])
        case .phoneTimer: phoneTimer(handsets[first])
        case .dial: dial(handsets[first])
        case .place: place(first, attempt: second)
        case .decide: decide(handsets[first], second)
        case .handsetHangsUp: hangsUp(handsets[first], second)
        case .callerGivesUp: callerGivesUp(first)
        case .fallsAsleep: fallsAsleep(handsets[first])
        case .isOpened: isOpened(handsets[first])
        case .isKilled: isKilled(handsets[first], second)
        case .isCharged: isCharged(handsets[first])
        case .changesNetwork: changesNetwork(handsets[first])
        case .keepAliveHandler: keepAliveHandler(handsets[first])
        case .pushArrives: pushArrives(handsets[first])
        case .says: says(handsets[first])
        case .partitionBegins: partitionBegins(first, seconds: second)
        case .partitionEnds: partitionEnds(first)
        case .diskFaultBegins:
            nodes[first].disk.isFaulty = true
            tally.diskFaults += 1
        case .diskFaultEnds:
            nodes[first].disk.isFaulty = false
            nodes[first].disk.mendedAt = time
        case .mustRing: mustRing(first)
        case .mustBeSilent: mustBeSilent(first)
        case .mustBeOver: mustBeOver(first)
        case .mustBeRegistered: mustBeRegistered(handsets[first], event.second)
        }
    }

    func trace(_ handset: Int, _ direction: StaticString, _ bytes: some Sequence<UInt8>) {
        guard let traced, traced.phone == handset else { return }
        traced.show("\(WorldTime(time)) \(direction)\n\(ByteString(bytes))")
    }

    func broke(_ rule: Violation.Rule, _ what: String, _ journal: [String]) {
        violations.append(Violation(rule: rule, seed: scenario.seed, time: time, what: what, journal: journal))
    }
}
