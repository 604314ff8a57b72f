public import Flows
public import Observability
import PhoneKit
public import Reactor
public import SIP
import Softphone

/// A load on a server: many phones on one loop, which do what the plan says and check every answer.
///
/// Lives on its loop, and stops it at the end.
public final class LoadRun {
    /// What has been seen so far.
    public internal(set) var figures = LoadFigures()
    /// Is told each second how it goes.
    public var progress: (LoadProgress) -> Void = { _ in }

    let plan: LoadPlan
    let loop: EventLoop
    let driver: PhoneDriver
    let carrier: FlowCarrier<PhoneDriver>
    let stopwatch = FlowStopwatch()
    let meter: ServerMeter?
    var phones: [LoadPhone] = []
    /// Phones that have nothing to do, the one that has rested longest first.
    var idle = Queue<Int32>()
    /// When operations have to be over, in the order they began: all have the same time.
    var patience = Queue<Patience>()
    var wheel: TimerWheel<Errand>
    var pacers: [Pacer] = []
    /// Operations under way, by kind.
    var open = [Int](repeating: 0, count: Operation.allCases.count)
    var stage = Stage.settingUp
    /// Phones that were told to start.
    var started = 0
    var beganAt: Int64 = 0
    var loadBeganAt: Int64 = 0
    var isCounting = false
    var sample = LoadFigures.Sample()
    var sampleTimes = [Histogram](repeating: Histogram(), count: Operation.allCases.count)
    var abusers: Abusers?
    private var ticker: DeadlineTimer?
    private var cpuAtBegin: (own: Int64, server: Int64?) = (0, nil)
    private var countingSince: Int64 = 0

    enum Stage: Hashable {
        /// Phones connect and register.
        case settingUp
        case running
        /// What is under way may end.
        case ending
        case done
    }

    /// Something to do later: for a phone, in the operation it was arranged in.
    struct Errand: BitwiseCopyable {
        enum Kind: UInt8 { case answer, hangUp }

        var kind: Kind
        var phone: Int32
        var generation: UInt32
    }

    /// When an operation has to be over.
    struct Patience: BitwiseCopyable {
        var until: Instant
        var phone: Int32
        var generation: UInt32
    }

    /// Prepares a load.
    ///
    /// - Parameters:
    ///   - plan: what is to be done.
    ///   - hashes: MD5 and SHA-256.
    ///   - random: random bits.
    ///   - loop: where it is to run.
    ///   - settings: how connections are carried.
    ///   - logger: for trouble with sockets.
    public init(
        _ plan: LoadPlan,
        hashes: Hashes,
        random: RandomSource,
        loop: EventLoop,
        settings: FlowSettings,
        logger: Logger
    ) {
        self.plan = plan
        self.loop = loop
        var policy = PhonePolicy()
        policy.userAgent = ByteString()
        policy.maxCalls = 1
        let host = PhoneHost(policy: policy, hashes: hashes, random: random)
        let now = loop.time
        driver = PhoneDriver(host: host, now: now)
        carrier = FlowCarrier(loop: loop, receiver: driver, settings: settings, logger: logger)
        carrier.stopwatch = stopwatch
        wheel = TimerWheel(now: now.monotonic)
        meter = plan.serverProcess.map { ServerMeter(process: $0) }
        for index in 0..<plan.phones { phones.append(addPhone(index, now)) }
        pacers = plan.paces.map { Pacer($0.operation, $0.pace) }
        driver.observer = { [unowned self] report, now in self.heard(report, now) }
        if plan.paces.contains(where: { $0.operation == .abuse }) {
            abusers = Abusers(plan, loop: loop, settings: settings, logger: logger)
        }
    }

    private func addPhone(_ index: Int, _ now: Now) -> LoadPhone {
        let number = plan.firstPhone + index
        var instance: [UInt8] = []
        instance.append(text: "urn:uuid:00000000-0000-1000-8000-")
        instance.append(hex: UInt64(number), digits: 12)
        let user = ByteString(plan.userName(number))
        let identity = PhoneIdentity(
            address: AddressOfRecord(user: user, domain: ByteString(plan.domain)),
            secret: .password(ByteString(plan.password(number))),
            instance: ByteString(instance),
            proxies: [plan.servers[index % plan.servers.count]]
        )
        var uri: [UInt8] = []
        identity.address.appendURI(to: &uri)
        _ = driver.add(identity, now: now)
        return LoadPhone(uri: ByteString(uri))
    }

    /// Begins; the loop is run by the caller.
    public func start() {
        beganAt = Clock.microseconds()
        if let memory = meter?.memory() { figures.serverMemory = (memory, memory) }
        loop.endOfTurn = { [unowned self] in
            if self.loop.pace != nil || self.stage == .running && self.hasWindows { self.look() }
            self.turnEnded()
        }
        ticker = DeadlineTimer(loop: loop) { [unowned self] in self.tick() }
        tick()
    }

    private func turnEnded() {
        carrier.turnEnded()
        abusers?.turnEnded()
    }

    /// Ends before its time.
    public func interrupt() { if stage != .done { finish() } }

    /// The next moment of the grid has come, and there are turns between the moments.
    private func tick() {
        look()
        guard stage != .done else { return }
        turnEnded()
        if loop.pace == nil { ticker?.schedule(at: onGrid(loop.time.monotonic + .milliseconds(1)).milliseconds) }
    }

