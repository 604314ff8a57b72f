import Observability
import SIP
import Signaling

/// Writes what the rules report of calls and registrations: to the journal, and a line each to the log.
final class CallReport {
    private let journal: JournalFile
    private let calls: Logger
    private let registrar: Logger
    private var lines: [UInt8] = []
    private var text: LogText
    private var times = TimestampWriter()
    private var scratch: [UInt8] = []

    init(journal: JournalFile, loggers: LoggerFactory) {
        self.journal = journal
        calls = loggers.logger("calls")
        registrar = loggers.logger("registrar")
        text = calls.emptyText
    }

    /// Takes a step of a call.
    func take(_ step: JournalStep) {
        JournalLine.begin(
            wall: step.wall,
            &times,
            callID: step.callID.bytes.span.extracting(step.callID.range),
            step: step.kind.word,
            to: &lines
        )
        switch step.kind {
        case .received(let method, let from, let to):
            JournalLine.add("method", words: method, to: &lines)
            add("from", from)
            add("to", to)
        case .forwarded(let target, let instance):
            add("contact", target)
            if let instance { add("instance", instance) }
        case .answered(let status): JournalLine.add("status", status, to: &lines)
        case .failed(let reason): JournalLine.add("reason", words: reason, to: &lines)
        case .cancelled: break
        case .inDialog(let method): add("method", method)
        case .verdict(let verdict):
            JournalLine.add("status", verdict.status, to: &lines)
            JournalLine.add("reason", words: verdict.reason, to: &lines)
            log(verdict, of: step)
        }
        if let flow = step.flow {
            scratch.removeAll(keepingCapacity: true)
            flow.append(to: &scratch)
            JournalLine.add("flow", scratch, to: &lines)
        }
        JournalLine.end(&lines)
    }

    private func add(_ key: StaticString, _ value: Excerpt) {
        JournalLine.add(key, value.bytes.span.extracting(value.range), to: &lines)
    }

    /// Hands what was taken in this turn over to be written.
    func flush() {
        if !lines.isEmpty {
            journal.append(lines)
            lines.removeAll(keepingCapacity: lines.capacity <= 1 << 16)
        }
        if text.lines > 0 {
            calls.write(text)
            text.removeAll()
        }
    }

    private func log(_ verdict: JournalStep.Verdict, of step: JournalStep) {
        guard calls.level <= .info else { return }
        text.begin(wall: step.wall, level: .info, subsystem: calls.subsystem, message: "call")
        text.add("sip.call-id", step.callID)
        text.add("sip.from", verdict.from)
        text.add("sip.to", verdict.to)
        text.add("call.status", verdict.status)
        text.add("call.verdict", verdict.reason)
        text.end()
    }

    /// Takes a change of a registration.
    ///
    /// A refresh changes nothing an operator waits for.
    func take(_ change: RegistrationChange) {
        let level = change.kind == .refreshed ? LogLevel.debug : .info
        guard registrar.level <= level else { return }
        text.begin(wall: wallClock(), level: level, subsystem: registrar.subsystem, message: "registration")
        text.add("registration.change", change.kind.word)
        text.add("sip.aor", Excerpt(change.address.text))
        if !change.contact.isEmpty { text.add("sip.contact", change.contact) }
        if let instance = change.instance { text.add("sip.instance", instance) }
        if let flow = change.flow {
            scratch.removeAll(keepingCapacity: true)
            flow.append(to: &scratch)
            text.add("flow.id", scratch, scratch.indices)
        }
        if change.expires > 0 { text.add("registration.expires", change.expires) }
        if let reason = change.reason { text.add("registration.reason", reason) }
        text.end()
    }

    /// Takes a registration that went to a domain not served here: the phone is set up wrongly, or this server is.
    func take(_ asked: ForeignDomain, served: [ByteString]) {
        var fields = [
            LogField("sip.domain", asked.domain),
            LogField("served", served.map(\.description).joined(separator: " ")),
            LogField("mend", "set the phone to a domain that is served, or add its domain to domains here and reload"),
        ]
        if let remote = asked.remote { fields.append(LogField("flow.remote", remote)) }
        if asked.unreported > 0 { fields.append(LogField("others", asked.unreported)) }
        registrar.warning("a phone wants to register in a domain that is not served here", fields)
    }
}

extension JournalStep.Kind {
    /// The step in one word.
    var word: StaticString {
        switch self {
        case .received: "received"
        case .forwarded: "forwarded"
        case .answered: "answered"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .verdict: "verdict"
        case .inDialog: "in-dialog"
        }
    }
}

extension RegistrationChange.Kind {
    /// The change in one word.
    fileprivate var word: StaticString {
        switch self {
        case .registered: "registered"
        case .refreshed: "refreshed"
        case .replaced: "replaced"
        case .unregistered: "unregistered"
        case .expired: "expired"
        case .ended: "ended"
        case .parked: "parked"
        case .rejected: "rejected"
        }
    }
}

extension LogText {
    /// Adds a part of a message or a binding.
    fileprivate mutating func add(_ key: StaticString, _ value: Excerpt) { add(key, value.bytes, value.range) }
}
