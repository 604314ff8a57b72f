import SIP

/// Forking: branches begin, fail over, and end (RFC 3261 section 16.6 and 16.7).
extension Core {
    /// Begins with a request that may go on.
    func start(_ context: ResponseContext) {
        let server = context.request.server
        transactions.update(server: server) { $0.context = context }
        unanswered += 1
        // A 100 leaves only when nothing better comes: for INVITE after 200 ms (RFC 3261 section 17.2.1), for others
        // when the peer's retransmissions have grown to T2 (RFC 4320 section 4.1).
        let pause =
            context.isInvite
            ? settings.tryingAfter
            : Interval(milliseconds: settings.timers.t2.milliseconds - settings.timers.t1.milliseconds)
        let timer = timers.arm(at: now.monotonic + pause, CoreTimer(kind: .trying, id: server.rawValue))
        transactions.update(server: server) { $0.patience = timer }
        if context.isInvite {
            let request = context.request
            record(
                request.message,
                .received(method: "INVITE", from: fromText(request), to: toText(request)),
                request.flow
            )
        }
        startNextGroup(context)
    }

    /// Tries all devices of the highest q that is left, as many at once as Max-Breadth allows.
    func startNextGroup(_ context: ResponseContext) {
        guard let q = context.pending.first?.q else { return finishIfIdle(context) }
        let active = context.branches.count { $0.progress != .ended }
        let room = max(Int(clamping: context.breadth) - active, 0)
        var count = 0
        while count < max(room, 1), count < context.pending.count, context.pending[count].q == q { count += 1 }
        let share = max(context.breadth / UInt32(clamping: max(count, 1)), 1)
        let first = context.branches.count
        for index in 0..<count {
            context.branches.append(Branch(device: context.pending[index], breadth: share))
        }
        context.pending.removeFirst(count)
        for index in first..<context.branches.count { send(context, index) }
        finishIfIdle(context)
    }

    /// Sends a branch down its first way that is open.
    func send(_ context: ResponseContext, _ index: Int) {
        while context.branches[index].way < context.branches[index].device.ways.count {
            let way = context.branches[index].device.ways[context.branches[index].way]
            if flows.isOpen(way.flow) {
                launch(context, index, way)
                return
            }
            context.branches[index].way += 1
        }
        context.branches[index].progress = .ended
        context.lastFailure = context.lastFailure ?? "no flow to the device"
        consider(context, .synthetic(.temporarilyUnavailable))
    }

    private func launch(_ context: ResponseContext, _ index: Int, _ way: Way) {
        let isReliable = flows[way.flow]?.info.transport.isReliable ?? true
        let machine: ClientTransaction.Machine =
            context.isInvite
            ? .invite(InviteClientTransaction(settings.timers, isReliable: isReliable))
            : .other(NonInviteClientTransaction(settings.timers, isReliable: isReliable))
        let client = transactions.insert(
            ClientTransaction(machine: machine, flow: way.flow, context: context, branch: index),
            in: &flows
        )
        context.branches[index].client = client
        context.branches[index].progress = .calling
        emit(context, index, client, way)
        if !isReliable {
            let sent = Array(outbox.arena[lastSendStart...])
            transactions.update(client: client) { $0.sent = sent }
        }
        apply(machine.start(), client: client)
        if context.branches[index].way + 1 < context.branches[index].device.ways.count {
            _ = timers.arm(
                at: now.monotonic + settings.signOfLifeWithin,
                CoreTimer(kind: .signOfLife, id: client.rawValue)
            )
        }
        if context.isInvite {
            context.branches[index].timerC = timers.arm(
                at: now.monotonic + settings.timerC,
                CoreTimer(kind: .timerC, id: client.rawValue)
            )
            let device = context.branches[index].device
            record(
                context.request.message,
                .forwarded(to: way.contact ?? Excerpt(), instance: device.instance),
                way.flow
            )
        }
    }

    /// Writes the request of a branch to a flow.
    private func emit(_ context: ResponseContext, _ index: Int, _ client: TransactionTable.ClientID, _ way: Way) {
        edit(context, client, way, breadth: context.branches[index].breadth)
        lastSendStart = outbox.arena.count
        outbox.send(way.flow) { edits.apply(to: context.request.message, &$0) }
    }

    /// The device of a branch is on a new flow: what it has not answered goes down that one.
    func moveToNewFlow(_ client: TransactionTable.ClientID, _ flow: FlowID) {
        guard let transaction = transactions[client: client] else { return }
        transactions.move(client: client, to: flow, in: &flows)
        guard let context = transaction.context else { return }
        let index = transaction.branch
        let way = context.branches[index].way
        context.branches[index].device.ways[way].flow = flow
        guard context.branches[index].progress == .calling else { return }
        // Nobody wants it any more: a phone that never got it is not to ring.
        if context.branches[index].wantsCancel { return lostFlow(of: client) }
        emit(context, index, client, context.branches[index].device.ways[way])
        record(context.request.message, .failed("the device came back on a new flow; sent again"), flow)
    }

