import SIP

/// INVITEs within a call (RFC 3261 section 14).
extension Phone {
    @discardableResult
    func sendOffer(_ session: [UInt8], in handle: CallHandle) -> Bool {
        guard let call = call(handle), call.phase == .established, call.pendingOffer == nil,
            !exchanges.contains(where: { $0.purpose == .offer(handle) && !$0.isAccepted }), let line = usableLine,
            var head = head("INVITE", within: call)
        else { return false }
        call.offerAgain = session
        call.deadline = nil
        head.hasContact = true
        head.fields = Self.abilities
        head.body = Payload(type: .sdp, bytes: session)
        send(head, line, for: .offer(handle))
        return true
    }

    func offerAccepted(_ handle: CallHandle, _ response: Message, _ line: Int) {
        guard let call = call(handle), call.dialog != nil else { return }
        call.dialog?.refreshTarget(response)
        guard let dialog = call.dialog else { return }
        let cseq = (try? response.cseq())?.number ?? call.localCSeq
        acknowledge(dialog, callID: call.callID, tag: call.localTag, cseq: cseq, line)
        guard call.offerAgain != nil else { return }
        call.offerAgain = nil
        report(.offerAnswered(handle, status: response.status, session: session(of: response)))
    }

    func offerRefused(_ handle: CallHandle, _ status: UInt16) {
        guard let call = call(handle), call.phase == .established else { return }
        switch status {
        case 491:
            // Both asked at once. The side that made the call waits longer (RFC 3261 section 14.1).
            let base: Int64 = call.isIncoming ? 0 : 2100
            let spread: Double = call.isIncoming ? 2000 : 1900
            let wait = base + Int64(host.random.fraction() * spread)
            call.deadline = now.monotonic + .milliseconds(wait)
        case 408, 481:
            call.offerAgain = nil
            bye(handle, .lost)
        default:
            call.offerAgain = nil
            report(.offerAnswered(handle, status: status, session: []))
        }
    }

    func offerFailed(_ handle: CallHandle, _ failure: Failure) {
        guard let call = call(handle), call.phase == .established else { return }
        call.offerAgain = nil
        switch failure {
        case .timeout: bye(handle, .lost)
        case .flow, .status: report(.offerAnswered(handle, status: 503, session: []))
        }
    }

    /// An INVITE within a dialog came.
    func receiveOffer(_ request: Message, _ call: Call, _ line: Int) {
        guard call.phase == .established else { return answer(request, line, Status(491, "Request Pending")) }
        let isAsking = exchanges.contains { $0.purpose == .offer(call.handle) && !$0.isAccepted }
        guard call.pendingOffer == nil, !isAsking else {
            return answer(request, line, Status(491, "Request Pending"))
        }
        call.dialog?.refreshTarget(request)
        call.pendingOffer = request
        call.inviteFlow = lines[line].flow
        report(.offered(call.handle, session: session(of: request)))
    }

    func acceptOffer(_ handle: CallHandle, _ session: [UInt8]) {
        guard let call = call(handle), let request = call.pendingOffer,
            let flow = call.inviteFlow, let line = line(of: flow)
        else { return }
        call.pendingOffer = nil
        let sent = respond(
            to: request,
            flow,
            line,
            .ok,
            tag: call.localTag,
            hasContact: true,
            session: session
        )
        resend(sent, of: call, flow)
        call.phase = .accepting
        call.deadline = now.monotonic + host.policy.transactionTime
    }

    func refuseOffer(_ handle: CallHandle, _ status: UInt16) {
        guard let call = call(handle), let request = call.pendingOffer,
            let flow = call.inviteFlow, let line = line(of: flow)
        else { return }
        call.pendingOffer = nil
        let status = Status(min(max(status, 400), 699), Self.reason(status))
        respond(to: request, flow, line, status, tag: call.localTag)
    }
}
