import Flows
import Observability
import Reactor
import SIP

/// Clients that no server wants: each opens a connection, does one thing no honest client does, and expects to be refused
/// or closed within the plan's patience.
final class Abusers: FlowReceiver {
    /// What they do, one after the other.
    private enum Trick: Int, CaseIterable {
        case anotherProtocol, noise, halfMessage, hugeHeader, wrongPassword, unknownUser, brokenHeader

        var words: String {
            switch self {
            case .anotherProtocol: "another protocol"
            case .noise: "noise"
            case .halfMessage: "half a message"
            case .hugeHeader: "a huge header field"
            case .wrongPassword: "a wrong password"
            case .unknownUser: "an unknown user"
            case .brokenHeader: "a broken header field"
            }
        }
    }

    private struct Attempt {
        var trick: Trick
        var flow: FlowID?
        var ended: (String?) -> Void
    }

    let outbox = Outbox()
    private let plan: LoadPlan
    private let carrier: Box
    private var wheel: TimerWheel<UInt64>
    private var attempts: [UInt64: Attempt] = [:]
    private var tickets: [FlowID: UInt64] = [:]
    private var next: UInt64 = 0
    private let loop: EventLoop

    /// Breaks the circle between a carrier and its receiver.
    private final class Box {
        var carrier: FlowCarrier<Abusers>?
    }

    init(_ plan: LoadPlan, loop: EventLoop, settings: FlowSettings, logger: Logger) {
        self.plan = plan
        self.loop = loop
        carrier = Box()
        wheel = TimerWheel(now: loop.time.monotonic)
        carrier.carrier = FlowCarrier(loop: loop, receiver: self, settings: settings, logger: logger)
    }

    var nextDeadline: Instant? { wheel.nextDeadline }

    func turnEnded() { carrier.carrier?.turnEnded() }

    /// Begins one; `ended` is told what was neither refused nor closed, or nil where all is as it should be.
    func begin(_ ended: @escaping (String?) -> Void) {
        let ticket = next
        next += 1
        let trick = Trick.allCases[Int(ticket % UInt64(Trick.allCases.count))]
        attempts[ticket] = Attempt(trick: trick, flow: nil, ended: ended)
        _ = wheel.arm(at: loop.time.monotonic + plan.patience, ticket)
        outbox.append(.connect(ticket: ticket, plan.servers[Int(ticket % UInt64(plan.servers.count))]))
    }

    func opened(_ flow: FlowID, _ info: FlowInfo, now: Now) { outbox.append(.close(flow, .replaced)) }

    func connected(_ ticket: UInt64, _ flow: FlowID, _ info: FlowInfo, now: Now) {
        guard let attempt = attempts[ticket] else { return outbox.append(.close(flow, .replaced)) }
        attempts[ticket]?.flow = flow
        tickets[flow] = ticket
        outbox.send(flow) { write(attempt.trick, ticket, &$0) }
    }

    func connectFailed(_ ticket: UInt64, _ reason: CloseReason, now: Now) { end(ticket, wasRefused: reason == .peer) }

    func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now) {
        guard let ticket = tickets[flow] else { return }
        var answer = Message()
        answer.parse(bytes)
        end(ticket, wasRefused: answer.status >= 400)
    }

    func refused(_ flow: FlowID, _ fault: FramingFault, head: Span<UInt8>, now: Now) {
        if let ticket = tickets[flow] { end(ticket, wasRefused: false) }
    }

    func stirred(_ flow: FlowID, now: Now) {}
    func congested(_ flow: FlowID, now: Now) {}
    func drained(_ flow: FlowID, now: Now) {}

    func closed(_ flow: FlowID, _ reason: CloseReason, now: Now) {
        if let ticket = tickets.removeValue(forKey: flow) { end(ticket, wasRefused: true) }
    }

    func advance(to now: Now) {
        while let ticket = wheel.expire(at: now.monotonic) { end(ticket, wasRefused: false) }
    }

    private func end(_ ticket: UInt64, wasRefused: Bool) {
        guard let attempt = attempts.removeValue(forKey: ticket) else { return }
        if let flow = attempt.flow, tickets.removeValue(forKey: flow) != nil { outbox.append(.close(flow, .replaced)) }
        attempt.ended(wasRefused ? nil : attempt.trick.words)
    }

    private func write(_ trick: Trick, _ ticket: UInt64, _ out: inout [UInt8]) {
        switch trick {
        case .anotherProtocol: out.append(text: "GET / HTTP/1.1\r\nHost: example.test\r\n\r\n")
        case .noise: for index in 0..<512 { out.append(UInt8(truncatingIfNeeded: index &* 89 &+ Int(ticket) | 128)) }
        case .halfMessage:
            out.append(text: "INVITE sip:u0@")
            out.append(ByteString(plan.domain))
            out.append(text: " SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1;bran")
        case .hugeHeader:
            out.append(text: "OPTIONS sip:x SIP/2.0\r\nX: ")
            out.append(contentsOf: repeatElement(UInt8(ascii: "a"), count: 200_000))
        case .wrongPassword, .unknownUser, .brokenHeader: writeRegister(trick, ticket, &out)
        }
    }

    private func writeRegister(_ trick: Trick, _ ticket: UInt64, _ out: inout [UInt8]) {
        let user = trick == .unknownUser ? "nobody-\(ticket)" : plan.userName(plan.firstPhone)
        out.append(text: "REGISTER sip:")
        out.append(ByteString(plan.domain))
        out.append(text: " SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bKabuse")
        out.append(decimal: ticket)
        out.append(text: ";rport\r\nMax-Forwards: 70\r\n")
        for isFrom in [true, false] {
            out.append(text: isFrom ? "From" : "To")
            out.append(text: ": <sip:")
            out.append(ByteString(user))
            out.append(text: "@")
            out.append(ByteString(plan.domain))
            out.append(text: isFrom ? ">;tag=1\r\n" : ">\r\n")
        }
        out.append(text: "Call-ID: abuse-")
        out.append(decimal: ticket)
        out.append(text: "\r\nCSeq: 1 REGISTER\r\nContact: <sip:x@192.0.2.1>\r\n")
        if trick == .brokenHeader { out.append(text: "Expires: never\r\nMax-Forwards: -1\r\n") }
        out.append(text: "Authorization: Digest username=\"")
        out.append(ByteString(user))
        out.append(text: "\",realm=\"")
        out.append(ByteString(plan.domain))
        out.append(text: "\",nonce=\"guessed\",uri=\"sip:x\",response=\"00000000000000000000000000000000\"\r\n")
        out.append(text: "Content-Length: 0\r\n\r\n")
    }
}