    /// Does what has become due.
    private func look() {
        let now = loop.time
        let microseconds = Clock.microseconds()
        startPhones(microseconds, now)
        while let errand = wheel.expire(at: now.monotonic) { perform(errand, now) }
        giveUp(now)
        if stage == .running { begin(microseconds, now) }
        let second = Int((microseconds - beganAt) / 1_000_000)
        if second > sample.second { closeSample(second) }
        if stage == .ending, open.reduce(0, +) == 0 { finish() }
    }

    /// The first moment of the grid that is not before a time.
    func onGrid(_ time: Instant) -> Instant {
        let grid = max(plan.grid, 1)
        return Instant(milliseconds: (time.milliseconds + grid - 1) / grid * grid)
    }

    /// Whether all begins at given rates, so that nothing happens sooner for looking at answers sooner: then there are no
    /// turns between the moments of the grid, and all that came since the last is handled together.
    private var isAtRates: Bool {
        !plan.storm
            && plan.paces.allSatisfy {
                if case .rate = $0.pace { true } else { false }
            }
    }

    /// Whether some operation is always under way, so that the next begins where one ends.
    private var hasWindows: Bool {
        plan.paces.contains {
            if case .window = $0.pace { true } else { false }
        }
    }

    private func startPhones(_ microseconds: Int64, _ now: Now) {
        // The steady ones are there first where the others are to storm.
        let steady = plan.storm ? min(plan.steady, phones.count) : phones.count
        var wanted = phones.count
        if stage == .settingUp {
            let elapsed = Double(microseconds - beganAt) / 1e6
            let paced = plan.ramp > 0 ? Int(elapsed * plan.ramp) + 1 : steady
            wanted = min(steady, paced)
        } else if plan.storm, microseconds - loadBeganAt < Int64((plan.warmUp + 1) * 1e6) {
            wanted = started
        }
        while started < wanted, stage == .settingUp || stage == .running {
            let index = started
            started += 1
            let operation: Operation = stage == .settingUp ? .setUp : .reconnect
            startOperation(operation, index, now)
            driver.perform(index, now: now) { $0.start(now: now) }
        }
        guard stage == .settingUp, started >= steady, open[Operation.setUp.rawValue] == 0,
            microseconds - beganAt >= Int64(plan.setUpAtLeast * 1e6)
        else { return }
        figures.setUpSeconds = Double(microseconds - beganAt) / 1e6
        noteMemory()
        guard plan.seconds > 0 else { return finish() }
        stage = .running
        loadBeganAt = microseconds
        if isAtRates { loop.pace = plan.grid }
        if plan.warmUp <= 0 { beginCounting(microseconds) }
    }

    private func begin(_ microseconds: Int64, _ now: Now) {
        let elapsed = Double(microseconds - loadBeganAt) / 1e6
        if !isCounting, elapsed >= plan.warmUp, figures.seconds == 0 { beginCounting(microseconds) }
        if elapsed >= plan.warmUp + plan.seconds {
            endCounting(microseconds)
            // What phones that only rest cost is known when the server has forgotten how they came; a storm brings most late.
            if pacers.isEmpty || plan.storm { noteMemory() }
            stage = .ending
            return
        }
        for index in pacers.indices {
            let operation = pacers[index].operation
            let due = pacers[index].due(
                at: elapsed,
                of: plan.warmUp + plan.seconds,
                open: open[operation.rawValue]
            )
            for _ in 0..<due { begin(operation, now) }
        }
    }

    private func noteMemory() {
        guard let before = figures.serverMemory?.before, let after = meter?.memory() else { return }
        figures.serverMemory = (before, after)
    }

    private func beginCounting(_ microseconds: Int64) {
        isCounting = true
        countingSince = microseconds
        cpuAtBegin = (Clock.cpu(), meter?.cpu())
    }

    private func endCounting(_ microseconds: Int64) {
        guard isCounting else { return }
        isCounting = false
        figures.seconds = Double(microseconds - countingSince) / 1e6
        figures.ownCPU = Clock.cpu() - cpuAtBegin.own
        if let before = cpuAtBegin.server, let after = meter?.cpu() { figures.serverCPU = after - before }
    }

    private func closeSample(_ second: Int) {
        for operation in Operation.allCases.indices {
            sample.p50[operation] = sampleTimes[operation].quantile(0.5) ?? 0
            sample.p99[operation] = sampleTimes[operation].quantile(0.99) ?? 0
            if sampleTimes[operation].count > 0 { sampleTimes[operation] = Histogram() }
        }
        figures.samples.append(sample)
        progress(LoadProgress(sample: sample, registered: phones.count { $0.isRegistered }, phones: phones.count))
        sample = LoadFigures.Sample()
        sample.second = second
    }

    private func finish() {
        if isCounting { endCounting(Clock.microseconds()) }
        figures.registered = phones.count { $0.isRegistered }
        closeSample(sample.second + 1)
        stage = .done
        driver.observer = nil
        carrier.closeAll()
        carrier.turnEnded()
        loop.stop()
    }
}

/// How a load goes.
public struct LoadProgress: Sendable {
    /// The last second.
    public var sample: LoadFigures.Sample
    /// Phones that are registered.
    public var registered: Int
    /// Phones in all.
    public var phones: Int
}
