import CPlatform
import Glibc
import Reactor
import SIP

extension FlowCarrier {
    /// Begins to open a flow; the receiver hears of it with its ticket, in a later turn or at the end of this one.
    ///
    /// Until then the flow has a record, a deadline and a place in the table, and its identity is nobody's business.
    func connect(_ ticket: UInt64, to target: FlowTarget) {
        guard target.transport == .tcp, let remote = SocketAddress(host: target.host.description, port: target.port)
        else { return fail(ticket, .error) }
        let local = localAddress(for: remote)
        let began = stopwatch == nil ? 0 : FlowStopwatch.now()
        guard let descriptor = OutgoingSocket.connect(to: remote, from: local, settings) else {
            return fail(ticket, Self.reason(errno))
        }
        guard let record = table.claim() else {
            close(descriptor)
            return fail(ticket, .error)
        }
        let id = record.pointee.id
        guard watchers.watch(descriptor, slot: id.slot, token: id.rawValue),
            watchers.setWriting(true, slot: id.slot)
        else {
            watchers.forget(slot: id.slot)
            close(descriptor)
            table.release(record)
            return fail(ticket, .error)
        }
        if let stopwatch {
            stopwatch.start(id.slot, at: began)
            // Where the kernel can't, its arrivals count from when they are read.
            _ = wl_stamp_arrivals(descriptor)
        }
        let isTrusted = settings.trusted.contains { $0.contains(remote) }
        record.pointee.descriptor = descriptor
        record.pointee.info = FlowInfo(transport: .tcp, local: remote, remote: remote, isTrusted: isTrusted)
        record.pointee.state = [.isOutgoing, .isConnecting]
        record.pointee.closeBy = now.monotonic + settings.connectDeadline
        record.pointee.closeReason = .silence
        tickets[id] = ticket
        armDeadline(record)
        openFlows += 1
    }

    private func fail(_ ticket: UInt64, _ reason: CloseReason) {
        notices.append(.connectFailed(ticket: ticket, reason, nil))
    }

    /// The next of our addresses that can reach the target.
    private func localAddress(for remote: SocketAddress) -> SocketAddress? {
        let addresses = settings.localAddresses
        for _ in addresses.indices {
            let address = addresses[nextLocalAddress % addresses.count]
            nextLocalAddress = (nextLocalAddress + 1) % addresses.count
            if address.family == remote.family { return address }
        }
        return nil
    }

    /// The peer has accepted the connection, or it has failed.
    func finishConnecting(_ record: Record) {
        // It may have been closed earlier in this turn; the end of the turn tells.
        guard !record.pointee.state.contains(.isClosing) else { return }
        let descriptor = record.pointee.descriptor
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0, code == 0 else {
            // The kernel may give up before the deadline does.
            return tearDown(record, code == ETIMEDOUT ? .silence : Self.reason(code))
        }
        guard let local = SocketAddress(localOf: descriptor) else { return tearDown(record, .error) }
        // Where nobody listens, a socket that was given the very port it asks for connects to itself (RFC 9293 section
        // 3.5, simultaneous open).
        guard local != record.pointee.info.remote else { return tearDown(record, .peer) }
        let id = record.pointee.id
        guard let ticket = tickets.removeValue(forKey: id) else { return tearDown(record, .error) }
        watchers.setWriting(false, slot: id.slot)
        stopwatch?.connected(id.slot, descriptor)
        let now = now
        record.pointee.state.remove(.isConnecting)
        record.pointee.info = FlowInfo(
            transport: record.pointee.info.transport,
            local: local,
            remote: record.pointee.info.remote,
            isTrusted: record.pointee.info.isTrusted
        )
        record.pointee.lastActivity = now.monotonic
        record.pointee.closeBy = .distantFuture
        record.pointee.closeReason = .error
        tally.connected &+= 1
        receiver.connected(ticket, id, record.pointee.info, now: now)
    }
}
