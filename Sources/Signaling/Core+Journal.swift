import SIP

/// What the call journal is told.
extension Core {
    func record(_ message: Message, _ kind: JournalStep.Kind, _ flow: FlowID?) {
        guard let callID = message.first(.callID) else { return }
        errands.append(
            .record(JournalStep(callID: message.excerpt(callID.value), wall: now.wall, flow: flow, kind: kind))
        )
    }

    /// The last step of an INVITE: what the caller got, and why.
    func recordVerdict(_ request: Request, _ status: UInt16, _ reason: StaticString) {
        let verdict = JournalStep.Verdict(
            status: status,
            reason: reason,
            from: fromText(request),
            to: toText(request)
        )
        record(request.message, .verdict(verdict), request.flow)
    }

    func fromText(_ request: Request) -> Excerpt {
        let message = request.message
        return (try? message.nameAddress(.from)).flatMap { $0 }.map { message.excerpt($0.uri) } ?? Excerpt()
    }

    func toText(_ request: Request) -> Excerpt {
        request.message.excerpt(request.message.requestURI)
    }
}
