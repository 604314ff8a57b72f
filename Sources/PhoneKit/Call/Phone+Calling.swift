import SIP

/// The side that calls (RFC 3261 section 13.2).
extension Phone {
    /// Sends the INVITE.
    func invite(_ handle: CallHandle, _ line: Int) {
        guard let call = call(handle) else { return }
        call.localCSeq = 1
        call.phase = .calling
        call.deadline = nil
        var to: [UInt8] = [UInt8(ascii: "<")]
        to.append(contentsOf: call.address)
        to.append(UInt8(ascii: ">"))
        var fields = Self.abilities
        appendCredentials(isRegister: false, method: "INVITE", uri: call.address, to: &fields)
        let head = RequestHead(
            method: "INVITE",
            uri: call.address,
            tag: call.localTag,
            to: to,
            callID: call.callID,
            cseq: 1,
            routes: serviceRoute,
            hasContact: true,
            fields: fields,
            body: Payload(type: .sdp, bytes: call.session)
        )
        send(head, line, for: .invite(handle))
        let isFirst = exchanges.count { $0.purpose == .invite(handle) } == 1
        guard lines.count > 1, isFirst, let last = exchanges.indices.last else { return }
        exchanges[last].signOfLifeBy = now.monotonic + host.policy.signOfLifeWithin
    }

    /// Nothing came back of a call: its flow may be dead.
    ///
    /// The same request goes by another line; who gets it twice refuses the second (RFC 3261 section 8.2.2.2).
    func inviteByOtherLine(_ handle: CallHandle, than flow: FlowID) {
        guard let call = call(handle), call.phase == .calling,
            let place = exchanges.firstIndex(where: { $0.purpose == .invite(handle) && $0.flow == flow })
        else { return }
        if let other = lines.indices.first(where: { lines[$0].registration.isUsable && lines[$0].flow != flow }) {
            invite(handle, other)
        } else {
            // It may be on its way.
            exchanges[place].signOfLifeBy = now.monotonic + host.policy.signOfLifeWithin
        }
    }

    /// Whether another line's INVITE of this call may still be answered.
    private func isTriedElsewhere(_ handle: CallHandle) -> Bool {
        exchanges.contains { $0.purpose == .invite(handle) && !$0.isAccepted }
    }

    /// The INVITE was challenged, and is out again.
    func inviteSentAgain(_ handle: CallHandle) {
        if let call = call(handle), call.phase == .proceeding { call.phase = .calling }
    }

    func inviteProgressed(_ handle: CallHandle, _ response: Message) {
        guard let call = call(handle) else { return }
        acknowledgeReliably(call, response)
        switch call.phase {
        case .calling:
            call.phase = .proceeding
            call.deadline = now.monotonic + host.policy.callFor
        case .cancelling:
            // Only now may it be cancelled (RFC 3261 section 9.1).
            sendCancel(handle)
            return
        case .proceeding, .queued, .announced, .ringing, .accepting, .established, .ending: break
        }
        if response.status > 100 {
            report(.callProgress(handle, status: response.status, session: session(of: response)))
        }
    }

    /// Acknowledges a provisional answer that asks for it (RFC 3262 section 4).
    private func acknowledgeReliably(_ call: Call, _ response: Message) {
        guard response.status > 100, response.lists("100rel", in: .require),
            let rseq = (try? response.number(.rseq)) ?? nil, let early = Dialog(answer: response),
            let line = usableLine
        else { return }
        let known = call.acknowledged.firstIndex { $0.tag == early.remoteTag }
        if let known {
            let (next, overflow) = call.acknowledged[known].rseq.addingReportingOverflow(1)
            guard !overflow, rseq == next else { return }
            call.acknowledged[known].rseq = rseq
        } else {
            call.acknowledged.append((early.remoteTag, rseq))
        }
        let settled = call.dialog
        call.dialog = early
        if var head = head("PRACK", within: call) {
            head.fields.append(text: "RAck: ")
            head.fields.append(decimal: UInt64(rseq))
            head.fields.append(text: " ")
            head.fields.append(decimal: UInt64((try? response.cseq())?.number ?? 1))
            head.fields.append(text: " INVITE\r\n")
            send(head, line, for: .acknowledgeProvisional(call.handle))
        }
        call.dialog = settled
    }

