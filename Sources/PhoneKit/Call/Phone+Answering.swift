import SIP

/// The side that is called (RFC 3261 section 13.3).
extension Phone {
    /// An INVITE that begins a call came.
    func receiveInvite(_ request: Message, _ line: Int) {
        guard let callIDField = request.first(.callID), let from = (try? request.nameAddress(.from)) ?? nil,
            let dialog = Dialog(request: request)
        else { return }
        let bytes = request.bytes
        let callID = Array(bytes[callIDField.value])
        let known = calls.firstIndex { $0.callID == callID }
        if let known, calls[known].phase != .announced {
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
        let index: Int
        if let known {
            index = known
        } else {
            calls.append(
                Call(
                    handle: CallHandle(number: newNumber()),
                    isIncoming: true,
                    phase: .announced,
                    callID: callID,
                    localTag: host.random.next()
                )
            )
            index = calls.count - 1
        }
        let handle = calls[index].handle
        calls[index].phase = .ringing
        calls[index].invite = request
        calls[index].inviteFlow = lines[line].flow
        calls[index].dialog = dialog
        calls[index].remoteCSeq = (try? request.cseq())?.number ?? 0
        calls[index].deadline = now.monotonic + host.policy.ringFor
        if calls[index].isShown {
            report(.callArrived(handle, incoming))
        } else {
            calls[index].isShown = true
            report(.incomingCall(handle, incoming))
            takeAudio(handle)
        }
        ring(handle)
    }

    /// Says 180, reliably where that is wanted (RFC 3262 section 3).
    private func ring(_ handle: CallHandle) {
        guard let index = index(handle), let invite = calls[index].invite, let flow = calls[index].inviteFlow,
            let line = line(of: flow)
        else { return }
        let isReliable =
            invite.lists("100rel", in: .require) || host.policy.ringsReliably && invite.lists("100rel", in: .supported)
        var fields: [UInt8] = []
        if isReliable {
            calls[index].rseq = UInt32(truncatingIfNeeded: host.random.next() >> 40) + 1
            fields.append(text: "Require: 100rel\r\nRSeq: ")
            fields.append(decimal: UInt64(calls[index].rseq))
            fields.append(text: "\r\n")
        }
        let bytes = response(
            to: invite,
            line,
            Status(180, "Ringing"),
            tag: calls[index].localTag,
            hasContact: true,
            fields: fields
        )
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
        guard isReliable else { return }
        calls[index].resend = Resend(
            bytes: bytes,
            at: now.monotonic + host.policy.t1,
            interval: host.policy.t1,
            flow: flow
        )
    }

    /// Says 200.
    func accept(_ handle: CallHandle, _ session: [UInt8]) {
        guard let index = index(handle), calls[index].phase == .ringing, let invite = calls[index].invite,
            let flow = calls[index].inviteFlow, let line = line(of: flow)
        else { return }
        calls[index].session = session
        var fields: [UInt8] = []
        appendAbilities(to: &fields)
        let bytes = response(
            to: invite,
            line,
            .ok,
            tag: calls[index].localTag,
            hasContact: true,
            fields: fields,
            session: session
        )
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
        calls[index].phase = .accepting
        calls[index].deadline = now.monotonic + host.policy.transactionTime
        calls[index].resend = Resend(
            bytes: bytes,
            at: now.monotonic + host.policy.t1,
            interval: host.policy.t1,
            flow: flow
        )
    }

    /// Refuses the INVITE of a call, if it is here.
    func respond(_ index: Int, _ status: Status) {
        guard let invite = calls[index].invite, let flow = calls[index].inviteFlow, let line = line(of: flow) else {
            return
        }
        let bytes = response(to: invite, line, status, tag: calls[index].localTag)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
    }

    /// The caller gave up (RFC 3261 section 9.2).
    func receiveCancel(_ request: Message, _ line: Int) {
        guard let via = (try? request.topVia()) ?? nil, let branch = via.branch,
            let index = calls.firstIndex(where: {
                guard let invite = $0.invite, let own = (try? invite.topVia()) ?? nil, let other = own.branch else {
                    return false
                }
                return invite.bytes.isEqual(other, to: request.bytes, branch)
            })
        else { return answer(request, line, .noSuchTransaction) }
        answer(request, line, .ok)
        guard calls[index].phase == .ringing else { return }
        respond(index, .requestTerminated)
        finish(calls[index].handle, Self.isAnsweredElsewhere(request) ? .answeredElsewhere : .cancelled)
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
    func receiveAck(_ request: Message) {
        guard let index = dialogIndex(request), calls[index].phase == .accepting else { return }
        calls[index].phase = .established
        calls[index].deadline = nil
        calls[index].resend = nil
        calls[index].invite = nil
        calls[index].inviteFlow = nil
        report(.callConfirmed(calls[index].handle, session: session(of: request)))
    }

    /// The caller knows that it rings (RFC 3262 section 3).
    func receivePrack(_ request: Message, _ line: Int) {
        guard let index = dialogIndex(request), let field = request.first(.rack), calls[index].rseq > 0 else {
            return answer(request, line, .noSuchTransaction)
        }
        let digits =
            field.value
            .lowerBound..<(request.bytes[field.value].firstIndex(of: UInt8(ascii: " ")) ?? field.value.upperBound)
        guard request.bytes.decimal(digits) == UInt64(calls[index].rseq) else {
            return answer(request, line, .noSuchTransaction)
        }
        if calls[index].phase == .ringing { calls[index].resend = nil }
        answer(request, line, .ok)
    }

    func receiveBye(_ request: Message, _ line: Int) {
        guard let index = dialogIndex(request) else { return answer(request, line, .noSuchTransaction) }
        answer(request, line, .ok)
        if calls[index].pendingOffer != nil, let pending = calls[index].pendingOffer {
            answer(pending, line, .requestTerminated)
        }
        switch calls[index].phase {
        case .ending: break
        case .queued, .calling, .proceeding, .cancelling, .announced, .ringing, .accepting, .established:
            finish(calls[index].handle, .remote)
        }
    }

    /// The call that a request belongs to, by Call-ID and both tags (RFC 3261 section 12.2.2).
    func dialogIndex(_ request: Message) -> Int? {
        guard let callID = request.first(.callID), let to = (try? request.tag(.to)) ?? nil,
            let from = (try? request.tag(.from)) ?? nil
        else { return nil }
        let localTag = request.bytes.hexNumber(to)
        return calls.indices.first { index in
            guard calls[index].localTag == localTag, let remoteTag = calls[index].dialog?.remoteTag else {
                return false
            }
            return request.bytes.isEqual(callID.value, to: calls[index].callID, 0..<calls[index].callID.count)
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