    /// The flow of a branch is gone: the next way to the same device is tried.
    func lostFlow(of client: TransactionTable.ClientID) {
        guard let transaction = transactions[client: client] else { return }
        apply(.terminated, client: client)
        guard let context = transaction.context else { return }
        branchEnded(context, transaction.branch, .synthetic(.flowFailed), "the flow closed")
    }

    /// Nothing came back from a device that has another way: its flow may be dead, and the kernel takes long to say so.
    ///
    /// The first way stays open, since it may only be slow.
    func noSignOfLife(from client: TransactionTable.ClientID) {
        guard let transaction = transactions[client: client], let context = transaction.context else { return }
        let index = transaction.branch
        let branch = context.branches[index]
        guard branch.client == client, branch.progress == .calling, !branch.wantsCancel, !context.isAnswered,
            branch.way + 1 < branch.device.ways.count
        else { return }
        if context.isInvite {
            record(context.request.message, .failed("no sign of life; another way is tried"), transaction.flow)
        }
        var next = Branch(device: branch.device, breadth: branch.breadth)
        next.way = branch.way + 1
        next.earlier = index
        // The earlier one is not to take the same way when it fails.
        context.branches[index].device.ways = Ways(branch.device.ways[branch.way])
        context.branches[index].way = 0
        context.branches.append(next)
        send(context, context.branches.count - 1)
        finishIfIdle(context)
    }

    /// A device has answered by a later way: the earlier ones, which never did, are not waited for.
    private func forgetEarlierWays(_ context: ResponseContext, than index: Int) {
        var place = context.branches[index].earlier
        while let earlier = place {
            if context.branches[earlier].progress == .calling {
                timers.cancel(context.branches[earlier].timerC)
                apply(.terminated, client: context.branches[earlier].client)
                context.branches[earlier].progress = .ended
            }
            place = context.branches[earlier].earlier
        }
    }

    /// A branch has its final result, or will never have one.
    func branchEnded(_ context: ResponseContext, _ index: Int, _ result: BranchResult, _ failure: StaticString?) {
        guard context.branches[index].progress != .ended else { return }
        timers.cancel(context.branches[index].timerC)
        if let failure {
            context.lastFailure = failure
            if context.isInvite {
                let way = context.branches[index].device.ways[context.branches[index].way]
                record(context.request.message, .failed(failure), way.flow)
            }
        }
        context.branches[index].progress = .ended
        // A device that got the request by both ways refuses the second (RFC 3261 section 8.2.2.2), and answers the first.
        if context.branches[index].earlier != nil, case .response(let message, _) = result {
            if message.status == 482 { return finishIfIdle(context) }
            forgetEarlierWays(context, than: index)
        }
        let wayFailed = result.status == 430 || (result.status == 408 && failure != nil)
        if wayFailed, !context.isCancelled, !context.isAnswered,
            context.branches[index].way + 1 < context.branches[index].device.ways.count
        {
            context.branches[index].way += 1
            send(context, index)
            finishIfIdle(context)
            return
        }
        if case .synthetic(let status) = result {
            if context.isCancelled {
                consider(context, .synthetic(.requestTerminated))
            } else {
                consider(context, .synthetic(status.code == 430 ? failedFlowStatus(context) : status))
            }
        } else {
            consider(context, result)
        }
        finishIfIdle(context)
    }

    /// Within a dialog the peer learns that the flow failed; a caller only that the callee is not there now.
    private func failedFlowStatus(_ context: ResponseContext) -> Status {
        ((try? context.request.message.tag(.to)) ?? nil) != nil ? .flowFailed : .temporarilyUnavailable
    }

    private func consider(_ context: ResponseContext, _ result: BranchResult) {
        guard let best = context.best else {
            context.best = result
            return
        }
        if result.isBetter(than: best) { context.best = result }
    }

    /// Goes on when all branches have ended: the next devices, or the final answer.
    func finishIfIdle(_ context: ResponseContext) {
        guard context.isIdle, !context.isAnswered else { return }
        if !context.pending.isEmpty, !context.isCancelled, context.best.map({ $0.status < 600 }) ?? true {
            return startNextGroup(context)
        }
        answer(context, with: context.best ?? .synthetic(.temporarilyUnavailable))
    }

    func timerCFired(_ client: TransactionTable.ClientID) {
        guard let transaction = transactions[client: client], let context = transaction.context else { return }
        // RFC 3261 section 16.8: CANCEL what rings, and give up on what never answered.
        if context.branches[transaction.branch].progress == .ringing {
            record(context.request.message, .failed("it rang for too long"), transaction.flow)
            cancel(context, transaction.branch, nil)
        } else {
            apply(.terminated, client: client)
            branchEnded(context, transaction.branch, .synthetic(.requestTimeout), "it rang for too long")
        }
    }
}
