import Glibc
import Reactor
import SIP

extension FlowCarrier {
    /// Owes a flow a piece of the arena.
    func owe(_ record: Record, _ range: Range<Int>) {
        let last = Int(record.pointee.lastOwed)
        if last >= 0, owed[last].start != Owed.pong, owed[last].start + owed[last].count == range.lowerBound {
            owed[last].count += range.count
        } else {
            link(record, Owed(start: range.lowerBound, count: range.count))
        }
    }

    /// Owes a flow the answer to a ping.
    func owePong(_ record: Record) {
        let last = Int(record.pointee.lastOwed)
        if last >= 0, owed[last].start == Owed.pong, owed[last].count + 2 <= WriteVectors.pongs {
            owed[last].count += 2
        } else {
            link(record, Owed(start: Owed.pong, count: 2))
        }
    }

    private func link(_ record: Record, _ piece: Owed) {
        let index = Int32(truncatingIfNeeded: owed.count)
        owed.append(piece)
        if record.pointee.lastOwed >= 0 {
            owed[Int(record.pointee.lastOwed)].next = index
        } else {
            record.pointee.firstOwed = index
        }
        record.pointee.lastOwed = index
        markDue(record)
    }

    /// Has a flow looked after at the end of the turn.
    func markDue(_ record: Record) {
        guard !record.pointee.state.contains(.isDue) else { return }
        record.pointee.state.insert(.isDue)
        due.append(record.pointee.id)
    }

    /// Writes what a flow is owed, in one call unless it is more than a thousand pieces; what the kernel does not take
    /// is queued.
    func flush(_ record: Record, arena: UnsafeRawBufferPointer) {
        var index = record.pointee.firstOwed
        record.pointee.firstOwed = -1
        record.pointee.lastOwed = -1
        while index >= 0, record.pointee.isOpen, !record.pointee.hasQueue {
            let first = index
            vectors.removeAll()
            while index >= 0, vectors.append(vectors.bytes(of: owed[Int(index)], in: arena)) {
                index = owed[Int(index)].next
            }
            stopwatch?.writes(record.pointee.id.slot)
            let sent = vectors.send(to: record.pointee.descriptor)
            if sent < 0, errno != EAGAIN, errno != EINTR {
                tearDown(record, Self.reason(errno))
                return
            }
            tally.bytesOut &+= UInt64(max(sent, 0))
            queue(record, from: first, to: index, skipping: max(sent, 0), arena: arena)
        }
        if record.pointee.isOpen { queue(record, from: index, to: -1, skipping: 0, arena: arena) }
    }

    /// Queues the pieces from one index up to another, without the first bytes, which are written.
    private func queue(_ record: Record, from first: Int32, to end: Int32, skipping: Int, arena: UnsafeRawBufferPointer)
    {
        var index = first
        var written = skipping
        while index >= 0, index != end {
            let bytes = vectors.bytes(of: owed[Int(index)], in: arena)
            index = owed[Int(index)].next
            if written >= bytes.count {
                written -= bytes.count
                continue
            }
            let work = record.pointee.work ?? FlowWork()
            record.pointee.work = work
            work.queue.append(UnsafeRawBufferPointer(rebasing: bytes[written...]))
            written = 0
        }
        guard let work = record.pointee.work, !work.queue.isEmpty else { return }
        guard work.queue.count <= settings.queueBound else { return tearDown(record, .limit) }
        guard watchers.setWriting(true, slot: record.pointee.id.slot) else { return tearDown(record, .error) }
        if work.queue.count > settings.congestionMark, !record.pointee.state.contains(.isCongested) {
            record.pointee.state.insert(.isCongested)
            tally.congestions &+= 1
            watchers.setReading(false, slot: record.pointee.id.slot)
            notices.append(.congested(record.pointee.id))
        }
    }

    /// The kernel has room again.
    func continueWriting(_ record: Record) {
        guard let work = record.pointee.work, !work.queue.isEmpty else { return }
        var failure: Int32 = 0
        work.queue.drain { bytes in
            let sent = send(record.pointee.descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if sent < 0, errno != EAGAIN, errno != EINTR { failure = errno }
            tally.bytesOut &+= UInt64(max(sent, 0))
            return sent
        }
        guard failure == 0 else { return tearDown(record, Self.reason(failure)) }
        guard work.queue.isEmpty else { return }
        if work.isIdle { record.pointee.work = nil }
        watchers.setWriting(false, slot: record.pointee.id.slot)
        if record.pointee.state.contains(.isCongested) {
            record.pointee.state.remove(.isCongested)
            notices.append(.drained(record.pointee.id))
            if record.pointee.state.isDisjoint(with: [.isRefused, .isClosing]),
                !watchers.setReading(true, slot: record.pointee.id.slot)
            {
                return tearDown(record, .error)
            }
        }
        if record.pointee.state.contains(.isClosing) { markDue(record) }
    }
}
