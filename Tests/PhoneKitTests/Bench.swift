import SIP
import TestSupport
import Testing

@testable import PhoneKit

/// A phone on a bench: its clock is moved by hand, and the test plays the server.
final class Bench {
    let host: PhoneHost
    let phone: Phone
    private(set) var time: Int64 = 1_000_000
    /// What the phone sent and the test has not read.
    private(set) var sent: [(flow: FlowID, message: Message)] = []
    private(set) var pings: [FlowID] = []
    private(set) var connects: [ConnectTicket] = []
    private(set) var closed: [(flow: FlowID, reason: CloseReason)] = []
    private(set) var tags: [FlowTag] = []
    /// What the phone told, and the test has not read.
    private(set) var told: [String] = []
    private(set) var handles: [CallHandle] = []
    private var serial: UInt64 = 0
    private var branches = 0

    init(
        lines: Int = 1,
        push: PushParameters? = nil,
        secret: Secret = .password("secret"),
        _ change: (inout PhonePolicy) -> Void = { _ in }
    ) {
        var policy = PhonePolicy()
        change(&policy)
        var generator = SplitMix64(seed: 11)
        let random = RandomSource { words in
            for index in words.indices { words[index] = generator.next() }
        }
        host = PhoneHost(policy: policy, hashes: .openSSL, random: random)
        phone = Phone(
            id: 5,
            identity: PhoneIdentity(
                address: AddressOfRecord(user: "alice", domain: "example.test"),
                secret: secret,
                instance: "urn:uuid:00000000-0000-8000-8000-000000000001",
                proxies: Array(repeating: FlowTarget(transport: .tcp, host: "192.0.2.1", port: 5060), count: lines),
                push: push
            ),
            host: host,
            now: Now(monotonic: Instant(milliseconds: 1_000_000), wall: 1_800_000_000_000)
        )
    }

    var now: Now {
        Now(monotonic: Instant(milliseconds: time), wall: 1_800_000_000_000 + time - 1_000_000)
    }

    /// Has the phone do something, and reads what comes of it.
    @discardableResult
    func act<Result>(_ body: (Phone, Now) -> Result) -> Result {
        let result = body(phone, now)
        drain()
        return result
    }

    /// Moves the clock, stopping wherever the phone wants to be woken.
    func pass(_ interval: Interval, _ location: SourceLocation = #_sourceLocation) {
        let end = time + interval.milliseconds
        var turns = 0
        while let next = phone.nextDeadline, next.milliseconds <= end {
            time = max(time, next.milliseconds)
            act { $0.advance(to: $1) }
            turns += 1
            guard turns < 10_000 else {
                Issue.record("the phone wants to be woken for ever", sourceLocation: location)
                return
            }
        }
        time = end
        act { $0.advance(to: $1) }
    }

    /// Moves the clock second by second until something is true.
    ///
    /// - Returns: how long that took.
    @discardableResult
    func pass(
        atMost most: Interval,
        until condition: () -> Bool,
        _ location: SourceLocation = #_sourceLocation
    ) -> Interval {
        let start = time
        while !condition(), time - start < most.milliseconds { pass(.seconds(1)) }
        #expect(condition(), "not within \(most.seconds) s", sourceLocation: location)
        return .milliseconds(time - start)
    }

    private func drain() {
        let outbox = host.outbox
        for entry in outbox.entries {
            switch entry {
            case .send(let flow, let range):
                let bytes = Array(outbox.arena[range])
                if bytes == Array("\r\n\r\n".utf8) { pings.append(flow) } else { sent.append((flow, Message(bytes))) }
            case .connect(let ticket, _): connects.append(ConnectTicket(rawValue: ticket))
            case .close(let flow, let reason): closed.append((flow, reason))
            case .tag(_, let tag): tags.append(tag)
            case .keepAlive, .watch: break
            }
        }
        outbox.removeAll()
        var reports: [PhoneReport] = []
        host.takeReports(into: &reports)
        for report in reports {
            #expect(report.phone == 5)
            told.append(describe(report.event))
        }
    }

