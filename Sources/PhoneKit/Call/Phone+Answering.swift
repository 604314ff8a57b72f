import SIP

/// The side that is called (RFC 3261 section 13.3).
extension Phone {
    /// An INVITE that begins a call came.
    func receiveInvite(_ request: Message, _ line: Int) {
        guard let callIDField = request.first(.callID), let from = (try? request.nameAddress(.from)) ?? nil,
            let dialog = Dialog(request: request)
        else { return answer(request, line, .badRequest) }
        let bytes = request.bytes
        let callID = Array(bytes[callIDField.value])
        let known = calls.first { $0.callID == callID }
        if let known, known.phase != .announced {
            // The same request by another way (RFC 3261 section 8.2.2.2).
            return answer(request, line, .loopDetected)
        }
        if known == nil {
            if history.has(callID, now: now.monotonic) { return answer(request, line, .requestTerminated) }
            if isInCellularCall || calls.count(where: \.isActive) >= host.policy.maxCalls {
                return answer(request, line, Status(486, "Busy Here"))
            }
        }
        let incoming = IncomingCall(
            callID: ByteString(callID),
            from: request.string(from.uri),
            displayName: from.displayName.map { bytes.unquoted($0) } ?? ByteString(),
            session: session(of: request)
        )
        let call =
            known
            ?? Call(
                handle: CallHandle(number: newNumber()),
                isIncoming: true,
                phase: .announced,
                callID: callID,
                localTag: host.random.next()
            )
        if known == nil { calls.append(call) }
        let handle = call.handle
        call.phase = .ringing
        call.invite = request
        call.inviteFlow = lines[line].flow
        call.dialog = dialog
        call.remoteCSeq = (try? request.cseq())?.number ?? 0
        call.deadline = now.monotonic + host.policy.ringFor
        if call.isShown {
            report(.callArrived(handle, incoming))
        } else {
            call.isShown = true
            report(.incomingCall(handle, incoming))
            takeAudio(handle)
        }
        ring(call)
    }

    /// Says 180, reliably where that is wanted (RFC 3262 section 3).
    private func ring(_ call: Call) {
        guard let invite = call.invite, let flow = call.inviteFlow,
            let line = line(of: flow)
        else { return }
        let isReliable =
            invite.lists("100rel", in: .require) || host.policy.ringsReliably && invite.lists("100rel", in: .supported)
        var fields: [UInt8] = []
        if isReliable {
            call.rseq = UInt32(truncatingIfNeeded: host.random.next() >> 40) + 1
            fields.append(text: "Require: 100rel\r\nRSeq: ")
            fields.append(decimal: UInt64(call.rseq))
            fields.append(text: "\r\n")
        }
        let sent = respond(
            to: invite,
            flow,
            line,
            Status(180, "Ringing"),
            tag: call.localTag,
            hasContact: true,
            fields: fields
        )
        if isReliable { resend(sent, of: call, flow) }
    }

    /// Says 200.
    func accept(_ handle: CallHandle, _ session: [UInt8]) {
        guard let call = call(handle), call.phase == .ringing, let invite = call.invite,
            let flow = call.inviteFlow, let line = line(of: flow)
        else { return }
        call.session = session
        let sent = respond(
            to: invite,
            flow,
            line,
            .ok,
            tag: call.localTag,
            hasContact: true,
            fields: Self.abilities,
            session: session
        )
        call.phase = .accepting
        call.deadline = now.monotonic + host.policy.transactionTime
        resend(sent, of: call, flow)
    }

    /// Keeps what was just sent, to send it again until it is confirmed.
    func resend(_ sent: Range<Int>, of call: Call, _ flow: FlowID) {
        call.resend = Resend(
            bytes: Array(host.outbox.arena[sent]),
            at: now.monotonic + host.policy.t1,
            interval: host.policy.t1,
            flow: flow
        )
    }

    /// Refuses the INVITE of a call, if it is here.
    func respond(_ call: Call, _ status: Status) {
        guard let invite = call.invite, let flow = call.inviteFlow, let line = line(of: flow) else {
            return
        }
        respond(to: invite, flow, line, status, tag: call.localTag)
    }

