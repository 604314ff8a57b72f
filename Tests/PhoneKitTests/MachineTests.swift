import SIP
import Testing

@testable import PhoneKit

/// The machines row by row.
@Suite("Machines of a phone")
struct MachineTests {
    // MARK: registration

    /// Phase, event, next phase, action.
    static let registrationRows = """
        idle begin connecting connect
        idle opened idle close
        idle accepted idle none
        idle failed idle none
        idle refused refused none
        idle leave idle none
        idle timer idle none
        connecting begin connecting none
        connecting opened registering register
        connecting accepted connecting none
        connecting failed waiting none
        connecting refused refused none
        connecting leave idle close
        connecting timer connecting close
        registering begin registering none
        registering opened registering close
        registering accepted registered none
        registering failed waiting none
        registering refused refused none
        registering leave idle close
        registering timer registering none
        registered begin refreshing register
        registered opened registered close
        registered accepted registered none
        registered failed waiting none
        registered refused refused none
        registered leave leaving unregister
        registered timer refreshing register
        refreshing begin refreshing none
        refreshing opened refreshing close
        refreshing accepted registered none
        refreshing failed waiting none
        refreshing refused refused none
        refreshing leave leaving unregister
        refreshing timer refreshing none
        waiting begin connecting connect
        waiting opened waiting close
        waiting accepted waiting none
        waiting failed waiting none
        waiting refused refused none
        waiting leave idle none
        waiting timer connecting connect
        refused begin connecting connect
        refused opened refused close
        refused accepted refused none
        refused failed refused none
        refused refused refused none
        refused leave idle none
        refused timer refused none
        leaving begin leaving none
        leaving opened leaving close
        leaving accepted idle none
        leaving failed idle none
        leaving refused idle none
        leaving leave leaving none
        leaving timer leaving none
        """.split(separator: "\n").map(String.init)

    private static let start = Instant(milliseconds: 1000)

    private static func machine(_ phase: String) -> Registration {
        var machine = Registration()
        let path: [String] =
            switch phase {
            case "connecting": ["begin"]
            case "registering": ["begin", "opened"]
            case "registered": ["begin", "opened", "accepted"]
            case "refreshing": ["begin", "opened", "accepted", "begin"]
            case "waiting": ["begin", "failed"]
            case "refused": ["begin", "refused"]
            case "leaving": ["begin", "opened", "accepted", "leave"]
            default: []
            }
        for event in path { _ = apply(event, to: &machine) }
        return machine
    }

    private static func apply(_ event: String, to machine: inout Registration) -> Registration.Action {
        let later = start + .seconds(20)
        switch event {
        case "begin": return machine.begin(connectBy: later)
        case "opened": return machine.opened()
        case "leave": return machine.leave()
        case "timer": return machine.timerFired(connectBy: later)
        case "accepted": machine.accepted(seconds: 100, fraction: 0.5, now: start)
        case "failed": machine.failed(retry: later)
        default: machine.refused()
        }
        return .none
    }

    @Test("a registration goes from phase to phase as its table says", arguments: registrationRows)
    func registration(_ row: String) {
        let words = row.split(separator: " ").map(String.init)
        var machine = Self.machine(words[0])
        #expect("\(machine.phase)" == words[0])
        let action = Self.apply(words[1], to: &machine)
        #expect("\(machine.phase)" == words[2])
        #expect("\(action)" == words[3])
        // What ends by itself has a deadline, and nothing else has.
        switch machine.phase {
        case .connecting, .registered, .waiting: #expect(machine.deadline != nil)
        case .idle, .registering, .refreshing, .refused, .leaving: #expect(machine.deadline == nil)
        }
    }

    @Test("all phases and events are in the table")
    func wholeTable() {
        #expect(Set(Self.registrationRows.map { $0.split(separator: " ").prefix(2).joined() }).count == 8 * 7)
    }

    @Test("a binding is renewed after 80 to 90 % of its time", arguments: [0.0, 0.5, 0.999])
    func refresh(_ fraction: Double) throws {
        var machine = Self.machine("registering")
        machine.accepted(seconds: 1000, fraction: fraction, now: Self.start)
        let wait = try #require(machine.deadline) - Self.start
        #expect(wait >= .seconds(800) && wait < .seconds(900))
        #expect(machine.expiresAt == Self.start + .seconds(1000))
    }

    @Test("failures in a row are counted, until a flow proves good")
    func failures() {
        var machine = Registration()
        for count in 1...3 {
            _ = machine.begin(connectBy: Self.start)
            machine.countFailure()
            machine.failed(retry: Self.start)
            #expect(machine.failures == count)
        }
        _ = machine.begin(connectBy: Self.start)
        machine.proved()
        machine.countFailure()
        #expect(machine.failures == 0)
    }