    // MARK: what the test reads

    /// The next message; its start line has to begin so.
    func next(_ start: String, _ location: SourceLocation = #_sourceLocation) throws -> Message {
        guard !sent.isEmpty else {
            Issue.record("nothing was sent, \(start) is wanted", sourceLocation: location)
            throw Missing()
        }
        let message = sent.removeFirst().message
        let line = message.text(message.startLine)
        #expect(line.hasPrefix(start), "\(line) instead of \(start)", sourceLocation: location)
        return message
    }

    struct Missing: Error {}

    /// Forgets what was sent, told and closed so far.
    func forget() {
        sent = []
        told = []
        pings = []
        closed = []
        connects = []
    }

    /// Takes what was told.
    func takeTold() -> [String] {
        defer { told = [] }
        return told
    }

    var isQuiet: Bool { sent.isEmpty }

    // MARK: what the server does

    func newFlow() -> FlowID {
        serial += 1
        return FlowID(slot: Int(serial), serial: serial)
    }

    /// Lets the next `connect` succeed.
    @discardableResult
    func open(_ location: SourceLocation = #_sourceLocation) throws -> FlowID {
        guard !connects.isEmpty else {
            Issue.record("no flow is wanted", sourceLocation: location)
            throw Missing()
        }
        let ticket = connects.removeFirst()
        let flow = newFlow()
        let local = SocketAddress(ipv4: 0xc000_0205, port: UInt16(truncatingIfNeeded: 40_000 + serial))
        let info = FlowInfo(transport: .tcp, local: local, remote: SocketAddress(ipv4: 0xc000_0201, port: 5060))
        act { $0.connected(ticket, flow, info, now: $1) }
        return flow
    }

    /// Lets the next `connect` fail.
    func refuseConnection() {
        let ticket = connects.removeFirst()
        act { $0.connectFailed(ticket, .peer, now: $1) }
    }

    func deliver(_ flow: FlowID, _ text: String) {
        act { $0.received(flow, Array(text.utf8).span, now: $1) }
    }

