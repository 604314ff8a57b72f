public import SIP

extension Phone {
    /// Calls somebody.
    ///
    /// Without a registered line the call waits for one, and a line that waits to be opened again is opened at once.
    ///
    /// - Parameters:
    ///   - uri: whom, `sip:bob@example.test`.
    ///   - session: the offer (SDP); empty leaves it to the other side.
    ///   - now: the time.
    /// - Returns: the call, which ends with `callEnded`.
    public func call(_ uri: ByteString, session: [UInt8], now: Now) -> CallHandle {
        turn(now) {
            let handle = CallHandle(number: newNumber())
            let call = Call(
                handle: handle,
                isIncoming: false,
                phase: .queued,
                callID: newCallID(),
                localTag: host.random.next()
            )
            call.address = uri.bytes
            call.session = session
            call.isShown = true
            call.deadline = self.now.monotonic + host.policy.transactionTime
            calls.append(call)
            takeAudio(handle)
            if let line = usableLine { invite(handle, line) } else { hurry() }
            return handle
        }
    }

    /// Accepts a call.
    ///
    /// - Parameters:
    ///   - handle: which; nothing happens where it can't be answered any more.
    ///   - session: the answer to its offer, or an offer where it brought none.
    ///   - now: the time.
    public func answer(_ handle: CallHandle, session: [UInt8], now: Now) {
        turn(now) { accept(handle, session) }
    }

    /// Refuses a call.
    ///
    /// - Parameters:
    ///   - handle: which.
    ///   - status: 486 where the user is busy, 603 where nobody else is to be asked either, 480 and the like.
    ///   - now: the time.
    public func reject(_ handle: CallHandle, status: UInt16, now: Now) {
        turn(now) {
            guard let call = call(handle), call.isIncoming else { return }
            switch call.phase {
            case .announced, .ringing:
                respond(call, Status(min(max(status, 400), 699), Self.reason(status)))
                finish(handle, .local)
            case .queued, .calling, .proceeding, .cancelling, .accepting, .established, .ending: break
            }
        }
    }

    /// Ends a call, whatever it is doing: cancels, refuses or hangs up.
    public func hangUp(_ handle: CallHandle, now: Now) {
        turn(now) { end(handle) }
    }

    /// Asks the other side for another session: hold, resume, another address.
    ///
    /// - Parameters:
    ///   - session: the offer.
    ///   - handle: the call, which must be established.
    ///   - now: the time.
    /// - Returns: whether it was asked: one offer at a time.
    @discardableResult
    public func offer(_ session: [UInt8], in handle: CallHandle, now: Now) -> Bool {
        turn(now) { sendOffer(session, in: handle) }
    }

    /// Accepts what the other side offers within a call.
    public func accept(offerIn handle: CallHandle, session: [UInt8], now: Now) {
        turn(now) { acceptOffer(handle, session) }
    }

    /// Refuses what the other side offers within a call; the session stays as it was (RFC 3261 section 14.2).
    ///
    /// - Parameters:
    ///   - handle: the call.
    ///   - status: 488 where nothing of the offer can be done.
    ///   - now: the time.
    public func refuse(offerIn handle: CallHandle, status: UInt16 = 488, now: Now) {
        turn(now) { refuseOffer(handle, status) }
    }

    /// A call of the cellular network began or ended: while there is one, further calls are busy.
    public func cellularCallChanged(isInProgress: Bool) { isInCellularCall = isInProgress }

    /// The Call-ID of a call; nil where it is over.
    public func callID(of handle: CallHandle) -> ByteString? { call(handle).map { ByteString($0.callID) } }

    func call(_ handle: CallHandle) -> Call? { calls.first { $0.handle == handle } }

    func remove(_ handle: CallHandle) { calls.removeAll { $0.handle == handle } }

    /// Ends a call from this side.
    func end(_ handle: CallHandle) {
        guard let call = call(handle) else { return }
        switch call.phase {
        case .queued: finish(handle, .local)
        case .calling, .proceeding: cancel(handle, .local)
        case .announced, .ringing:
            respond(call, Status(603, "Decline"))
            finish(handle, .local)
        case .accepting, .established: bye(handle, .local)
        case .cancelling, .ending: break
        }
    }

    /// A call is over and needs nothing more.
    func finish(_ handle: CallHandle, _ end: CallEnd) {
        guard let call = call(handle) else { return }
        show(end, call)
        remove(handle)
    }

    /// Tells that a call is over, once.
    func show(_ end: CallEnd, _ call: Call) {
        if call.hasAudio {
            call.hasAudio = false
            report(.releaseAudio(call.handle))
        }
        guard call.isShown else { return }
        call.isShown = false
        if call.isIncoming { history.note(call.callID, for: .seconds(300), now: now.monotonic) }
        report(.callEnded(call.handle, end))
    }

