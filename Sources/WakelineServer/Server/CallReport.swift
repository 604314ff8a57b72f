import Observability
import SIP
import Signaling

/// Writes what the rules report of calls and registrations: to the journal, and a line each to the log.
final class CallReport {
    private let journal: JournalFile
    private let calls: Logger
    private let registrar: Logger
    private var lines: [UInt8] = []

    init(journal: JournalFile, loggers: LoggerFactory) {
        self.journal = journal
        calls = loggers.logger("calls")
        registrar = loggers.logger("registrar")
    }

    /// Takes a step of a call.
    func take(_ step: JournalStep) {
        JournalLine.begin(wall: step.wall, callID: step.callID.bytes.span, step: step.kind.word, to: &lines)
        switch step.kind {
        case .received(let method, let from, let to):
            JournalLine.add("method", method.bytes, to: &lines)
            JournalLine.add("from", from.bytes, to: &lines)
            JournalLine.add("to", to.bytes, to: &lines)
        case .forwarded(let target, let instance):
            JournalLine.add("contact", target.bytes.span.extracting(target.range), to: &lines)
            if let instance {
                JournalLine.add("instance", instance.bytes.span.extracting(instance.range), to: &lines)
            }
        case .answered(let status): JournalLine.add("status", status, to: &lines)
        case .failed(let reason): JournalLine.add("reason", reason.bytes, to: &lines)
        case .cancelled: break
        case .inDialog(let method): JournalLine.add("method", method.bytes, to: &lines)
        case .verdict(let verdict):
            JournalLine.add("status", verdict.status, to: &lines)
            JournalLine.add("reason", verdict.reason.bytes, to: &lines)
            log(verdict, of: step)
        }
        if let flow = step.flow { JournalLine.add("flow", Array(flow.description.utf8), to: &lines) }
        JournalLine.end(&lines)
    }

    /// Hands what was taken in this turn over to be written.
    func flush() {
        guard !lines.isEmpty else { return }
        journal.append(lines)
        lines.removeAll(keepingCapacity: true)
    }

    private func log(_ verdict: JournalStep.Verdict, of step: JournalStep) {
        calls.info(
            "call",
            [
                LogField("sip.call-id", step.callID),
                LogField("sip.from", verdict.from),
                LogField("sip.to", verdict.to),
                LogField("call.status", verdict.status),
                LogField("call.verdict", verdict.reason),
            ]
        )
    }

    /// Takes a change of a registration.
    ///
    /// A refresh changes nothing an operator waits for.
    func take(_ change: RegistrationChange) {
        registrar.log(
            change.kind == .refreshed ? .debug : .info,
            "registration",
            fields(of: change)
        )
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

    private func fields(of change: RegistrationChange) -> [LogField] {
        var fields = [
            LogField("registration.change", change.kind.rawValue),
            LogField("sip.aor", change.address),
        ]
        if !change.contact.isEmpty { fields.append(LogField("sip.contact", change.contact)) }
        if let instance = change.instance { fields.append(LogField("sip.instance", instance)) }
        if let flow = change.flow { fields.append(LogField("flow.id", flow)) }
        if change.expires > 0 { fields.append(LogField("registration.expires", change.expires)) }
        if let reason = change.reason { fields.append(LogField("registration.reason", reason)) }
        return fields
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

extension StaticString {
    /// The text, to be quoted.
    fileprivate var bytes: [UInt8] { withUTF8Buffer { Array($0) } }
}