    /// A 2xx to the INVITE: the first makes the call, a repeated one is acknowledged again, another fork's is hung up.
    func inviteAccepted(_ handle: CallHandle, _ exchange: Exchange, _ response: Message, _ line: Int) {
        guard let dialog = Dialog(answer: response) else { return }
        let cseq = (try? response.cseq())?.number ?? 1
        guard let call = call(handle) else { return hangUpFork(dialog, exchange, cseq: cseq, line) }
        if call.dialog == nil {
            call.dialog = dialog
            acknowledge(dialog, callID: call.callID, tag: call.localTag, cseq: cseq, line)
            if call.phase == .cancelling { return bye(handle, call.intendedEnd ?? .local) }
            call.phase = .established
            call.deadline = nil
            report(.callAccepted(handle, session: session(of: response)))
        } else if call.dialog?.remoteTag == dialog.remoteTag {
            acknowledge(dialog, callID: call.callID, tag: call.localTag, cseq: cseq, line)
        } else {
            hangUpFork(dialog, exchange, cseq: cseq, line)
        }
    }

    /// Acknowledges a 2xx: a request of its own, to where the dialog goes (RFC 3261 section 13.2.2.4).
    func acknowledge(_ dialog: Dialog, callID: [UInt8], tag: UInt64, cseq: UInt32, _ line: Int) {
        guard let flow = lines[line].flow else { return }
        let head = RequestHead(
            method: "ACK",
            uri: dialog.target,
            tag: tag,
            to: dialog.remote,
            callID: callID,
            cseq: cseq,
            routes: dialog.routes,
            hasContact: false
        )
        let branch = host.random.next()
        host.outbox.send(flow) { serialize(head, line, branch: branch, to: &$0) }
    }

    private func hangUpFork(_ dialog: Dialog, _ exchange: Exchange, cseq: UInt32, _ line: Int) {
        let request = Message(exchange.bytes, limits: host.policy.limits)
        guard let ownTag = (try? request.tag(.from)) ?? nil, let tag = request.bytes.hexNumber(ownTag),
            let callID = request.first(.callID)
        else { return }
        let ownCallID = Array(request.bytes[callID.value])
        acknowledge(dialog, callID: ownCallID, tag: tag, cseq: cseq, line)
        let head = RequestHead(
            method: "BYE",
            uri: dialog.target,
            tag: tag,
            to: dialog.remote,
            callID: ownCallID,
            cseq: cseq &+ 1,
            routes: dialog.routes,
            hasContact: false
        )
        send(head, line, for: .cancel)
    }

    func inviteRefused(_ handle: CallHandle, _ status: UInt16) {
        guard let call = call(handle), call.dialog == nil, status != 482 || !isTriedElsewhere(handle) else {
            return
        }
        exchanges.removeAll { $0.purpose == .invite(handle) }
        finish(handle, call.intendedEnd ?? .rejected(status))
    }

    func inviteFailed(_ handle: CallHandle, _ failure: Failure) {
        guard let call = call(handle), call.dialog == nil, !isTriedElsewhere(handle) else { return }
        finish(handle, call.intendedEnd ?? (failure == .timeout ? .unanswered : .lost))
    }

    /// Gives a call up that nobody has answered yet.
    func cancel(_ handle: CallHandle, _ end: CallEnd) {
        guard let call = call(handle) else { return }
        let mayCancel = call.phase == .proceeding
        call.phase = .cancelling
        call.intendedEnd = end
        // Whatever comes or not, it is over then.
        call.deadline = now.monotonic + host.policy.transactionTime
        show(end, call)
        if mayCancel { sendCancel(handle) }
    }

    func sendCancel(_ handle: CallHandle) {
        guard
            let position = exchanges.firstIndex(where: {
                $0.purpose == .invite(handle) && $0.isProceeding && !$0.isAccepted
            }),
            let line = line(of: exchanges[position].flow), let flow = lines[line].flow,
            !exchanges.contains(where: { $0.purpose == .cancel && $0.branch == exchanges[position].branch })
        else { return }
        // A final answer is due now: 487, or what crossed the CANCEL.
        exchanges[position].deadline = now.monotonic + host.policy.transactionTime
        let bytes = sibling(of: exchanges[position].bytes, method: "CANCEL", to: nil)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
        exchanges.append(
            Exchange(
                branch: exchanges[position].branch,
                flow: flow,
                purpose: .cancel,
                bytes: bytes,
                deadline: now.monotonic + host.policy.transactionTime
            )
        )
    }

    /// Lines that tell what this user agent can do.
    static let abilities = Array(
        "Allow: INVITE, ACK, CANCEL, BYE, PRACK, OPTIONS, MESSAGE\r\nSupported: 100rel, outbound, gruu\r\n".utf8
    )

    func session(of message: Message) -> [UInt8] { Array(message.bytes[message.body]) }
}