    /// The caller gave up (RFC 3261 section 9.2).
    func receiveCancel(_ request: Message, _ line: Int) {
        guard let branch = request.topBranch(),
            let call = calls.first(where: {
                guard let invite = $0.invite, let other = invite.topBranch() else { return false }
                return invite.bytes.isEqual(other, to: request.bytes, branch)
            })
        else { return answer(request, line, .noSuchTransaction) }
        answer(request, line, .ok)
        guard call.phase == .ringing else { return }
        respond(call, .requestTerminated)
        finish(call.handle, Self.isAnsweredElsewhere(request) ? .answeredElsewhere : .cancelled)
    }

    /// Whether a CANCEL says that the call was taken by another device: `SIP;cause=200` (RFC 3326 section 3.1).
    private static func isAnsweredElsewhere(_ request: Message) -> Bool {
        let bytes = request.bytes
        for value in request.values(.reason) {
            let end = bytes[value].firstIndex(of: UInt8(ascii: ";")) ?? value.upperBound
            guard bytes.isEqualIgnoringCase(value.lowerBound..<end, "sip"),
                let cause = bytes.parameter("cause", in: end..<value.upperBound)?.value
            else { continue }
            if bytes.isEqual(cause, "200") { return true }
        }
        return false
    }

    /// The caller knows of the answer.
    func receiveAck(_ request: Message, _ call: Call?) {
        guard let call, call.phase == .accepting else { return }
        call.phase = .established
        call.deadline = nil
        call.resend = nil
        call.invite = nil
        call.inviteFlow = nil
        report(.callConfirmed(call.handle, session: session(of: request)))
    }

    /// The caller knows that it rings (RFC 3262 section 3).
    func receivePrack(_ request: Message, _ call: Call?, _ line: Int) {
        guard let call, let field = request.first(.rack), call.rseq > 0 else {
            return answer(request, line, .noSuchTransaction)
        }
        let digits =
            field.value
            .lowerBound..<(request.bytes[field.value].firstIndex(of: UInt8(ascii: " ")) ?? field.value.upperBound)
        guard request.bytes.decimal(digits) == UInt64(call.rseq) else {
            return answer(request, line, .noSuchTransaction)
        }
        if call.phase == .ringing { call.resend = nil }
        answer(request, line, .ok)
    }

    func receiveBye(_ request: Message, _ call: Call?, _ line: Int) {
        guard let call else { return answer(request, line, .noSuchTransaction) }
        answer(request, line, .ok)
        if call.pendingOffer != nil, let pending = call.pendingOffer {
            answer(pending, line, .requestTerminated)
        }
        switch call.phase {
        case .ending: break
        case .queued, .calling, .proceeding, .cancelling, .announced, .ringing, .accepting, .established:
            finish(call.handle, .remote)
        }
    }

    /// The call that a request belongs to, by Call-ID and both tags (RFC 3261 section 12.2.2).
    func callWithin(_ request: Message) -> Call? {
        guard !calls.isEmpty, let callID = request.first(.callID), let to = (try? request.tag(.to)) ?? nil,
            let localTag = request.bytes.hexNumber(to), let from = (try? request.tag(.from)) ?? nil
        else { return nil }
        return calls.first {
            guard $0.localTag == localTag, let remoteTag = $0.dialog?.remoteTag else { return false }
            return request.bytes.isEqual(callID.value, to: $0.callID, 0..<$0.callID.count)
                && request.bytes.isEqual(from, to: remoteTag, 0..<remoteTag.count)
        }
    }
}

extension [UInt8] {
    /// Sixteen lower-case hexadecimal digits, as this phone writes its tags.
    func hexNumber(_ range: Range<Int>) -> UInt64? {
        guard range.count == 16 else { return nil }
        var number: UInt64 = 0
        for at in range {
            switch self[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(self[at] &- UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                number = number << 4 | UInt64(self[at] &- UInt8(ascii: "a") &+ 10)
            default: return nil
            }
        }
        return number
    }
}
