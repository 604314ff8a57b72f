import Glibc
import SIP
import Simulator
import WakelineServer

extension Command {
    /// Runs a simulated world.
    static let simulate = Command(
        "simulate",
        summary: "Run a simulated world of phones, networks and servers, and hold it to its rules.",
        options: [
            Option("--phones", "COUNT", help: "phones in all; 1000 where it is not given"),
            Option("--hours", "HOURS", help: "hours of the world's time; 1"),
            Option("--seed", "NUMBER", help: "the same seed gives the same world; 1"),
            Option("--seeds", "COUNT", help: "run so many worlds, with seeds that follow one another; 1"),
            Option(
                "--vary",
                help: "small busy worlds whose kind follows from the seed; only --seed and --seeds count then"
            ),
            Option("--nodes", "COUNT", help: "servers, each with its share of the users; 1"),
            Option("--calls", "COUNT", help: "calls that each phone makes in 24 hours; 2"),
            Option("--messages", "COUNT", help: "messages that each phone sends in 24 hours; 2"),
            Option("--flow-timer", "SECONDS", help: "the Flow-Timer clients are given; 270"),
            Option("--trace", "PHONE", help: "show all messages of this phone"),
            Option("--faults", "FACTOR", help: "how much goes wrong: 0 for nothing, 1 for a bad day; 1"),
        ],
        run: runSimulation
    )
}

@Sendable
private func runSimulation(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    var scenario = Scenario()
    var seeds = 1
    var mistake: String?
    func read<Number: LosslessStringConvertible & Comparable>(
        _ option: String,
        _ bounds: ClosedRange<Number>,
        _ take: (Number) -> Void
    ) {
        guard let text = arguments.value(option) else { return }
        guard let number = Number(text), bounds.contains(number) else {
            mistake = mistake ?? "\(option) \(text) is no number from \(bounds.lowerBound) to \(bounds.upperBound)"
            return
        }
        take(number)
    }
    read("--phones", 2...2_000_000) { scenario.phones = $0 }
    read("--hours", 0.01...1000) { scenario.hours = $0 }
    read("--seed", 0...UInt64.max) { scenario.seed = $0 }
    read("--seeds", 1...1_000_000) { seeds = $0 }
    read("--nodes", 1...64) { scenario.nodes = $0 }
    read("--calls", 0...10_000.0) { scenario.callsPerDay = $0 }
    read("--messages", 0...10_000.0) { scenario.messagesPerDay = $0 }
    read("--flow-timer", 30...7200) { scenario.flowTimer = $0 }
    read("--faults", 0...100.0) { scenario.faults = $0 }
    var traced: Int?
    read("--trace", 0...2_000_000) { traced = $0 }
    if let mistake {
        terminal.report("wakeline simulate: \(mistake)\nsee wakeline simulate --help")
        return .usage
    }
    guard let hashes = try? Hashes.openSSL() else {
        terminal.report("wakeline simulate: OpenSSL lacks MD5 or SHA-256; is it restricted to FIPS?")
        return .failure
    }
    for offset in 0..<seeds {
        var one = scenario
        one.seed = scenario.seed &+ UInt64(offset)
        if arguments.has("--vary") { one = Scenario.varied(seed: one.seed) }
        guard simulate(one, hashes, terminal, traced, isShort: seeds > 1) else { return .unhealthy }
    }
    return .success
}

/// Runs one world and reports on it.
///
/// - Returns: whether all rules held.
private func simulate(
    _ scenario: Scenario,
    _ hashes: Hashes,
    _ terminal: Terminal,
    _ traced: Int?,
    isShort: Bool
) -> Bool {
    let began = seconds()
    let world = World(scenario, hashes: hashes)
    if let traced { world.traced = (traced, { terminal.print($0) }) }
    world.run { hours in
        guard !isShort else { return }
        let line = "\(hours) h, \(world.tally.events) events, \(Int(seconds() - began)) s"
        if terminal.isInteractive { terminal.error("\r\(line)\u{1b}[K") } else { terminal.report(line) }
    }
    if terminal.isInteractive, !isShort { terminal.error("\r\u{1b}[K") }
    for violation in world.violations { terminal.report(violation.description) }
    if isShort {
        let verdict = world.violations.isEmpty ? "all rules held" : "a rule was broken"
        terminal.print("seed \(scenario.seed): \(verdict), \(world.tally.events) events")
    } else {
        terminal.print("\(WorldReport(world))")
        let elapsed = max(seconds() - began, 0.001)
        // These two lines are about the machine it ran on; all others are about the world.
        terminal.print(
            "speed: \(Int(scenario.hours * 3600 / elapsed)) times real time, \(Int(elapsed.rounded())) s in all"
        )
        terminal.print("memory: \(peakMemory()) MB at the most")
    }
    return world.violations.isEmpty
}

private func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The most memory the process has had, in megabytes.
private func peakMemory() -> Int {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss / 1024
}
