import Glibc
import Observability
public import Reactor
import SIP

extension FlowCarrier: ReadinessHandler {
    /// Takes over an accepted connection.
    func adopt(_ descriptor: Int32, local: SocketAddress, remote: SocketAddress) {
        let isTrusted = settings.trusted.contains { $0.contains(remote) }
        guard isTrusted || isWithinSourceLimits(remote) else {
            close(descriptor)
            return
        }
        guard let record = table.claim() else {
            close(descriptor)
            if !isTrusted { leaveSource(remote) }
            return
        }
        let id = record.pointee.id
        // Behind those who wait already, it is not watched before it is its turn.
        guard watchers.watch(descriptor, slot: id.slot, token: id.rawValue, isReading: strangers.isEmpty) else {
            close(descriptor)
            table.release(record)
            if !isTrusted { leaveSource(remote) }
            return
        }
        let now = now
        record.pointee.descriptor = descriptor
        record.pointee.info = FlowInfo(transport: .tcp, local: local, remote: remote, isTrusted: isTrusted)
        record.pointee.lastActivity = now.monotonic
        if !isTrusted {
            record.pointee.messageBy = now.monotonic + settings.messageDeadline
            record.pointee.authenticateBy = now.monotonic + settings.authenticationDeadline
        }
        if !strangers.isEmpty { keepWaiting(record) }
        armDeadline(record)
        openFlows += 1
        tally.accepted &+= 1
        receiver.opened(id, record.pointee.info, now: now)
    }

    private func isWithinSourceLimits(_ remote: SocketAddress) -> Bool {
        let now = now.monotonic
        let isWithin = sources.open(
            remote,
            most: settings.connectionsPerSource,
            rate: settings.newConnectionsPerSource,
            at: now
        )
        guard !isWithin else { return true }
        tally.overSourceLimit &+= 1
        // Said once a minute: who floods the listener is not to flood the log.
        if lastSourceWarning.map({ $0 + .seconds(60) <= now }) ?? true {
            lastSourceWarning = now
            logger.warning(
                "a source has too many connections, or opens them too fast; more are closed at once",
                [LogField("flow.source", remote), LogField("flow.over-source-limit", tally.overSourceLimit)]
            )
        }
        return false
    }

    private func leaveSource(_ remote: SocketAddress) {
        sources.close(remote, rate: settings.newConnectionsPerSource, at: now.monotonic)
    }

    /// A socket is ready.
    public func ready(_ token: UInt64, _ readiness: Readiness) {
        // A late event of an earlier flow in this slot finds another identity.
        guard let record = table[FlowID(rawValue: token)], record.pointee.isOpen else { return }
        if record.pointee.state.contains(.isConnecting) { finishConnecting(record) }
        if readiness.contains(.writable) { continueWriting(record) }
        if readiness.contains(.readable), record.pointee.isOpen, mayRead(record) { read(record) }
    }

