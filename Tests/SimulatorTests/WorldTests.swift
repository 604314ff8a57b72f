import SIP
import TestSupport
import Testing

@testable import Simulator

@Suite("Worlds hold to their rules") struct WorldTests {
    static func scenario(seed: UInt64, _ change: (inout Scenario) -> Void = { _ in }) -> Scenario {
        var scenario = Scenario.varied(seed: seed)
        change(&scenario)
        return scenario
    }

    static func broken(_ scenario: Scenario) -> String? {
        let world = World(scenario, hashes: .openSSL)
        world.run()
        return world.violations.first?.description
    }

    @Test("with faults of all kinds", arguments: 11...18)
    func seeds(seed: Int) {
        let broken = Self.broken(Self.scenario(seed: UInt64(seed)))
        #expect(broken == nil, "\(broken ?? "")")
    }

    /// Worlds that broke a rule once, by what was wrong.
    static let finds: [(what: String, seed: UInt64)] = [
        ("a phone whose flow was closed kept its requests for ever", 1),
        ("an app that was opened again waited out its back-off", 5),
        ("a call stayed with the dead one of two flows", 9),
        ("a call that was given up rang on a new flow", 46),
        ("a phone with two lines called by the dead one", 4),
        ("a caller that changed networks dropped its call", 7),
        ("a call by the second line ended with the first", 10),
        ("a flow stayed that a lost one had taken the place of", 179),
    ]

    @Test("where it was broken once", arguments: finds)
    func found(what: String, seed: UInt64) {
        let broken = Self.broken(Self.scenario(seed: seed))
        #expect(broken == nil, "\(what): \(broken ?? "")")
    }

    @Test("with twenty times the calls, and no faults", arguments: 1...2)
    func busy(seed: Int) {
        let broken = Self.broken(
            Self.scenario(seed: UInt64(seed)) {
                $0.callsPerDay = 1200
                $0.faults = 0
            }
        )
        #expect(broken == nil, "\(broken ?? "")")
    }

    @Test("one seed is one world, to the byte")
    func sameWorld() {
        func run(_ seed: UInt64) -> (report: String, traffic: String) {
            let world = World(Self.scenario(seed: seed) { $0.faults = 6 }, hashes: .openSSL)
            var traffic = ""
            world.traced = (7, { traffic += $0 })
            world.run()
            return ("\(WorldReport(world))", traffic)
        }
        let first = run(11)
        let second = run(11)
        #expect(first.report == second.report)
        #expect(first.traffic == second.traffic)
        #expect(!first.traffic.isEmpty)
        #expect(run(12).report != first.report)
    }

    @Test("people reach each other in a world without faults")
    func figures() {
        let scenario = Self.scenario(seed: 4) {
            $0.faults = 0
            // Less than any carrier forgets after.
            $0.flowTimer = 250
        }
        let world = World(scenario, hashes: .openSSL)
        world.run()
        let tally = world.tally
        let calls = tally.outcomes.reduce(0, +)
        #expect(calls > 100)
        #expect(tally.ringTimes.reduce(0, +) > calls * 9 / 10)
        #expect(tally.outcomes[Int(CallRecord.Outcome.lost.rawValue)] == 0)
        #expect(tally.messagesAnswered > 0 && tally.messagesFailed == 0)
        #expect(tally.pings > 0 && tally.refreshes > 0 && tally.pushes > 0)
    }
}
