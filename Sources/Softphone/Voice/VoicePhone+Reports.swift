import Media
import PhoneKit
import SIP

/// What the rules report, and what it means for a call with sound.
extension VoicePhone {
    func take(_ event: PhoneEvent, _ now: Now) {
        switch event {
        case .registered(let line, let expires, let isRefresh):
            let ping = perform { phone, _ in phone.pingInterval(ofLine: line) }
            tell(.registered(line: line, expires: expires, ping: ping, isRefresh: isRefresh))
        case .registrationFailed(let line, let failure, let retry):
            tell(.registrationFailed(line: line, failure, retry: retry))
        case .unregistered(let line): tell(.unregistered(line: line))
        case .flowLost(let line, let reason, let retry): tell(.flowLost(line: line, reason, retry: retry))
        case .pong(let line, let time): tell(.pong(line: line, time))
        case .incomingCall(let handle, let incoming), .callArrived(let handle, let incoming):
            callCame(handle, incoming, now)
        case .callProgress(let handle, let status, let session):
            guard let call = call(handle) else { return }
            if !session.isEmpty { call.early = session }
            tell(.progress(call: call.number, status: status, after: now.monotonic - call.began))
        case .callAccepted(let handle, let session):
            guard let call = call(handle) else { return }
            call.answeredAt = now.monotonic
            tell(.answered(call: call.number, after: now.monotonic - call.began, isIncoming: false))
            takeAnswer(session.isEmpty ? call.early : session, call)
        case .callConfirmed(let handle, let session):
            // Where our 200 held the offer, the answer is here.
            guard let call = call(handle), call.offer != nil else { return }
            takeAnswer(session, call)
        case .callEnded(let handle, let end): callEnded(handle, end, now)
        case .offered(let handle, let session):
            guard let call = call(handle) else { return }
            takeOffer(session, call)
        case .offerAnswered(let handle, let status, let session):
            guard let call = call(handle) else { return }
            if status < 300 { takeAnswer(session, call) } else { call.offer = nil }
            tell(.changed(call: call.number, status: status))
        // Sound begins with the first description of the session, and ends with the call.
        case .requestAudio, .releaseAudio: break
        case .message(let from, let payload): tell(.message(from: from, payload))
        case .answered(let request, let outcome): tell(.outcome(request, outcome))
        case .keepAliveHandlerFinished: break
        }
    }

    private func callCame(_ handle: CallHandle, _ incoming: IncomingCall, _ now: Now) {
        guard call(handle) == nil else { return }
        let call = VoiceCall(
            number: newCallNumber(),
            handle: handle,
            isIncoming: true,
            peer: incoming.from,
            callID: incoming.callID,
            at: now.monotonic
        )
        call.early = incoming.session
        calls.append(call)
        tell(
            .incoming(call: call.number, from: incoming.from, name: incoming.displayName, callID: incoming.callID)
        )
    }

    private func callEnded(_ handle: CallHandle, _ end: CallEnd, _ now: Now) {
        guard let index = calls.firstIndex(where: { $0.handle == handle }) else { return }
        let call = calls.remove(at: index)
        tell(
            .ended(
                CallSummary(
                    number: call.number,
                    isIncoming: call.isIncoming,
                    peer: call.peer,
                    callID: call.callID,
                    end: end,
                    talked: call.answeredAt.map { now.monotonic - $0 },
                    audio: settings.hasAudio ? call.audio?.stop() ?? AudioReport() : nil
                )
            )
        )
    }
}
