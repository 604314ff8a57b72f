import SIP

/// Running the machines: their effects, their timers.
extension Core {
    func startServerTransaction(_ message: Message, key: TransactionKey, flow: FlowID) -> TransactionTable.ServerID {
        let isReliable = flows[flow]?.info.transport.isReliable ?? true
        let machine: ServerTransaction.Machine =
            message.method == .invite
            ? .invite(InviteServerTransaction(settings.timers, isReliable: isReliable))
            : .other(NonInviteServerTransaction(settings.timers, isReliable: isReliable))
        let transaction = ServerTransaction(machine: machine, flow: flow, isReliable: isReliable)
        return transactions.insert(transaction, key, in: &flows)
    }

    func receiveRetransmission(of server: TransactionTable.ServerID) {
        guard let machine = transactions[server: server]?.machine else { return }
        apply(machine.receiveRetransmission(), server: server)
    }

    /// Tells a server transaction that a response is to leave; `deliver` says whether it may.
    func serverSends(_ server: TransactionTable.ServerID, status: UInt16) -> TransactionEffects {
        change(server: server) { $0.send(status: status) }
    }

    /// Hands an event to a server transaction's machine; nothing is to be done where it is gone.
    func change(
        server: TransactionTable.ServerID,
        _ event: (inout ServerTransaction.Machine) -> TransactionEffects
    ) -> TransactionEffects {
        var effects = TransactionEffects.none
        transactions.update(server: server) { effects = event(&$0.machine) }
        return effects
    }

    /// Hands an event to a client transaction's machine; nothing is to be done where it is gone.
    func change(
        client: TransactionTable.ClientID,
        _ event: (inout ClientTransaction.Machine) -> TransactionEffects
    ) -> TransactionEffects {
        var effects = TransactionEffects.none
        transactions.update(client: client) { effects = event(&$0.machine) }
        return effects
    }

    /// Keeps the response that was just put in the outbox, to be sent again where the way is not reliable.
    func keepForRetransmission(server: TransactionTable.ServerID, from start: Int) {
        let sent = Array(outbox.arena[start...])
        transactions.update(server: server) { $0.sent = sent }
    }

    func apply(_ effects: TransactionEffects, server id: TransactionTable.ServerID) {
        if effects.resend, let transaction = transactions[server: id], !transaction.sent.isEmpty {
            outbox.send(succession.current(transaction.flow)) { $0.append(contentsOf: transaction.sent) }
        }
        if effects.isTerminated {
            guard let gone = transactions.remove(server: id, from: &flows) else { return }
            timers.cancel(gone.retransmission)
            timers.cancel(gone.lifetime)
            timers.cancel(gone.patience)
            return
        }
        guard effects.changesTimers else { return }
        transactions.update(server: id) {
            $0.retransmission = change($0.retransmission, effects.retransmission, .serverRetransmission, id.rawValue)
            $0.lifetime = change($0.lifetime, effects.lifetime, .serverLifetime, id.rawValue)
        }
    }

    func apply(_ effects: TransactionEffects, client id: TransactionTable.ClientID) {
        if effects.resend, let transaction = transactions[client: id], !transaction.sent.isEmpty {
            outbox.send(transaction.flow) { $0.append(contentsOf: transaction.sent) }
        }
        if effects.isTerminated {
            guard let gone = transactions.remove(client: id, from: &flows) else { return }
            timers.cancel(gone.retransmission)
            timers.cancel(gone.lifetime)
            return
        }
        guard effects.changesTimers else { return }
        transactions.update(client: id) {
            $0.retransmission = change($0.retransmission, effects.retransmission, .clientRetransmission, id.rawValue)
            $0.lifetime = change($0.lifetime, effects.lifetime, .clientLifetime, id.rawValue)
        }
    }

    private func change(
        _ timer: TimerWheel<CoreTimer>.TimerID,
        _ change: TransactionEffects.TimerChange,
        _ kind: CoreTimer.Kind,
        _ id: UInt64
    ) -> TimerWheel<CoreTimer>.TimerID {
        switch change {
        case .keep: return timer
        case .cancel:
            timers.cancel(timer)
            return .none
        case .arm(let interval):
            let deadline = now.monotonic + interval
            if timers.rearm(timer, at: deadline) { return timer }
            return timers.arm(at: deadline, CoreTimer(kind: kind, id: id))
        }
    }

    func retransmissionTimerFired(server id: TransactionTable.ServerID) {
        apply(change(server: id) { $0.retransmissionTimerFired() }, server: id)
    }

    func lifetimeTimerFired(server id: TransactionTable.ServerID) {
        apply(change(server: id) { $0.lifetimeTimerFired() }, server: id)
    }

    func retransmissionTimerFired(client id: TransactionTable.ClientID) {
        apply(change(client: id) { $0.retransmissionTimerFired() }, client: id)
    }

    func lifetimeTimerFired(client id: TransactionTable.ClientID) {
        guard let transaction = transactions[client: id] else { return }
        let effects = change(client: id) { $0.lifetimeTimerFired() }
        apply(effects, client: id)
        if effects.timedOut, let context = transaction.context {
            branchEnded(context, transaction.branch, .synthetic(.requestTimeout), "no response in time")
        }
    }
}
