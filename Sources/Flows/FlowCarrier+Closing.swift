import Glibc
import Reactor
import SIP

extension FlowCarrier {
    /// Closes a flow at the end of the turn, or when what is queued is written.
    func beginClose(_ record: Record, _ reason: CloseReason) {
        guard !record.pointee.state.contains(.isClosing) else { return }
        record.pointee.state.insert(.isClosing)
        record.pointee.closeReason = reason
        record.pointee.closeBy = now.monotonic + settings.closeDeadline
        record.pointee.messageBy = .distantFuture
        record.pointee.work?.partial = []
        watchers.setReading(false, slot: record.pointee.id.slot)
        armDeadline(record)
        markDue(record)
    }

    /// Closes a flow that has nothing left to write.
    func finishClose(_ record: Record) {
        guard !record.pointee.state.contains(.isLingering) else { return }
        guard record.pointee.state.contains(.isRefused) else { return tearDown(record, record.pointee.closeReason) }
        // Closing with unread bytes would reset the connection, and the peer would lose the answer it was given.
        record.pointee.state.insert(.isLingering)
        record.pointee.closeBy = now.monotonic + settings.lingerDeadline
        shutdown(record.pointee.descriptor, Int32(SHUT_WR))
        guard watchers.setReading(true, slot: record.pointee.id.slot) else {
            return tearDown(record, record.pointee.closeReason)
        }
        armDeadline(record)
    }

    /// Closes a flow now; the receiver hears of it at the end of the turn, and the slot is free after that.
    func tearDown(_ record: Record, _ reason: CloseReason) {
        guard record.pointee.isOpen else { return }
        let state = record.pointee.state
        let reason = state.contains(.isClosing) || state.contains(.isRefused) ? record.pointee.closeReason : reason
        closeSocket(record)
        wheel.cancel(record.pointee.timer)
        record.pointee.timer = .none
        record.pointee.work = nil
        openFlows -= 1
        if !record.pointee.info.isTrusted, !state.contains(.isOutgoing) {
            sources.close(record.pointee.info.remote, rate: settings.newConnectionsPerSource, at: now.monotonic)
        }
        let id = record.pointee.id
        if state.contains(.isConnecting), let ticket = tickets.removeValue(forKey: id) {
            notices.append(.connectFailed(ticket: ticket, reason, id))
        } else {
            tally.countClosed(reason)
            notices.append(.closed(id, reason))
        }
    }

    /// Lets go of the descriptor.
    ///
    /// Shut down first: a duplicate in another process would keep the connection open.
    func closeSocket(_ record: Record) {
        watchers.forget(slot: record.pointee.id.slot)
        shutdown(record.pointee.descriptor, Int32(SHUT_RDWR))
        close(record.pointee.descriptor)
        record.pointee.descriptor = -1
    }
}
