import Media
import PhoneKit
import SIP

/// Puts what happens into words.
struct EventTeller {
    /// The servers, by line.
    var servers: [String]
    /// Who the phone is.
    var address: String

    func record(_ event: VoiceEvent) -> EventRecord {
        switch event {
        case .registered, .registrationFailed, .unregistered, .flowLost, .pong: lineRecord(event)
        case .calling, .progress, .answered, .incoming, .heard, .held, .changed, .trouble: callRecord(event)
        case .ended(let summary): record(summary)
        case .message(let from, let payload):
            EventRecord(
                type: "message",
                text: "message from \(from.shown): \(ByteString(payload.bytes).shown)",
                fields: [
                    ("from", .text(from)), ("content_type", .text(payload.type)),
                    ("text", .text(String(decoding: payload.bytes, as: UTF8.self))),
                ]
            )
        // Only who asked knows what it was.
        case .outcome: EventRecord(type: "outcome", text: "")
        }
    }

    private func server(_ line: Int) -> String { servers.indices.contains(line) ? servers[line] : "line \(line + 1)" }

    private func lineRecord(_ event: VoiceEvent) -> EventRecord {
        switch event {
        case .registered(let line, let expires, let ping, let isRefresh):
            let pinged = ping.map { " (ping every \($0.lowerBound.seconds)-\($0.upperBound.seconds) s)" } ?? ""
            return EventRecord(
                type: isRefresh ? "refreshed" : "registered",
                text: "\(isRefresh ? "registered again" : "registered") at \(server(line)) for \(expires) s\(pinged)",
                fields: lineFields(line) + [
                    ("expires", .whole(Int64(expires))),
                    ("ping_least", ping.map { .whole($0.lowerBound.seconds) } ?? .nothing),
                    ("ping_most", ping.map { .whole($0.upperBound.seconds) } ?? .nothing),
                ]
            )
        case .registrationFailed(let line, let failure, let retry):
            return EventRecord(
                type: "registration_failed",
                text: "could not register: \(explain(failure, server(line)))\(again(retry))",
                fields: lineFields(line) + failureFields(failure) + [("retry", .seconds(retry))]
            )
        case .unregistered(let line):
            return EventRecord(
                type: "unregistered",
                text: "unregistered at \(server(line))",
                fields: lineFields(line)
            )
        case .flowLost(let line, let reason, let retry):
            return EventRecord(
                type: "connection_lost",
                text: "lost the connection to \(server(line)): \(Self.text(reason))\(again(retry))",
                fields: lineFields(line) + [("reason", .text("\(reason)")), ("retry", .seconds(retry))]
            )
        case .pong(let line, let time):
            return EventRecord(
                type: "pong",
                text: "\(server(line)) answered a ping in \(time.text)",
                fields: lineFields(line) + [("after", .seconds(time))]
            )
        default: return EventRecord(type: "other", text: "")
        }
    }

    private func callRecord(_ event: VoiceEvent) -> EventRecord {
        switch event {
        case .calling(let call, let to, let callID):
            return EventRecord(
                type: "calling",
                text: "calling \(to.shown)",
                fields: callFields(call) + [("to", .text(to)), ("call_id", .text(callID))]
            )
        case .progress(let call, let status, let after):
            return EventRecord(
                type: status == 180 ? "ringing" : "progress",
                text: "\(status == 180 ? "ringing" : meaning(ofStatus: status)) (\(after.text))",
                fields: callFields(call) + [("status", .whole(Int64(status))), ("after", .seconds(after))]
            )
        case .answered(let call, let after, _):
            return EventRecord(
                type: "answered",
                text: "answered (\(after.text))",
                fields: callFields(call) + [("after", .seconds(after))]
            )
        case .incoming(let call, let from, let name, let callID):
            return EventRecord(
                type: "incoming",
                text: "call from \(name.isEmpty ? "" : "\(name.shown) ")\(from.shown)",
                fields: callFields(call) + [("from", .text(from)), ("name", .text(name)), ("call_id", .text(callID))]
            )
        case .heard(let call, let frequency):
            let meaning =
                switch frequency {
                case CallTone.callee: ": sound goes both ways"
                case CallTone.calleeAlone: ": the other side does not hear this one"
                default: ""
                }
            return EventRecord(
                type: "heard",
                text: "hears \(frequency.plain) Hz\(meaning)",
                fields: callFields(call) + [
                    ("frequency", .number(frequency)), ("both_ways", .truth(frequency == CallTone.callee)),
                ]
            )
        case .held(let call, let isHeld):
            return EventRecord(
                type: isHeld ? "held" : "resumed",
                text: isHeld ? "the other side holds the call" : "the other side took the call back",
                fields: callFields(call)
            )
        case .changed(let call, let status):
            return EventRecord(
                type: "changed",
                text: "the other side answers the change: \(meaning(ofStatus: status))",
                fields: callFields(call) + [("status", .whole(Int64(status)))]
            )
        case .trouble(let call, let reason):
            return EventRecord(
                type: "trouble",
                text: "no sound: \(reason.shown)",
                fields: callFields(call) + [("reason", .text(reason))]
            )
        default: return EventRecord(type: "other", text: "")
        }
    }

    private func lineFields(_ line: Int) -> [(key: String, value: EventRecord.Value)] {
        [("server", .text(server(line))), ("reg_id", .whole(Int64(line + 1)))]
    }

    private func callFields(_ call: Int) -> [(key: String, value: EventRecord.Value)] {
        [("call", .whole(Int64(call)))]
    }

    func failureFields(_ failure: Failure) -> [(key: String, value: EventRecord.Value)] {
        switch failure {
        case .status(let status): [("status", .whole(Int64(status))), ("reason", .text("refused"))]
        case .flow(let reason): [("status", .nothing), ("reason", .text("\(reason)"))]
        case .timeout: [("status", .nothing), ("reason", .text("timeout"))]
        }
    }

    private func again(_ retry: Interval?) -> String { retry.map { "; trying again in \($0.text)" } ?? "" }

    /// Why a registration failed, and the mend.
    private func explain(_ failure: Failure, _ server: String) -> String {
        switch failure {
        case .status(401), .status(407):
            "wrong password for \(address), or no such account (401); try another --password, or "
                + "'wakeline account add \(address) --replace' where the server runs"
        case .status(403): "\(server) does not let \(address) register (403); is the address the account's own?"
        case .status(404): "\(server) does not serve \(address) (404); is the domain one of the server's?"
        case .status(423): "\(server) wants a longer time (423); give a longer --expires"
        case .status(503): "\(server) has no time now (503)"
        case .status(let status): "\(server) refuses: \(meaning(ofStatus: status))"
        case .flow(.peer): "nobody serves at \(server); start a server there, or give another --server"
        case .flow(.silence), .timeout: "\(server) does not answer; is it the right --server, and nothing in between?"
        case .flow(.error): "\(server) can't be reached; is there a network, and is it the right --server?"
        case .flow(.garbage): "\(server) speaks no SIP; give another --server"
        case .flow(let reason): "the connection to \(server) is gone: \(Self.text(reason))"
        }
    }

    private static func text(_ reason: CloseReason) -> String {
        switch reason {
        case .peer: "the server closed it"
        case .error: "the network failed"
        case .silence: "the server does not answer"
        case .limit: "a limit was reached"
        case .garbage: "what came was no SIP"
        case .replaced: "it was given up"
        case .shutdown: "the phone stops"
        }
    }
}
