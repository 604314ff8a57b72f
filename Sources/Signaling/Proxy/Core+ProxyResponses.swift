import SIP

/// Responses on their way back (RFC 3261 section 16.7).
extension Core {
    func receive(response message: Message, from flow: FlowID) {
        // What is not for a transaction that waits here is late or made up; both are dropped.
        guard let branch = message.topBranch(),
            let own = BranchText.read(message.bytes, branch, epoch: epoch)
        else { return }
        guard own.id != .none else { return }
        var id = own.id
        if message.method == .cancel {
            guard let cancel = transactions[client: id]?.cancel else { return }
            id = cancel
        }
        guard let waiting = transactions.branch(client: id),
            waiting.flow == flow || succession.current(waiting.flow) == flow
        else { return }
        if waiting.isInvite, message.method != .invite { return }
        let status = message.status
        let effects = change(client: id) { $0.receive(status: status) }
        if effects.acknowledge, let context = waiting.context {
            acknowledge(message, context, waiting.index, waiting.flow, id)
        }
        apply(effects, client: id)
        guard effects.deliver, let context = waiting.context else { return }
        take(message, context, waiting.index)
    }

    private func take(_ message: Message, _ context: ResponseContext, _ index: Int) {
        let status = message.status
        if context.isInvite, status != 100 {
            record(
                context.request.message,
                .answered(status: status),
                transactions.branch(client: context.branches[index].client)?.flow
            )
        }
        switch status {
        case 100..<200: provisional(message, context, index)
        case 200..<300: success(message, context, index)
        default:
            if status == 401 || status == 407 { collectChallenges(message, context, index) }
            branchEnded(context, index, .response(message, branch: index), nil)
            if status >= 600 { stopOthers(context, .declinedElsewhere) }
            finishIfIdle(context)
        }
    }

    private func provisional(_ message: Message, _ context: ResponseContext, _ index: Int) {
        guard context.branches[index].progress != .ended else { return }
        context.branches[index].progress = .ringing
        if message.status > 100 {
            timers.rearm(context.branches[index].timerC, at: now.monotonic + settings.timerC)
        }
        if context.branches[index].wantsCancel {
            context.branches[index].wantsCancel = false
            cancel(context, index, context.branches[index].cancelReason)
        }
        guard message.status > 100, !context.isAnswered else { return }
        context.hasProvisional = true
        forwardUpstream(message, context)
    }

    private func success(_ message: Message, _ context: ResponseContext, _ index: Int) {
        let wasEnded = context.branches[index].progress == .ended
        context.branches[index].progress = .ended
        timers.cancel(context.branches[index].timerC)
        let isFirst = !context.isAnswered
        // Every 2xx to an INVITE goes upstream, late ones too: each is a dialog that the caller must end.
        guard isFirst || context.isInvite else { return }
        if isFirst { context.pending.removeAll() }
        context.isAnswered = true
        forwardUpstream(message, context)
        if context.isInvite { accepted() }
        guard isFirst, !wasEnded || context.isInvite else { return }
        if context.isInvite { recordVerdict(context.request, message.status, "answered") }
        stopOthers(context, .completedElsewhere)
    }

    /// CANCEL to every branch that still rings, and no new ones.
    private func stopOthers(_ context: ResponseContext, _ reason: CancelReason) {
        context.pending.removeAll()
        guard context.isInvite else { return }
        for index in context.branches.indices where context.branches[index].progress != .ended {
            cancel(context, index, reason)
        }
    }

    /// Sends a response to the caller without this server's Via.
    private func forwardUpstream(_ message: Message, _ context: ResponseContext, extra: [UInt8] = []) {
        let server = context.request.server
        let effects = serverSends(server, status: message.status)
        let isSuccessToInvite = context.isInvite && (200..<300).contains(message.status)
        guard effects.deliver || isSuccessToInvite else {
            // A 408 may not leave (RFC 4320 section 4.2), and ends the transaction all the same.
            if message.status >= 200 { releaseContext(server) }
            apply(effects, server: server)
            return
        }
        let origin = transactions.source(server: server)
        let flow = succession.current(origin?.flow ?? context.request.flow)
        edits.removeAll()
        if let field = message.first(.via) { edits.removeFirstValue(field, of: message) }
        for field in message.fields where field.name == .pAssertedIdentity || field.name == .pPreferredIdentity {
            edits.remove(field.line)
        }
        if !extra.isEmpty { edits.insert(at: message.headerStart) { $0.append(contentsOf: extra) } }
        let start = outbox.arena.count
        outbox.send(flow) { edits.apply(to: message, &$0) }
        if origin?.isReliable == false { keepForRetransmission(server: server, from: start) }
        if message.status >= 200 { releaseContext(server) }
        apply(effects, server: server)
    }

