import SIP

extension FlowCarrier {
    /// Ends a turn: runs what is due, writes what the receiver owes, tells it what was closed, until nothing is left.
    ///
    /// Called through the loop's `endOfTurn`.
    public func turnEnded() {
        let now = now
        readStrangers()
        expireDeadlines(now)
        if let deadline = receiver.nextDeadline, deadline <= now.monotonic { receiver.advance(to: now) }
        repeat {
            carryOut()
            deliverNotices(now)
        } while !receiver.outbox.isEmpty || !due.isEmpty || !notices.isEmpty
        scheduleTimer()
    }

    /// Carries out the receiver's orders and writes what flows are owed.
    private func carryOut() {
        let outbox = receiver.outbox
        for index in 0..<outbox.entries.count { carryOut(outbox.entries[index]) }
        if !due.isEmpty { lookAfterFlows(outbox) }
        owed.removeAll(keeping: 1 << 16)
        outbox.removeAll()
    }

    private func carryOut(_ entry: Outbox.Entry) {
        switch entry {
        case .send(let flow, let range):
            guard let record = table[flow], record.pointee.isOpen, !record.pointee.state.contains(.isSealed) else {
                return
            }
            tally.messagesOut &+= 1
            owe(record, range)
        case .tag(let flow, let tag):
            guard let record = table[flow], record.pointee.isOpen else { return }
            record.pointee.tag = tag
        case .keepAlive(let flow, let interval):
            guard let record = table[flow], record.pointee.isOpen else { return }
            record.pointee.authenticateBy = .distantFuture
            record.pointee.state.insert(.isKnown)
            record.pointee.silenceLimit = interval ?? Interval(milliseconds: .max)
            armDeadline(record)
        case .close(let flow, let reason):
            guard let record = table[flow], record.pointee.isOpen else { return }
            beginClose(record, reason)
            record.pointee.state.insert(.isSealed)
        case .connect(let ticket, let target):
            connect(ticket, to: target)
        case .watch(let flow):
            guard let record = table[flow], record.pointee.isOpen else { return }
            record.pointee.state.insert(.isWatched)
        }
    }

    private func lookAfterFlows(_ outbox: Outbox) {
        outbox.arena.withUnsafeBytes { arena in
            for index in due.indices {
                guard let record = table[due[index]] else { continue }
                record.pointee.state.remove(.isDue)
                if record.pointee.isOpen { flush(record, arena: arena) }
                if record.pointee.isOpen, record.pointee.state.contains(.isClosing), !record.pointee.hasQueue {
                    finishClose(record)
                }
            }
        }
        due.removeAll(keeping: 1 << 16)
    }

    /// Tells the receiver what became of flows; it may owe something after that.
    private func deliverNotices(_ now: Now) {
        guard !notices.isEmpty else { return }
        for index in notices.indices {
            switch notices[index] {
            case .closed(let flow, let reason):
                receiver.closed(flow, reason, now: now)
                if let record = table[flow] { table.release(record) }
            case .connectFailed(let ticket, let reason, let flow):
                tally.connectFailures &+= 1
                receiver.connectFailed(ticket, reason, now: now)
                if let flow, let record = table[flow] { table.release(record) }
            case .congested(let flow):
                if table[flow]?.pointee.isOpen == true { receiver.congested(flow, now: now) }
            case .drained(let flow):
                if table[flow]?.pointee.isOpen == true { receiver.drained(flow, now: now) }
            }
        }
        notices.removeAll(keepingCapacity: notices.capacity <= 1 << 14)
    }
}
