import Media
import PhoneKit
import SIP

/// The end of a call in words.
extension EventTeller {
    func record(_ summary: CallSummary) -> EventRecord {
        var text = ending(summary)
        if summary.talked != nil, let audio = summary.audio { text += "; \(Self.text(audio, summary.hearing))" }
        var fields: [(key: String, value: EventRecord.Value)] = [
            ("call", .whole(Int64(summary.number))),
            ("peer", .text(summary.peer)),
            ("call_id", .text(summary.callID)),
            ("incoming", .truth(summary.isIncoming)),
            ("end", .text(Self.word(summary.end))),
            ("status", Self.status(summary.end)),
            ("talked", .seconds(summary.talked)),
            ("good", .truth(summary.isGood)),
        ]
        if let audio = summary.audio {
            fields += [
                ("sent", .whole(Int64(clamping: audio.packetsSent))),
                ("refused", .whole(Int64(clamping: audio.packetsRefused))),
                ("received", .whole(Int64(clamping: audio.packetsReceived))),
                ("lost", .whole(Int64(clamping: audio.packetsLost))),
                ("jitter_ms", .number((audio.jitter * 10).rounded() / 10)),
                ("heard", audio.tone.map { .number($0.frequency) } ?? .nothing),
            ]
        }
        return EventRecord(type: "ended", text: text, fields: fields)
    }

    private func ending(_ summary: CallSummary) -> String {
        let peer = summary.peer.shownUser
        let after = summary.talked.map { " after \($0.text)" } ?? ""
        switch summary.end {
        case .local where summary.talked == nil && summary.isIncoming: return "call ended: refused"
        case .local where summary.talked == nil: return "call ended: given up before it was answered"
        case .local: return "call ended: hung up\(after)"
        case .remote: return "call ended: \(peer) hung up\(after)"
        case .cancelled: return "call ended: \(peer) gave up before it was answered"
        case .answeredElsewhere: return "call ended: another device answered it"
        case .rejected(let status): return "call failed: \(meaning(ofStatus: status))"
        case .unanswered: return "call failed: nobody answered in time"
        case .missed: return "call ended: missed"
        case .lost: return "call failed: the connection was lost\(after)"
        }
    }

    private static func text(_ audio: AudioReport, _ hearing: CallSummary.Hearing?) -> String {
        let heard =
            switch hearing {
            case .heard, nil: ""
            case .oneWay: "; the other side never heard this one"
            case .nothing: "; heard no tone"
            }
        // As when the other side's address is of the other IP version.
        let refused = audio.packetsRefused == 0 ? "" : "; the network refused \(audio.packetsRefused) packets"
        return "sent \(audio.packetsSent) packets, received \(audio.packetsReceived), lost \(audio.packetsLost), "
            + "jitter \(audio.jitter.tenths) ms\(refused)\(heard)"
    }

    private static func word(_ end: CallEnd) -> String {
        switch end {
        case .local: "local"
        case .remote: "remote"
        case .cancelled: "cancelled"
        case .answeredElsewhere: "answered_elsewhere"
        case .rejected: "rejected"
        case .unanswered: "unanswered"
        case .missed: "missed"
        case .lost: "lost"
        }
    }

    private static func status(_ end: CallEnd) -> EventRecord.Value {
        if case .rejected(let status) = end { return .whole(Int64(status)) }
        return .nothing
    }
}