    func takeAudio(_ handle: CallHandle) {
        guard let call = call(handle), !call.hasAudio else { return }
        call.hasAudio = true
        report(.requestAudio(handle))
    }

    /// Hangs up; where there is no flow, as soon as there is one.
    func bye(_ handle: CallHandle, _ end: CallEnd) {
        guard let call = call(handle) else { return }
        show(end, call)
        call.phase = .ending
        call.resend = nil
        call.deadline = now.monotonic + host.policy.transactionTime
        if let line = usableLine { sendBye(handle, line) } else { hurry() }
    }

    private func sendBye(_ handle: CallHandle, _ line: Int) {
        guard let call = call(handle), let head = head("BYE", within: call) else { return remove(handle) }
        call.deadline = nil
        send(head, line, for: .bye(handle))
    }

    /// A request within a call; counts its CSeq.
    func head(_ method: StaticString, within call: Call) -> RequestHead? {
        guard let dialog = call.dialog else { return nil }
        let (cseq, overflow) = call.localCSeq.addingReportingOverflow(1)
        guard !overflow else { return nil }
        call.localCSeq = cseq
        return RequestHead(
            method: method,
            uri: dialog.target,
            tag: call.localTag,
            to: dialog.remote,
            callID: call.callID,
            cseq: cseq,
            routes: dialog.routes,
            hasContact: false
        )
    }

    /// Opens a flow at once, whatever it would have waited for: somebody wants to speak.
    func hurry() {
        guard isRunning else { return }
        for line in lines.indices where lines[line].registration.phase == .waiting { begin(line) }
    }

    /// A line is registered: what waited for one goes out.
    func registered(_ line: Int) {
        if let flow = lines[line].flow { adoptExchanges(flow) }
        for handle in calls.map(\.handle) {
            guard let call = call(handle) else { continue }
            switch call.phase {
            case .queued: invite(handle, line)
            case .ending where call.deadline != nil: sendBye(handle, line)
            case .announced: call.deadline = now.monotonic + host.policy.awaitPushedCall
            case .calling, .proceeding, .cancelling, .ringing, .accepting, .established, .ending: break
            }
        }
    }

    /// Whether a call waits for a flow.
    var isWaitingForFlow: Bool {
        calls.contains { $0.phase == .queued || $0.phase == .ending && $0.deadline != nil }
            || exchanges.contains { $0.flow.rawValue == 0 }
    }

    /// A flow is gone: calls that were being set up over it can't be answered any more, those that stand go on.
    func callsLost(_ flow: FlowID) {
        for handle in calls.map(\.handle) {
            guard let call = call(handle), call.inviteFlow == flow else { continue }
            switch call.phase {
            case .ringing:
                // The server may send it again, down the next flow.
                call.invite = nil
                call.resend = nil
                call.phase = .announced
                call.deadline = now.monotonic + host.policy.transactionTime
            case .accepting: call.resend = nil
            // It can't be answered any more, and must not stand in the way of the next.
            case .established: call.pendingOffer = nil
            case .queued, .calling, .proceeding, .cancelling, .announced, .ending: break
            }
        }
    }

    func callTimers() {
        for handle in calls.map(\.handle) {
            guard let call = call(handle) else { continue }
            if let deadline = call.deadline, deadline <= now.monotonic { deadlineCame(call) }
            resendIfDue(handle)
        }
    }

    private func deadlineCame(_ call: Call) {
        let handle = call.handle
        call.deadline = nil
        switch call.phase {
        case .queued: finish(handle, .lost)
        case .calling, .proceeding: cancel(handle, .unanswered)
        case .cancelling, .ending: remove(handle)
        case .announced: finish(handle, .missed)
        case .ringing:
            respond(call, .temporarilyUnavailable)
            finish(handle, .unanswered)
        case .accepting:
            // No ACK: the other side may not know of the answer (RFC 3261 section 13.3.1.4).
            bye(handle, .lost)
        case .established:
            if let session = call.offerAgain { sendOffer(session, in: handle) }
        }
    }

    private func resendIfDue(_ handle: CallHandle) {
        guard let call = call(handle), var resend = call.resend, resend.at <= now.monotonic else { return }
        host.outbox.send(resend.flow) { $0.append(contentsOf: resend.bytes) }
        let doubled = Interval(milliseconds: resend.interval.milliseconds * 2)
        // A provisional answer has no upper bound of its interval, a 2xx has T2.
        resend.interval = call.phase == .accepting ? min(doubled, host.policy.t2) : doubled
        resend.at = now.monotonic + resend.interval
        call.resend = resend
    }

    static func reason(_ status: UInt16) -> StaticString {
        switch status {
        case 404: "Not Found"
        case 480: "Temporarily Unavailable"
        case 486: "Busy Here"
        case 488: "Not Acceptable Here"
        case 600: "Busy Everywhere"
        case 603: "Decline"
        default: "Rejected"
        }
    }
}
