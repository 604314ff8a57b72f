import Observability
import PhoneKit
import SIP
import Signaling
import TestSupport
import Testing

@testable import Flows
@testable import Reactor
@testable import Softphone

/// A server and phones on one loop, over real sockets.
final class Loopback {
    let loop: EventLoop
    let core: Core
    let server: FlowCarrier<Core>
    let address: SocketAddress
    /// Carriers of phones, by what ends their turns.
    var turns: [() -> Void] = []
    private var timer: DeadlineTimer?

    init(_ change: (inout Settings) -> Void = { _ in }) throws {
        loop = try EventLoop()
        var settings = Settings()
        settings.domains = ["example.test"]
        change(&settings)
        core = Core(
            settings: settings,
            hashes: .openSSL,
            random: Self.random(7),
            secret: [UInt8](repeating: 3, count: 32),
            now: loop.time
        )
        server = FlowCarrier(loop: loop, receiver: core, logger: Self.logger)
        let bound = try server.listen(on: ListenAddress("tcp://127.0.0.1:0"))
        address = try #require(bound.first)
        timer = DeadlineTimer(loop: loop) {}
        takeTurns()
    }

    /// Takes the end of the loop's turns back from what was made last.
    func takeTurns() {
        loop.endOfTurn = { [unowned self] in
            self.server.turnEnded()
            self.runErrands()
            self.server.turnEnded()
            for turn in self.turns { turn() }
        }
    }

    /// Runs turns until something is true; fails after ten seconds.
    func run(
        until condition: () -> Bool,
        _ what: String = "",
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let deadline = loop.now.monotonic + 10_000
        loop.endOfTurn?()
        while !condition() {
            guard loop.now.monotonic < deadline else {
                Issue.record("not within ten seconds: \(what)", sourceLocation: location)
                throw TooLate()
            }
            // Wakes at least so often, to look.
            timer?.schedule(at: loop.now.monotonic + 20)
            try loop.runTurn()
        }
    }

    struct TooLate: Error {}

    /// A phone with a voice; `user` has the password `secret`.
    func phone(
        _ user: String,
        lines: Int = 1,
        settings: VoiceSettings = VoiceSettings(),
        _ change: (inout PhonePolicy) -> Void = { _ in }
    ) -> VoicePhone {
        var policy = PhonePolicy()
        change(&policy)
        let phone = VoicePhone(
            identity(user, lines: lines),
            policy: policy,
            settings: settings,
            hashes: .openSSL,
            random: Self.random(UInt64(user.utf8.first ?? 1)),
            loop: loop,
            logger: Self.logger
        )
        turns.append { phone.turnEnded() }
        takeTurns()
        return phone
    }

    func identity(_ user: String, lines: Int = 1) -> PhoneIdentity {
        let address = AddressOfRecord(user: ByteString(user), domain: "example.test")
        return PhoneIdentity(
            address: address,
            secret: .password("secret"),
            instance: InstanceURN.derived(from: address, host: "here", .openSSL),
            proxies: Array(
                repeating: FlowTarget(transport: .tcp, host: "127.0.0.1", port: self.address.port),
                count: lines
            )
        )
    }

    static var logger: Logger { Logger(subsystem: "test", level: .error, sink: Nowhere()) }

    static func random(_ seed: UInt64) -> RandomSource {
        var generator = SplitMix64(seed: seed)
        return RandomSource { words in
            for index in words.indices { words[index] = generator.next() }
        }
    }

    private func runErrands() {
        var errands: [Errand] = []
        core.takeErrands(into: &errands)
        for errand in errands {
            switch errand {
            case .persist(let ticket, _, _): core.persisted(ticket, now: loop.time)
            case .lookUp(let ticket, let address):
                core.account(ticket, address, Self.account(address), now: loop.time)
            case .record, .registration, .foreignDomain: break
            }
        }
    }

    private static func account(_ address: AddressOfRecord) -> Account? {
        let text = Array("\(address.user):\(address.domain):secret".utf8)
        var scratch: [UInt8] = []
        var md5: [UInt8] = []
        var sha256: [UInt8] = []
        DigestAlgorithm.md5.appendHexHash(of: text, .openSSL, &scratch, &md5)
        DigestAlgorithm.sha256.appendHexHash(of: text, .openSSL, &scratch, &sha256)
        return Account(ha1MD5: md5, ha1SHA256: sha256)
    }
}

private struct Nowhere: LogSink {
    func take(_ line: LogLine) {}
}

/// Keeps what a phone tells.
final class Notes {
    private(set) var events: [VoiceEvent] = []
    private let teller = EventTeller(servers: ["one", "two"], address: "somebody")
    private let phone: VoicePhone
    var onEvent: (VoiceEvent) -> Void = { _ in }

    init(_ phone: VoicePhone) {
        self.phone = phone
        phone.observer = { [unowned self] event in
            self.events.append(event)
            self.onEvent(event)
        }
    }

    /// The kinds of what was told, in order.
    var types: [String] { events.map { teller.record($0).type } }

    func has(_ type: String) -> Bool { types.contains(type) }

    var summaries: [CallSummary] {
        events.compactMap {
            if case .ended(let summary) = $0 { return summary }
            return nil
        }
    }
}
