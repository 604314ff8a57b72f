import SIP

/// Running the machines: their effects, their timers.
extension Core {
    func startServerTransaction(_ message: Message, key: TransactionKey, flow: FlowID) -> TransactionTable.ServerID {
        let isReliable = flows[flow]?.info.transport.isReliable ?? true
        let machine: ServerTransaction.Machine =
            message.method == .invite
            ? .invite(InviteServerTransaction(settings.timers, isReliable: isReliable))
            : .other(NonInviteServerTransaction(settings.timers, isReliable: isReliable))
        let transaction = ServerTransaction(machine: machine, key: key, flow: flow, isReliable: isReliable)
        return transactions.insert(transaction, in: &flows)
    }

    func receiveRetransmission(of server: TransactionTable.ServerID) {
        switch transactions[server: server]?.machine {
        case .invite(let machine): apply(machine.receiveRetransmission(), server: server)
        case .other(let machine): apply(machine.receiveRetransmission(), server: server)
        case nil: break
        }
    }

    /// Tells a server transaction that a response is to leave; `deliver` says whether it may.
    func serverSends(_ server: TransactionTable.ServerID, status: UInt16) -> TransactionEffects {
        switch transactions[server: server]?.machine {
        case .invite(var machine):
            let effects = machine.send(status: status)
            transactions.update(server: server) { $0.machine = .invite(machine) }
            return effects
        case .other(var machine):
            let effects = machine.send(status: status)
            transactions.update(server: server) { $0.machine = .other(machine) }
            return effects
        case nil: return .none
        }
    }

    /// Keeps the response that was just put in the outbox where it may have to be sent again.
    func keepForRetransmission(server: TransactionTable.ServerID, from start: Int) {
        guard let transaction = transactions[server: server], !transaction.isReliable else { return }
        let sent = Array(outbox.arena[start...])
        transactions.update(server: server) { $0.sent = sent }
    }

    func apply(_ effects: TransactionEffects, server id: TransactionTable.ServerID) {
        guard let transaction = transactions[server: id] else { return }
        if effects.resend, !transaction.sent.isEmpty {
            outbox.send(succession.current(transaction.flow)) { $0.append(contentsOf: transaction.sent) }
        }
        if effects.isTerminated {
            timers.cancel(transaction.retransmission)
            timers.cancel(transaction.lifetime)
            timers.cancel(transaction.patience)
            _ = transactions.remove(server: id, from: &flows)
            return
        }
        if effects.retransmission != .keep {
            let timer = change(transaction.retransmission, effects.retransmission, .serverRetransmission, id.rawValue)
            transactions.update(server: id) { $0.retransmission = timer }
        }
        if effects.lifetime != .keep {
            let timer = change(transaction.lifetime, effects.lifetime, .serverLifetime, id.rawValue)
            transactions.update(server: id) { $0.lifetime = timer }
        }
    }

    func apply(_ effects: TransactionEffects, client id: TransactionTable.ClientID) {
        guard let transaction = transactions[client: id] else { return }
        if effects.resend, !transaction.sent.isEmpty {
            outbox.send(transaction.flow) { $0.append(contentsOf: transaction.sent) }
        }
        if effects.isTerminated {
            timers.cancel(transaction.retransmission)
            timers.cancel(transaction.lifetime)
            _ = transactions.remove(client: id, from: &flows)
            return
        }
        if effects.retransmission != .keep {
            let timer = change(transaction.retransmission, effects.retransmission, .clientRetransmission, id.rawValue)
            transactions.update(client: id) { $0.retransmission = timer }
        }
        if effects.lifetime != .keep {
            let timer = change(transaction.lifetime, effects.lifetime, .clientLifetime, id.rawValue)
            transactions.update(client: id) { $0.lifetime = timer }
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
        guard case .invite(var machine) = transactions[server: id]?.machine else { return }
        let effects = machine.retransmissionTimerFired()
        transactions.update(server: id) { $0.machine = .invite(machine) }
        apply(effects, server: id)
    }

    func lifetimeTimerFired(server id: TransactionTable.ServerID) {
        switch transactions[server: id]?.machine {
        case .invite(var machine):
            let effects = machine.lifetimeTimerFired()
            transactions.update(server: id) { $0.machine = .invite(machine) }
            apply(effects, server: id)
        case .other(var machine):
            let effects = machine.lifetimeTimerFired()
            transactions.update(server: id) { $0.machine = .other(machine) }
            apply(effects, server: id)
        case nil: break
        }
    }

    func retransmissionTimerFired(client id: TransactionTable.ClientID) {
        switch transactions[client: id]?.machine {
        case .invite(var machine):
            let effects = machine.retransmissionTimerFired()
            transactions.update(client: id) { $0.machine = .invite(machine) }
            apply(effects, client: id)
        case .other(var machine):
            let effects = machine.retransmissionTimerFired()
            transactions.update(client: id) { $0.machine = .other(machine) }
            apply(effects, client: id)
        case nil: break
        }
    }

    func lifetimeTimerFired(client id: TransactionTable.ClientID) {
        guard let transaction = transactions[client: id] else { return }
        let effects: TransactionEffects
        switch transaction.machine {
        case .invite(var machine):
            effects = machine.lifetimeTimerFired()
            transactions.update(client: id) { $0.machine = .invite(machine) }
        case .other(var machine):
            effects = machine.lifetimeTimerFired()
            transactions.update(client: id) { $0.machine = .other(machine) }
        }
        apply(effects, client: id)
        if effects.timedOut, let context = transaction.context {
            branchEnded(context, transaction.branch, .synthetic(.requestTimeout), "no response in time")
        }
    }
}
