import SIP
import Signaling
import TestSupport
import Testing

/// A core with a hand-moved clock, and flows that are lists of messages.
final class World {
    let core: Core
    private(set) var time: Int64 = 1_000_000
    private var nextSerial: UInt64 = 1
    /// What was sent down each flow and not yet read.
    private(set) var sent: [FlowID: [Message]] = [:]
    private(set) var closedByCore: [FlowID: CloseReason] = [:]
    private(set) var silence: [FlowID: Interval?] = [:]
    private(set) var tags: [FlowID: FlowTag] = [:]
    private(set) var steps: [JournalStep] = []
    private(set) var registrations: [RegistrationChange] = []
    private(set) var foreignDomains: [ForeignDomain] = []
    /// Stored records by address-of-record.
    private(set) var stored: [ByteString: [UInt8]] = [:]
    private(set) var writes = 0
    /// A hash of all orders and errands of the core, in their order.
    private(set) var transcript = FNV1a()
    /// Passwords of the accounts there are.
    var accounts = ["alice@example.test": "a", "bob@example.test": "b", "carol@example.test": "c"]
    /// Whether `persist` is answered at once, with success.
    var commits = true
    private(set) var uncommitted: [UInt64] = []
    /// Whether `lookUp` is answered at once.
    var looksUp = true
    private var lookUps: [(ticket: UInt64, address: AddressOfRecord)] = []