    /// Reads what has come for a flow.
    func read(_ record: Record) {
        let descriptor = record.pointee.descriptor
        let count =
            if let stopwatch {
                stopwatch.receive(record.pointee.id.slot, descriptor, into: buffer)
            } else {
                recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
        guard count > 0 else {
            if count == 0 {
                if record.pointee.state.contains(.isLingering) {
                    tearDown(record, .peer)
                } else {
                    // What the turn owes it is still written: the peer may have closed its sending half only.
                    beginClose(record, .peer)
                }
            } else if errno != EAGAIN, errno != EINTR {
                tearDown(record, Self.reason(errno))
            }
            return
        }
        tally.bytesIn &+= UInt64(count)
        record.pointee.lastActivity = now.monotonic
        guard record.pointee.state.isDisjoint(with: [.isLingering, .isRefused, .isClosing]) else { return }
        if record.pointee.state.contains(.isWatched) {
            record.pointee.state.remove(.isWatched)
            receiver.stirred(record.pointee.id, now: now)
        }
        let bytes = UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        if let work = record.pointee.work, !work.partial.isEmpty {
            frame(record, work, with: bytes)
        } else {
            frame(record, bytes)
        }
    }

    /// Frames what was read, and keeps what is left over.
    private func frame(_ record: Record, _ bytes: UnsafeRawBufferPointer) {
        var framer = StreamFramer(isAfterBlankLine: record.pointee.state.contains(.afterBlankLine))
        let consumed = bytes.withMemoryRebound(to: UInt8.self) { cut(record, $0.span, &framer) }
        guard consumed < bytes.count else { return }
        let work = record.pointee.work ?? FlowWork()
        work.partial = Array(bytes[consumed...])
        work.framer = framer
        record.pointee.work = work
    }

    /// Frames what was left over together with what was read.
    private func frame(_ record: Record, _ work: FlowWork, with bytes: UnsafeRawBufferPointer) {
        work.partial.append(contentsOf: bytes)
        var framer = work.framer
        let partial = work.partial
        let consumed = cut(record, partial.span, &framer)
        work.framer = framer
        if consumed == partial.count {
            work.partial = []
            if work.isIdle { record.pointee.work = nil }
        } else if consumed > 0 {
            // A new array, so that one long message does not leave its memory behind.
            work.partial = Array(partial[consumed...])
        }
    }

    /// Hands over all whole messages.
    ///
    /// - Returns: how many bytes have been dealt with.
    private func cut(_ record: Record, _ bytes: Span<UInt8>, _ framer: inout StreamFramer) -> Int {
        let id = record.pointee.id
        let now = now
        var offset = 0
        while offset < bytes.count {
            let rest = bytes.extracting(offset...)
            let verdict = framer.next(rest, limits: settings.limits)
            switch verdict {
            case .incomplete:
                keepAfterBlankLine(record, framer)
                startMessageDeadline(record, now)
                return offset
            case .blankLine:
                break
            case .ping:
                // Two pongs in a row look like a ping; only the side that was connected to answers (RFC 5626 section
                // 4.4.1).
                guard !record.pointee.state.contains(.isOutgoing) else { break }
                tally.pings &+= 1
                owePong(record)
            case .message(let length):
                tally.messagesIn &+= 1
                record.pointee.messageBy = .distantFuture
                receiver.received(id, rest.extracting(..<length), now: now)
            case .fault(let fault):
                refuse(record)
                let head = rest.extracting(first: max(settings.limits.headerSection, 0))
                receiver.refused(id, fault, head: head, now: now)
                return bytes.count
            }
            offset += verdict.consumed
        }
        keepAfterBlankLine(record, framer)
        record.pointee.messageBy = .distantFuture
        return offset
    }

    private func keepAfterBlankLine(_ record: Record, _ framer: StreamFramer) {
        if framer.isAfterBlankLine {
            record.pointee.state.insert(.afterBlankLine)
        } else {
            record.pointee.state.remove(.afterBlankLine)
        }
    }

    private func startMessageDeadline(_ record: Record, _ now: Now) {
        guard record.pointee.messageBy == .distantFuture, !record.pointee.info.isTrusted else { return }
        record.pointee.messageBy = now.monotonic + settings.messageDeadline
        armDeadline(record)
    }

    /// Stops reading.
    ///
    /// The receiver is expected to close the flow; if it does not, the deadline does.
    private func refuse(_ record: Record) {
        tally.refused &+= 1
        record.pointee.state.insert(.isRefused)
        record.pointee.messageBy = .distantFuture
        record.pointee.closeReason = .garbage
        record.pointee.closeBy = now.monotonic + settings.closeDeadline
        watchers.setReading(false, slot: record.pointee.id.slot)
        armDeadline(record)
    }

    /// What an error of the socket means.
    static func reason(_ code: Int32) -> CloseReason {
        code == ECONNRESET || code == EPIPE || code == ECONNREFUSED ? .peer : .error
    }
}
