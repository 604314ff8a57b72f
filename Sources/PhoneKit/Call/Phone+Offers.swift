import SIP

/// INVITEs within a call (RFC 3261 section 14).
extension Phone {
    @discardableResult
    func sendOffer(_ session: [UInt8], in handle: CallHandle) -> Bool {
        guard let index = index(handle), calls[index].phase == .established, calls[index].pendingOffer == nil,
            !exchanges.contains(where: { $0.purpose == .offer(handle) && !$0.isAccepted }), let line = usableLine,
            var head = head("INVITE", within: index)
        else { return false }
        calls[index].offerAgain = session
        calls[index].deadline = nil
        head.hasContact = true
        appendAbilities(to: &head.fields)
        head.body = Payload(type: "application/sdp", bytes: session)
        send(head, line, for: .offer(handle))
        return true
    }

    func offerAccepted(_ handle: CallHandle, _ response: Message, _ line: Int) {
        guard let index = index(handle), calls[index].dialog != nil else { return }
        calls[index].dialog?.refreshTarget(response)
        guard let dialog = calls[index].dialog else { return }
        let cseq = (try? response.cseq())?.number ?? calls[index].localCSeq
        acknowledge(dialog, callID: calls[index].callID, tag: calls[index].localTag, cseq: cseq, line)
        guard calls[index].offerAgain != nil else { return }
        calls[index].offerAgain = nil
        report(.offerAnswered(handle, status: response.status, session: session(of: response)))
    }

    func offerRefused(_ handle: CallHandle, _ status: UInt16) {
        guard let index = index(handle), calls[index].phase == .established else { return }
        switch status {
        case 491:
            // Both asked at once. The side that made the call waits longer (RFC 3261 section 14.1).
            let base: Int64 = calls[index].isIncoming ? 0 : 2100
            let spread: Double = calls[index].isIncoming ? 2000 : 1900
            let wait = base + Int64(host.random.fraction() * spread)
            calls[index].deadline = now.monotonic + .milliseconds(wait)
        case 408, 481:
            calls[index].offerAgain = nil
            bye(handle, .lost)
        default:
            calls[index].offerAgain = nil
            report(.offerAnswered(handle, status: status, session: []))
        }
    }

    func offerFailed(_ handle: CallHandle, _ failure: Failure) {
        guard let index = index(handle), calls[index].phase == .established else { return }
        calls[index].offerAgain = nil
        switch failure {
        case .timeout: bye(handle, .lost)
        case .flow, .status: report(.offerAnswered(handle, status: 503, session: []))
        }
    }

    /// An INVITE within a dialog came.
    func receiveOffer(_ request: Message, _ index: Int, _ line: Int) {
        guard calls[index].phase == .established else { return answer(request, line, Status(491, "Request Pending")) }
        let isAsking = exchanges.contains { $0.purpose == .offer(calls[index].handle) && !$0.isAccepted }
        guard calls[index].pendingOffer == nil, !isAsking else {
            return answer(request, line, Status(491, "Request Pending"))
        }
        calls[index].dialog?.refreshTarget(request)
        calls[index].pendingOffer = request
        calls[index].inviteFlow = lines[line].flow
        report(.offered(calls[index].handle, session: session(of: request)))
    }

    func acceptOffer(_ handle: CallHandle, _ session: [UInt8]) {
        guard let index = index(handle), let request = calls[index].pendingOffer,
            let flow = calls[index].inviteFlow, let line = line(of: flow)
        else { return }
        calls[index].pendingOffer = nil
        let bytes = response(to: request, line, .ok, tag: calls[index].localTag, hasContact: true, session: session)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
        calls[index].resend = Resend(
            bytes: bytes,
            at: now.monotonic + host.policy.t1,
            interval: host.policy.t1,
            flow: flow
        )
        calls[index].phase = .accepting
        calls[index].deadline = now.monotonic + host.policy.transactionTime
    }

    func refuseOffer(_ handle: CallHandle, _ status: UInt16) {
        guard let index = index(handle), let request = calls[index].pendingOffer,
            let flow = calls[index].inviteFlow, let line = line(of: flow)
        else { return }
        calls[index].pendingOffer = nil
        let status = Status(min(max(status, 400), 699), Self.reason(status))
        let bytes = response(to: request, line, status, tag: calls[index].localTag)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
    }
}