    init(_ change: (inout Settings) -> Void = { _ in }) {
        var settings = Settings()
        settings.domains = ["example.test"]
        settings.expiryJitter = 0
        change(&settings)
        var state: UInt64 = 7
        let random = RandomSource { words in
            for index in words.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                words[index] = state ^ state >> 31
            }
        }
        core = Core(
            settings: settings,
            hashes: .openSSL,
            random: random,
            secret: [UInt8](repeating: 3, count: 32),
            now: Now(monotonic: Instant(milliseconds: 1_000_000), wall: 1_800_000_000_000)
        )
    }

    var now: Now {
        Now(monotonic: Instant(milliseconds: time), wall: 1_800_000_000_000 + time - 1_000_000)
    }

    func open(
        _ transport: TransportKind = .tcp,
        port: UInt16 = 40_000,
        local: SocketAddress = SocketAddress(ipv4: 0x7f00_0001, port: 5060),
        remote: SocketAddress? = nil,
        isTrusted: Bool = false
    ) -> FlowID {
        let flow = FlowID(slot: Int(nextSerial), serial: nextSerial)
        nextSerial += 1
        core.opened(
            flow,
            FlowInfo(
                transport: transport,
                local: local,
                remote: remote ?? SocketAddress(ipv4: 0xc000_0201, port: port),
                isTrusted: isTrusted
            ),
            now: now
        )
        drain()
        return flow
    }

    func close(_ flow: FlowID) {
        core.closed(flow, .peer, now: now)
        drain()
    }

    /// Moves the clock, stopping wherever the core wants to be woken.
    func pass(_ interval: Interval) {
        let end = time + interval.milliseconds
        while let next = core.nextDeadline, next.milliseconds <= end {
            time = max(time, next.milliseconds)
            core.advance(to: now)
            drain()
        }
        time = end
        core.advance(to: now)
        drain()
    }

    /// Sends a message as written, with CRLF line ends and a right Content-Length.
    func send(_ flow: FlowID, _ text: String) {
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        let body = parts.count > 1 ? String(parts[1]) : ""
        let head = parts[0].split(separator: "\n").joined(separator: "\r\n")
        sendRaw(flow, head + "\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
    }

    func sendRaw(_ flow: FlowID, _ text: String) {
        core.received(flow, Array(text.utf8).span, now: now)
        drain()
    }

    /// Cuts bytes as a carrier would, and hands over what stands first in them.
    func feed(_ flow: FlowID, _ bytes: [UInt8]) {
        var framer = StreamFramer()
        switch framer.next(bytes.span, limits: core.settings.limits) {
        case .message(let length): core.received(flow, bytes.span.extracting(0..<length), now: now)
        case .fault(let fault): core.refused(flow, fault, head: bytes.span, now: now)
        case .incomplete, .blankLine, .ping: break
        }
        drain()
    }

    /// The next message that came down a flow.
    func next(_ flow: FlowID, _ location: SourceLocation = #_sourceLocation) throws -> Message {
        guard var queue = sent[flow], !queue.isEmpty else {
            Issue.record("nothing was sent down flow \(flow)", sourceLocation: location)
            throw Missing()
        }
        let first = queue.removeFirst()
        sent[flow] = queue
        return first
    }

    struct Missing: Error {}

    func isQuiet(_ flow: FlowID) -> Bool { sent[flow]?.isEmpty ?? true }

    func commit(success: Bool = true) {
        let tickets = uncommitted
        uncommitted = []
        for ticket in tickets {
            if success { core.persisted(ticket, now: now) } else { core.persistFailed(ticket, now: now) }
        }
        drain()
    }

    /// Answers all look-ups that wait.
    func answerLookUps(success: Bool = true) {
        let open = lookUps
        lookUps = []
        for (ticket, address) in open {
            if success {
                core.account(ticket, address, account(address), now: now)
            } else {
                core.accountFailed(ticket, now: now)
            }
        }
        drain()
    }

    /// Takes all that was sent down a flow.
    func takeAll(_ flow: FlowID) -> [Message] { sent.removeValue(forKey: flow) ?? [] }

    private func account(_ address: AddressOfRecord) -> Account? {
        accounts[address.description].flatMap { password in
            Account(
                ha1MD5: hex(.md5, "\(address.user):\(address.domain):\(password)"),
                ha1SHA256: hex(.sha256, "\(address.user):\(address.domain):\(password)")
            )
        }
    }

    private func drain() {
        while true {
            let entries = core.outbox.entries
            let arena = core.outbox.arena
            core.outbox.removeAll()
            var errands: [Errand] = []
            core.takeErrands(into: &errands)
            if entries.isEmpty, errands.isEmpty { return }
            for entry in entries {
                note(entry, arena)
                switch entry {
                case .send(let flow, let range): sent[flow, default: []].append(Message(Array(arena[range])))
                case .tag(let flow, let tag): tags[flow] = tag
                case .keepAlive(let flow, let interval): silence[flow] = .some(interval)
                case .close(let flow, let reason):
                    closedByCore[flow] = reason
                    core.closed(flow, reason, now: now)
                case .connect, .watch: Issue.record("the rules of a single node open no flows")
                }
            }
            for errand in errands {
                note(errand)
                run(errand)
            }
        }
    }

    private func note(_ entry: Outbox.Entry, _ arena: [UInt8]) {
        switch entry {
        case .send(let flow, let range):
            transcript.combine("send \(flow)".utf8)
            transcript.combine(arena[range])
        case .tag, .keepAlive, .close, .connect, .watch: transcript.combine("\(entry)".utf8)
        }
    }

    private func note(_ errand: Errand) {
        switch errand {
        case .persist(let ticket, let key, let value):
            transcript.combine("persist \(ticket) \(key) \(value ?? [])".utf8)
        case .lookUp(let ticket, let address): transcript.combine("look up \(ticket) \(address)".utf8)
        case .record(let step): transcript.combine("\(step.callID) \(step.wall) \(step.flow?.rawValue ?? 0)".utf8)
        case .registration(let change): transcript.combine("\(change.kind) \(change.address) \(change.contact)".utf8)
        case .foreignDomain(let asked): transcript.combine("foreign \(asked.domain)".utf8)
        }
    }

    private func run(_ errand: Errand) {
        switch errand {
        case .persist(let ticket, let key, let value):
            writes += 1
            stored[key] = value
            if commits { core.persisted(ticket, now: now) } else { uncommitted.append(ticket) }
        case .lookUp(let ticket, let address):
            if looksUp {
                core.account(ticket, address, account(address), now: now)
            } else {
                lookUps.append((ticket, address))
            }
        case .record(let step): steps.append(step)
        case .registration(let change): registrations.append(change)
        case .foreignDomain(let asked): foreignDomains.append(asked)
        }
    }
}

func hex(_ algorithm: DigestAlgorithm, _ text: String) -> [UInt8] {
    var scratch: [UInt8] = []
    var out: [UInt8] = []
    algorithm.appendHexHash(of: Array(text.utf8), .openSSL, &scratch, &out)
    return out
}

extension Message {
    /// The value of a header field, for tests.
    func value(_ name: HeaderName) -> String? { first(name).map { text($0.value) } }

    func values(_ name: HeaderName) -> [String] { values(name).map { text($0) } }

    var startLineText: String { String(text(startLine).dropLast()) }
}