    // MARK: keep-alive

    /// State, event, next state, action; times are in the tests below.
    static let keepAliveRows = """
        off ping off none
        off heard off none
        off early off none
        off due off none
        quiet ping waiting ping
        quiet heard quiet none
        quiet early quiet none
        quiet due waiting ping
        waiting ping waiting none
        waiting heard quiet pong
        waiting early waiting none
        waiting due off fail
        """.split(separator: "\n").map(String.init)

    @Test("a flow is kept alive as its table says", arguments: keepAliveRows)
    func keepAlive(_ row: String) {
        let words = row.split(separator: " ").map(String.init)
        var machine = KeepAlive()
        if words[0] != "off" { machine.begin(.seconds(80) ... .seconds(100), fraction: 0.5, now: Self.start) }
        if words[0] == "waiting" { #expect(machine.ping(pongWithin: .seconds(10), now: Self.start) == .ping) }
        let due = machine.deadline ?? Self.start
        #expect(due - Self.start == (words[0] == "quiet" ? .seconds(90) : words[0] == "waiting" ? .seconds(10) : .zero))
        let early = Instant(milliseconds: due.milliseconds - 1)
        let action: String
        switch words[1] {
        case "ping": action = "\(machine.ping(pongWithin: .seconds(10), now: early))"
        case "heard": action = machine.heard(fraction: 0.5, now: early) == nil ? "none" : "pong"
        case "early": action = "\(machine.timerFired(pongWithin: .seconds(10), now: early))"
        default: action = "\(machine.timerFired(pongWithin: .seconds(10), now: due))"
        }
        #expect(action == words[3])
        #expect((machine.deadline == nil) == (words[2] == "off"))
        #expect(machine.isWaiting == (words[2] == "waiting"))
    }

    @Test(
        "a Flow-Timer is pinged at 80 to 100 % of it (RFC 5626 section 4.4.1)",
        arguments: [1, 30, 300, .max] as [UInt32]
    )
    func flowTimer(_ seconds: UInt32) {
        let range = ClosedRange<Interval>.flowTimer(seconds)
        #expect(range.upperBound == .seconds(Int64(seconds)))
        #expect(range.lowerBound.milliseconds == Int64(seconds) * 800)
        var machine = KeepAlive()
        for fraction in [0.0, 0.5, 0.999_999] {
            machine.begin(range, fraction: fraction, now: Self.start)
            let wait = (machine.deadline ?? Self.start) - Self.start
            #expect(range.contains(wait))
        }
    }

    // MARK: back-off

    /// Failures in a row, whether all flows failed, the bounds of the wait in seconds (RFC 5626 section 4.5).
    static let backoffRows = """
        0 alone 15 30
        1 alone 30 60
        2 alone 60 120
        5 alone 480 960
        6 alone 900 1800
        7 alone 900 1800
        1000000 alone 900 1800
        -1 alone 15 30
        0 beside 45 90
        1 beside 90 180
        4 beside 720 1440
        5 beside 900 1800
        1000000 beside 900 1800
        """.split(separator: "\n").map(String.init)

    @Test("a flow that failed waits as RFC 5626 says", arguments: backoffRows)
    func backoff(_ row: String) throws {
        let words = row.split(separator: " ").map(String.init)
        let failures = try #require(Int(words[0]))
        let least = try #require(Int64(words[2]))
        let most = try #require(Int64(words[3]))
        func wait(_ fraction: Double) -> Interval {
            Backoff().wait(failures: failures, isAlone: words[1] == "alone", fraction: fraction)
        }
        #expect(wait(0) == .seconds(least))
        #expect(wait(0.5) == .milliseconds((least + most) * 500))
        #expect(wait(0.999_999_999) <= .seconds(most))
        #expect(wait(0.999_999_999) > .seconds(most - 1))
    }

    @Test("a base of any length does not overflow")
    func longBase() {
        var backoff = Backoff()
        backoff.baseAlone = Interval(milliseconds: .max)
        #expect(backoff.wait(failures: 20, isAlone: true, fraction: 0.999) <= backoff.most)
    }

    // MARK: what was shown

    @Test("what was shown is remembered for its time, and never more than a bound of it")
    func history() {
        var history = History()
        history.note([1], for: .seconds(10), now: Self.start)
        #expect(history.has([1], now: Self.start + .milliseconds(9_999)))
        #expect(!history.has([1], now: Self.start + .seconds(10)))
        #expect(!history.has([2], now: Self.start))
        for number in 0..<UInt8(100) { history.note([number], for: .seconds(10), now: Self.start) }
        #expect(history.has([99], now: Self.start))
        #expect(!history.has([0], now: Self.start))
    }
}
