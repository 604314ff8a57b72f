import SIP

/// What the call journal is told.
extension Core {
    func record(_ message: Message, _ kind: JournalStep.Kind, _ flow: FlowID?) {
        guard let callID = message.first(.callID) else { return }
        errands.append(
            .record(JournalStep(callID: message.string(callID.value), wall: now.wall, flow: flow, kind: kind))
        )
    }

    func fromText(_ request: Request) -> ByteString {
        let message = request.message
        return (try? message.nameAddress(.from)).flatMap { $0 }.map { message.string($0.uri) } ?? ByteString()
    }

    func toText(_ request: Request) -> ByteString {
        request.message.string(request.message.requestURI)
    }
}
