import SIP
import Signaling
import TestSupport

/// Flows, phones and a store that do whatever an input says, a byte an event and the bytes it takes.
///
/// The phones know their passwords, so an input reaches what lies behind authentication; everything else they send may be
/// the input's own.
final class CoreScene {
    private static let users = ["alice", "bob", "carol", "dave"]
    private static let statuses: [UInt16] = [
        100, 180, 183, 200, 202, 302, 401, 407, 408, 430, 480, 486, 487, 503, 600, 699,
    ]
    private static let methods = ["INVITE", "MESSAGE", "OPTIONS", "SUBSCRIBE", "BYE", "UPDATE", "X", "ACK"]

    private var script: Script
    private let core: Core
    private var time: Int64 = 1_000_000
    private var open: [FlowID] = []
    private var serial: UInt64 = 0
    private var sequence = 0
    /// The last requests that came down each flow, and their flow.
    private var requests: [(flow: FlowID, message: Message)] = []
    /// The last answers.
    private var answers: [Message] = []
    private var nonces: [String: String] = [:]
    private var commits: [UInt64] = []
    private var lookUps: [(ticket: UInt64, address: AddressOfRecord)] = []
    private var hasRestored = false
    /// What a core counts that has seen nothing.
    private let nothing: Core.Counts

    init(_ input: [UInt8]) {
        script = Script(input)
        var settings = Settings()
        settings.domains = ["example.test", "second.test"]
        settings.maxCachedAccounts = 64
        settings.maxWaiting = 16
        // Short, so that little time has to go by.
        settings.defaultExpires = .seconds(90)
        settings.maxExpires = .seconds(120)
        let flags = script.next() ?? 0
        settings.challengesEveryRequest = flags & 1 != 0
        if flags & 2 != 0 { settings.flowTimer = .zero }
        if flags & 4 != 0 { settings.advertise = "edge.example.test:5061" }
        if flags & 8 != 0 { settings.sendsServiceRoute = false }
        var state: UInt64 = 7
        let random = RandomSource { words in
            for index in words.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                words[index] = state ^ state >> 31
            }
        }
        let now = Now(monotonic: Instant(milliseconds: 1_000_000), wall: 1_800_000_000_000)
        core = Core(settings: settings, hashes: .scrambling, random: random, secret: [1, 2, 3], now: now)
        nothing = core.counts
    }

    private var now: Now {
        Now(monotonic: Instant(milliseconds: time), wall: 1_800_000_000_000 + time - 1_000_000)
    }

    /// Plays the input, then lets everything come to its end.
    func run() {
        var steps = 0
        while let operation = script.next(), steps < 200 {
            step(operation)
            drain()
            steps += 1
        }
        finish()
    }

    private func step(_ operation: UInt8) {
        let argument = operation >> 4
        switch operation & 15 {
        case 0: openFlow(argument)
        case 1: feed(flow(argument), script.text())
        case 2, 3: register(argument)
        case 4, 5: request(argument)
        case 6, 7: answer(argument)
        case 8: inDialog(argument)
        case 9: cancel(argument)
        case 10: if let flow = flow(argument) { close(flow) }
        case 11: pass([1, 100, 500, 1000, 5000, 9000, 33_000, 190_000, 200_000][Int(argument) % 9])
        case 12: argument & 1 == 0 ? commit(argument & 2 == 0) : answerLookUps(argument)
        case 13: congestOrDrain(argument)
        case 14: refuse(argument)
        default: disturb(argument)
        }
    }

    private func flow(_ number: UInt8) -> FlowID? {
        open.isEmpty ? nil : open[Int(number) % open.count]
    }

    private func openFlow(_ argument: UInt8) {
        guard open.count < 8 else { return }
        serial += 1
        let flow = FlowID(slot: Int(serial % 11), serial: serial)
        guard !open.contains(where: { $0.slot == flow.slot }) else { return }
        open.append(flow)
        let address = SocketAddress(ipv4: 0xc000_0201, port: UInt16(40_000 + serial))
        let local =
            argument & 2 == 0
            ? SocketAddress(ipv4: 0x7f00_0001, port: 5060) : SocketAddress(high: 1 << 61, low: 1, port: 5060)
        let transport: TransportKind = argument & 1 == 0 ? .tcp : .udp
        let info = FlowInfo(transport: transport, local: local, remote: address, isTrusted: argument & 4 != 0)
        core.opened(flow, info, now: now)
    }

    /// Hands bytes over as a carrier would: whole messages, and what can't be one.
    private func feed(_ flow: FlowID?, _ bytes: [UInt8]) {
        guard let flow, open.contains(flow), !bytes.isEmpty else { return }
        core.received(flow, bytes.span, now: now)
    }

    private func feed(_ flow: FlowID?, _ text: String) { feed(flow, Array(text.utf8)) }

    private func user(_ number: UInt8) -> String { Self.users[Int(number) % Self.users.count] }

    private func start(_ method: String, _ uri: String, from user: String, branch: Int? = nil) -> String {
        if branch == nil { sequence += 1 }
        return "\(method) \(uri) SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK\(branch ?? sequence);rport\r\n"
            + "Max-Forwards: 70\r\nFrom: <sip:\(user)@example.test>;tag=\(user)\r\nCall-ID: \(user)\r\n"
            + "CSeq: \(method == "REGISTER" ? sequence : 1) \(method)\r\n"
    }

    private func register(_ argument: UInt8) {
        let variant = script.next() ?? 0
        let user = user(argument >> 2)
        var text = start("REGISTER", "sip:example.test", from: user)
        text += "To: <sip:\(user)@example.test>\r\n"
        let instance = ";+sip.instance=\"<urn:uuid:\(user)>\";reg-id=\(variant & 1 + 1)"
        let wakeable = ";pn-provider=apns;pn-prid=1"
        let uri = "sip:\(user)@192.0.2.1:5060;transport=tcp"
        switch variant >> 1 & 7 {
        case 0: text += "Contact: <\(uri)>\r\nExpires: 3600\r\n"
        case 1, 2: text += "Contact: <\(uri)>\(instance)\r\nSupported: path, outbound, gruu\r\n"
        case 3: text += "Contact: <\(uri)\(wakeable)>\(instance)\r\nSupported: outbound\r\nExpires: 61\r\n"
        case 4: text += "Contact: *\r\nExpires: 0\r\n"
        case 5: text += "Contact: <\(uri)>\(instance)\r\nSupported: outbound\r\nExpires: 0\r\n"
        case 6: break
        default: text += String(decoding: script.text(), as: UTF8.self) + "\r\n"
        }
        let isRight = variant & 0xf0 != 0xf0
        text += authorization("Authorization", user, "REGISTER", "sip:example.test", isRight: isRight)
        feed(flow(argument & 3), text + "Content-Length: 0\r\n\r\n")
    }

    private func request(_ argument: UInt8) {
        let variant = script.next() ?? 0
        let user = user(argument >> 2)
        let method = Self.methods[Int(variant & 7)]
        let target = self.user(variant >> 3)
        let uri = variant & 0x80 == 0 ? "sip:\(target)@example.test" : String(decoding: script.text(), as: UTF8.self)
        var text = start(method, uri, from: user)
        text += "To: <sip:\(target)@example.test>\r\nContact: <sip:\(user)@192.0.2.1>\r\n"
        if variant & 0x40 != 0 { text += authorization("Proxy-Authorization", user, method, uri, isRight: true) }
        if variant & 0x20 != 0 { text += String(decoding: script.text(), as: UTF8.self) + "\r\n" }
        feed(flow(argument & 3), text + "Content-Length: 0\r\n\r\n")
    }

    private func authorization(_ name: String, _ user: String, _ method: String, _ uri: String, isRight: Bool) -> String
    {
        guard let nonce = nonces[user] else { return "" }
        sequence += 1
        let count = String(sequence + 0x1_0000_0000, radix: 16).dropFirst()
        var digest = DigestResponse(.scrambling)
        let response = digest.response(
            .sha256,
            ha1: Array(isRight ? user.utf8 : "wrong".utf8),
            nonce: Array(nonce.utf8),
            quality: (count: Array(count.utf8), clientNonce: Array("c".utf8), qop: Array("auth".utf8)),
            method: Array(method.utf8),
            uri: Array(uri.utf8)
        )
        return "\(name): Digest username=\"\(user)\",realm=\"example.test\",nonce=\"\(nonce)\",uri=\"\(uri)\","
            + "response=\"\(String(decoding: response, as: UTF8.self))\",algorithm=SHA-256,cnonce=\"c\",qop=auth,"
            + "nc=\(count)\r\n"
    }

    /// A phone answers a request that came to it, from the flow it came on or another.
    private func answer(_ argument: UInt8) {
        let variant = script.next() ?? 0
        guard !requests.isEmpty else { return }
        let (flow, request) = requests[requests.count - 1 - Int(variant & 7) % requests.count]
        let status = Self.statuses[Int(argument)]
        var text = "SIP/2.0 \(status) Any\r\n"
        for name in [HeaderName.via, .recordRoute, .from, .callID, .cseq] {
            for field in request.fields where field.name == name {
                text += String(decoding: request.bytes[field.line], as: UTF8.self)
            }
        }
        if let field = request.first(.to) {
            text += "To: \(String(decoding: request.bytes[field.value], as: UTF8.self));tag=\(variant >> 6)\r\n"
        }
        if variant & 0x10 != 0 { text += "Contact: <sip:x@192.0.2.9>\r\n" }
        if variant & 0x20 != 0 { text += String(decoding: script.text(), as: UTF8.self) + "\r\n" }
        feed(variant & 8 == 0 ? flow : self.flow(variant), text + "Content-Length: 0\r\n\r\n")
    }

    /// A request in a dialog that an answer began.
    private func inDialog(_ argument: UInt8) {
        let variant = script.next() ?? 0
        guard !answers.isEmpty else { return }
        let answer = answers[answers.count - 1 - Int(variant & 3) % answers.count]
        let method = Self.methods[Int(variant >> 2 & 7)]
        let user = user(variant >> 5)
        var text = start(method, "sip:x@192.0.2.9", from: user)
        for field in answer.fields where field.name == .recordRoute {
            text += "Route: \(String(decoding: answer.bytes[field.value], as: UTF8.self))\r\n"
        }
        text += "To: <sip:\(user)@example.test>;tag=1\r\nContent-Length: 0\r\n\r\n"
        feed(flow(argument), text)
    }

    /// CANCEL, or the ACK of a failure: what names a transaction by its branch.
    private func cancel(_ argument: UInt8) {
        let variant = script.next() ?? 0
        let user = user(variant >> 2)
        let method = argument & 4 == 0 ? "CANCEL" : "ACK"
        let branch = sequence - Int(variant >> 4)
        let to = self.user(variant)
        let text = start(method, "sip:\(to)@example.test", from: user, branch: branch)
        feed(flow(argument & 3), text + "To: <sip:\(to)@example.test>;tag=1\r\nContent-Length: 0\r\n\r\n")
    }

    private func close(_ flow: FlowID) {
        open.removeAll { $0 == flow }
        core.closed(flow, .peer, now: now)
    }

    private func congestOrDrain(_ argument: UInt8) {
        guard let flow = flow(argument >> 1) else { return }
        argument & 1 == 0 ? core.congested(flow, now: now) : core.drained(flow, now: now)
    }

    private func refuse(_ argument: UInt8) {
        let head = script.text()
        guard let flow = flow(argument) else { return }
        let faults = FramingFault.allCases
        core.refused(flow, faults[Int(argument) % faults.count], head: head.span, now: now)
    }

    private func disturb(_ argument: UInt8) {
        switch argument & 3 {
        case 0: core.isDraining.toggle()
        case 1: core.accountsChanged([:], now: now)
        case 2:
            var settings = core.settings
            settings.challengesEveryRequest.toggle()
            core.apply(settings)
        default:
            hasRestored = true
            _ = core.restore("carol@example.test", script.text(), now: now)
        }
    }

    private func commit(_ succeeds: Bool) {
        let tickets = commits
        commits = []
        for ticket in tickets { succeeds ? core.persisted(ticket, now: now) : core.persistFailed(ticket, now: now) }
    }

    private func answerLookUps(_ argument: UInt8) {
        let waiting = lookUps
        lookUps = []
        for (ticket, address) in waiting {
            if argument & 2 != 0 {
                core.accountFailed(ticket, now: now)
            } else {
                let user = Array(address.user.bytes)
                let exists = Self.users.contains { Array($0.utf8) == user }
                core.account(ticket, address, exists ? Account(ha1MD5: user, ha1SHA256: user) : nil, now: now)
            }
        }
    }

    private func pass(_ milliseconds: Int64) {
        let end = time + milliseconds
        // A core that wants to be woken again and again at one time would hang its server.
        var wakeUps = 0
        while let next = core.nextDeadline, next.milliseconds <= end {
            time = max(time, next.milliseconds)
            core.advance(to: now)
            drain()
            wakeUps += 1
            promise(wakeUps < 200_000, "the timers never end")
        }
        time = end
        core.advance(to: now)
        drain()
    }

    private func finish() {
        core.isDraining = false
        for _ in 0..<4 {
            commit(true)
            drain()
            answerLookUps(0)
            drain()
        }
        for flow in open { close(flow) }
        drain()
        commit(true)
        answerLookUps(0)
        drain()
        // What was stored may be good for as long as its bytes say.
        guard !hasRestored else { return }
        pass(600_000)
        commit(true)
        drain()
        promise(core.counts == nothing, "left behind: \(core.counts)")
        promise(core.unfinished == 0, "\(core.unfinished) unfinished")
    }

    /// Takes what the core wants done.
    private func drain() {
        while true {
            let entries = core.outbox.entries
            let arena = core.outbox.arena
            core.outbox.removeAll()
            var errands: [Errand] = []
            core.takeErrands(into: &errands)
            if entries.isEmpty, errands.isEmpty { return }
            for entry in entries {
                switch entry {
                case .send(let flow, let range): take(Message(Array(arena[range])), flow)
                case .close(let flow, let reason):
                    open.removeAll { $0 == flow }
                    core.closed(flow, reason, now: now)
                case .tag, .keepAlive, .connect, .watch: break
                }
            }
            for errand in errands {
                switch errand {
                case .persist(let ticket, _, _): commits.append(ticket)
                case .lookUp(let ticket, let address): lookUps.append((ticket, address))
                case .record, .registration, .foreignDomain: break
                }
            }
        }
    }

    private func take(_ message: Message, _ flow: FlowID) {
        promise(message.fault == nil, "sent what can't be read: \(String(decoding: message.bytes, as: UTF8.self))")
        if message.isRequest {
            let fault = message.validate()
            promise(fault == nil, "sent a bad request: \(String(decoding: message.bytes, as: UTF8.self))")
            requests.append((flow, message))
            if requests.count > 16 { requests.removeFirst() }
            return
        }
        for name in [HeaderName.wwwAuthenticate, .proxyAuthenticate] {
            guard let field = message.first(name), let from = try? message.nameAddress(.from),
                let uri = try? SIPURI(message.bytes, from.uri), let user = uri.user
            else { continue }
            let value = String(decoding: message.bytes[field.value], as: UTF8.self)
            let parts = value.split(separator: "\"")
            if let at = parts.firstIndex(where: { $0.hasSuffix("nonce=") }), at + 1 < parts.count {
                nonces[String(decoding: message.bytes[user], as: UTF8.self)] = String(parts[at + 1])
            }
        }
        if message.status >= 200, message.has(.recordRoute) {
            answers.append(message)
            if answers.count > 8 { answers.removeFirst() }
        }
    }
}

/// An input, read from its start.
private struct Script {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> UInt8? {
        guard at < bytes.count else { return nil }
        defer { at += 1 }
        return bytes[at]
    }

    /// Bytes up to a zero.
    mutating func text() -> [UInt8] {
        let end = bytes[at...].firstIndex(of: 0) ?? bytes.endIndex
        defer { at = min(end + 1, bytes.endIndex) }
        return Array(bytes[at..<end])
    }
}
