import SIP

/// Calls that end before they are answered (RFC 3261 sections 9 and 16.10).
extension Core {
    /// The caller gave up, or is gone for good.
    func cancelledByCaller(_ context: ResponseContext) {
        guard !context.isAnswered, !context.isCancelled else { return }
        context.isCancelled = true
        context.pending.removeAll()
        record(context.request.message, .cancelled, context.request.flow)
        for index in context.branches.indices where context.branches[index].progress != .ended {
            cancel(context, index, nil)
        }
        finishIfIdle(context)
    }

    /// Cancels one branch, now or as soon as a provisional response allows it.
    func cancel(_ context: ResponseContext, _ index: Int, _ reason: CancelReason?) {
        guard context.branches[index].progress == .ringing else {
            context.branches[index].wantsCancel = true
            context.branches[index].cancelReason = reason
            return
        }
        let client = context.branches[index].client
        guard let transaction = transactions[client: client], transaction.cancel == .none else { return }
        timers.cancel(context.branches[index].timerC)
        let isReliable = flows[transaction.flow]?.info.transport.isReliable ?? true
        let cancelMachine = NonInviteClientTransaction(settings.timers, isReliable: isReliable)
        let cancel = transactions.insert(
            ClientTransaction(machine: .other(cancelMachine), flow: transaction.flow, context: nil, branch: index),
            in: &flows
        )
        transactions.update(client: client) { $0.cancel = cancel }
        let start = outbox.arena.count
        outbox.send(transaction.flow) { out in
            appendHopRequest("CANCEL", context, index, client, transaction.flow, &out)
            let request = context.request.message
            for field in request.fields where field.name == .to { out.append(request.bytes, field.line) }
            if let sequence = try? request.cseq() {
                out.append(text: "CSeq: ")
                out.append(decimal: UInt64(sequence.number))
                out.append(text: " CANCEL\r\n")
            }
            switch reason {
            case .completedElsewhere:
                out.append(text: "Reason: SIP;cause=200;text=\"Call completed elsewhere\"\r\n")
            case .declinedElsewhere:
                out.append(text: "Reason: SIP;cause=603;text=\"Declined\"\r\n")
            case nil: break
            }
            out.append(text: "Content-Length: 0\r\n\r\n")
        }
        if !isReliable {
            let sent = Array(outbox.arena[start...])
            transactions.update(client: cancel) { $0.sent = sent }
        }
        apply(cancelMachine.start(), client: cancel)
        apply(change(client: client) { $0.cancelled() }, client: client)
    }

    /// The flow of somebody who waits for an answer is gone.
    ///
    /// A phone that changes networks is back within seconds.
    func lostCaller(of server: TransactionTable.ServerID) {
        guard let transaction = transactions[server: server], transaction.context != nil else { return }
        timers.cancel(transaction.patience)
        let timer = timers.arm(
            at: now.monotonic + settings.callerPatience,
            CoreTimer(kind: .orphaned, id: server.rawValue)
        )
        transactions.update(server: server) { $0.patience = timer }
    }

    func patienceEnded(_ server: TransactionTable.ServerID) {
        guard let transaction = transactions[server: server], let context = transaction.context,
            !flows.isOpen(succession.current(transaction.flow))
        else { return }
        if context.isInvite { cancelledByCaller(context) }
    }
}