    /// Answers a request of the phone's.
    func answer(
        _ request: Message,
        _ flow: FlowID,
        _ status: Int,
        tag: String = "server",
        _ lines: [String] = [],
        body: String = ""
    ) {
        var text = "SIP/2.0 \(status) Because\r\n"
        for field in request.fields {
            switch field.name {
            case .via, .from, .callID, .cseq: text += request.text(field.line)
            case .to:
                let line = request.text(field.line).split(separator: "\r\n").joined()
                text += line.contains(";tag=") || status == 100 ? "\(line)\r\n" : "\(line);tag=\(tag)\r\n"
            default: break
            }
        }
        for line in lines { text += "\(line)\r\n" }
        deliver(flow, text + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    }

    /// Sends a request to the phone.
    func request(
        _ flow: FlowID,
        _ method: String,
        callID: String = "in-1",
        cseq: Int = 1,
        from: String = "<sip:bob@example.test>;tag=bob",
        to: String = "<sip:alice@example.test>",
        branch: String? = nil,
        _ lines: [String] = [],
        body: String = ""
    ) {
        branches += 1
        var text = "\(method) sip:alice@192.0.2.5:40001;transport=tcp SIP/2.0\r\n"
        text += "Via: SIP/2.0/TCP 192.0.2.1:5060;branch=\(branch ?? "z9hG4bK-\(branches)")\r\nMax-Forwards: 69\r\n"
        text += "Record-Route: <sip:token@192.0.2.1:5060;transport=tcp;lr>\r\n"
        text += "From: \(from)\r\nTo: \(to)\r\nCall-ID: \(callID)\r\nCSeq: \(cseq) \(method)\r\n"
        if method == "INVITE" { text += "Contact: <sip:bob@192.0.2.9:5062;transport=tcp>\r\n" }
        for line in lines { text += "\(line)\r\n" }
        deliver(flow, text + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
    }

    /// Registers a line as far as the test's server goes: one flow, one 200.
    @discardableResult
    func register(
        line: Int = 0,
        expires: Int = 3600,
        _ lines: [String] = ["Flow-Timer: 300"],
        _ location: SourceLocation = #_sourceLocation
    ) throws -> FlowID {
        let flow = try open(location)
        accept(try next("REGISTER", location), flow, expires: expires, lines)
        return flow
    }

    /// Grants a REGISTER what it asks for.
    func accept(_ register: Message, _ flow: FlowID, expires: Int = 3600, _ lines: [String] = ["Flow-Timer: 300"]) {
        let contact = register.text(register.fields.first { $0.name == .contact }?.value ?? 0..<0)
        answer(register, flow, 200, ["Contact: \(contact);expires=\(expires)"] + lines)
    }

    /// A phone that is started and registered, with nothing left to read.
    static func registered(
        lines: Int = 1,
        push: PushParameters? = nil,
        _ change: (inout PhonePolicy) -> Void = { _ in }
    ) throws -> (Bench, [FlowID]) {
        let bench = Bench(lines: lines, push: push, change)
        bench.act { $0.start(now: $1) }
        var flows: [FlowID] = []
        for _ in 0..<lines { flows.append(try bench.open()) }
        for flow in flows { bench.accept(try bench.next("REGISTER"), flow) }
        bench.forget()
        return (bench, flows)
    }

    private func describe(_ event: PhoneEvent) -> String {
        switch event {
        case .registered(let line, let expires, let isRefresh):
            return "registered \(line) \(expires)\(isRefresh ? " again" : "")"
        case .registrationFailed(let line, let failure, let retry):
            return "failed \(line) \(describe(failure))\(retry == nil ? " for good" : "")"
        case .unregistered(let line): return "unregistered \(line)"
        case .flowLost(let line, let reason, _): return "lost \(line) \(reason)"
        case .pong(let line, let time): return "pong \(line) \(time.milliseconds)"
        case .incomingCall(let handle, let call):
            handles.append(handle)
            return "incoming \(call.callID) from \(call.from)"
        case .callArrived(_, let call): return "arrived \(call.callID)"
        case .callProgress(_, let status, _): return "progress \(status)"
        case .callAccepted(_, let session): return "accepted \(String(decoding: session, as: UTF8.self))"
        case .callConfirmed(_, let session): return "confirmed \(String(decoding: session, as: UTF8.self))"
        case .callEnded(_, let end): return "ended \(end)"
        case .offered(_, let session): return "offered \(String(decoding: session, as: UTF8.self))"
        case .offerAnswered(_, let status, _): return "offer answered \(status)"
        case .requestAudio: return "audio"
        case .releaseAudio: return "no audio"
        case .message(let from, let payload): return "message \(from) \(ByteString(payload.bytes))"
        case .answered(_, .answered(let status)): return "answered \(status)"
        case .answered(_, .failed(let failure)): return "unanswered \(describe(failure))"
        case .keepAliveHandlerFinished: return "handler finished"
        }
    }

    private func describe(_ failure: Failure) -> String {
        switch failure {
        case .status(let status): "\(status)"
        case .flow(let reason): "\(reason)"
        case .timeout: "timeout"
        }
    }
}

extension Message {
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// The value of the first field of a name; nil where there is none.
    func value(_ name: HeaderName) -> String? { fields.first { $0.name == name }.map { text($0.value) } }

    /// A parameter of a digest header field, without its quotes.
    func digest(_ name: HeaderName, _ parameter: String) -> String? {
        guard let value = value(name), let start = value.range(of: "\(parameter)=") else { return nil }
        return String(value[start.upperBound...].drop { $0 == "\"" }.prefix { $0 != "\"" && $0 != "," })
    }
}

extension String {
    fileprivate func range(of part: String) -> Range<String.Index>? { firstRange(of: part) }
}