    /// Gives the caller the best answer there is.
    func answer(_ context: ResponseContext, with result: BranchResult) {
        context.isAnswered = true
        if context.isInvite {
            let reason = context.isCancelled ? "cancelled" : context.lastFailure ?? "declined"
            recordVerdict(context.request, result.status, reason)
        }
        switch result {
        case .synthetic(let status): respondFinally(context, status)
        // What is wrong with one next hop is not wrong with this server (RFC 3261 section 16.7 step 6).
        case .response(let message, _) where message.status == 503: respondFinally(context, .serverError)
        case .response(let message, let branch):
            var extra: [UInt8] = []
            for challenge in context.challenges where challenge.branch != branch {
                extra.append(contentsOf: challenge.lines)
            }
            forwardUpstream(message, context, extra: message.status == 401 || message.status == 407 ? extra : [])
        }
    }

    private func respondFinally(_ context: ResponseContext, _ status: Status) {
        releaseContext(context.request.server)
        respond(context.request, status)
    }

    /// The server transaction needs its context no longer: it has its final answer.
    private func releaseContext(_ server: TransactionTable.ServerID) {
        var released: ResponseContext?
        var patience = TimerWheel<CoreTimer>.TimerID.none
        transactions.update(server: server) {
            released = $0.context.take()
            patience = $0.patience
        }
        timers.cancel(patience)
        if released != nil { unanswered -= 1 }
    }

    private func collectChallenges(_ message: Message, _ context: ResponseContext, _ index: Int) {
        var lines: [UInt8] = []
        for field in message.fields where field.name == .wwwAuthenticate || field.name == .proxyAuthenticate {
            lines.append(message.bytes, field.line)
        }
        context.challenges.append((index, lines))
    }

    /// ACK for a final response that is not 2xx (RFC 3261 section 17.1.1.3).
    private func acknowledge(
        _ response: Message,
        _ context: ResponseContext,
        _ index: Int,
        _ flow: FlowID,
        _ client: TransactionTable.ClientID
    ) {
        let request = context.request.message
        outbox.send(flow) { out in
            appendHopRequest("ACK", context, index, client, flow, &out)
            for field in response.fields where field.name == .to { out.append(response.bytes, field.line) }
            if let sequence = try? request.cseq() {
                out.append(text: "CSeq: ")
                out.append(decimal: UInt64(sequence.number))
                out.append(text: " ACK\r\nContent-Length: 0\r\n\r\n")
            }
        }
    }

    /// The parts that ACK and CANCEL share with the INVITE of their branch, without To and CSeq.
    func appendHopRequest(
        _ method: StaticString,
        _ context: ResponseContext,
        _ index: Int,
        _ client: TransactionTable.ClientID,
        _ flow: FlowID,
        _ out: inout [UInt8]
    ) {
        let request = context.request.message
        let branch = context.branches[index]
        let way = branch.device.ways[branch.way]
        out.append(text: method)
        out.append(0x20)
        if let contact = way.contact { out.append(contact) } else { out.append(request.bytes, request.requestURI) }
        out.append(text: " SIP/2.0\r\nVia: SIP/2.0/")
        out.append(text: flows[flow]?.info.transport.viaName ?? "TCP")
        out.append(0x20)
        appendSentBy(for: flow, to: &out)
        out.append(text: ";branch=")
        BranchText.append(client, loopHash: loopHash(request), epoch: epoch, to: &out)
        out.append(text: "\r\nMax-Forwards: 70\r\n")
        if !way.path.isEmpty {
            out.append(text: "Route: ")
            out.append(way.path)
            out.append(text: "\r\n")
        }
        for field in request.fields where field.name == .from || field.name == .callID {
            out.append(request.bytes, field.line)
        }
    }

    func tryingTimerFired(_ server: TransactionTable.ServerID) {
        guard let context = transactions[server: server]?.context, !context.hasProvisional, !context.isAnswered else {
            return
        }
        context.hasProvisional = true
        respond(context.request, .trying)
    }
}
