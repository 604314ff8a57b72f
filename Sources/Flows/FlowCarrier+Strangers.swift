import Reactor
import SIP

/// Flows that have not authenticated wait in line where many come at once, so that those that have are not kept waiting.
extension FlowCarrier {
    /// Whether a flow that has brought something is read now.
    func mayRead(_ record: Record) -> Bool {
        guard record.pointee.state.isDisjoint(with: [.isKnown, .isOutgoing]) else {
            knownReadAt = now.monotonic
            return true
        }
        // What it sends is thrown away, and its end is waited for.
        if record.pointee.state.contains(.isLingering) { return true }
        if strangers.isEmpty, strangersRead < strangersPerTurn {
            strangersRead += 1
            return true
        }
        // The kernel would tell of it again in each turn.
        watchers.setReading(false, slot: record.pointee.id.slot)
        keepWaiting(record)
        return false
    }

    /// Puts a flow that is not watched for reading at the end of the line.
    func keepWaiting(_ record: Record) {
        guard !record.pointee.state.contains(.isWaiting) else { return }
        record.pointee.state.insert(.isWaiting)
        strangers.append(record.pointee.id)
    }

    /// Reads those who have waited longest, as many as the turn has room for.
    func readStrangers() {
        while strangersRead < strangersPerTurn, let flow = strangers.popFirst() {
            guard let record = table[flow], record.pointee.isOpen else { continue }
            record.pointee.state.remove(.isWaiting)
            guard record.pointee.state.isDisjoint(with: [.isRefused, .isClosing, .isCongested]) else { continue }
            strangersRead += 1
            if watchers.setReading(true, slot: flow.slot) { read(record) } else { tearDown(record, .error) }
        }
        strangersRead = 0
    }

    private var strangersPerTurn: Int {
        // Where nobody has sent anything for a second, nobody is kept waiting but the next who does.
        let isBusy = now.monotonic - knownReadAt < .seconds(1)
        return isBusy ? settings.strangersPerTurn : settings.strangersPerQuietTurn
    }
}

/// Flows in the order in which they came.
struct WaitingLine {
    private var flows: [FlowID] = []
    private var head = 0

    var isEmpty: Bool { head == flows.count }

    /// Number of flows there is room taken for, served ones among them.
    var slots: Int { flows.count }

    mutating func append(_ flow: FlowID) { flows.append(flow) }

    mutating func popFirst() -> FlowID? {
        guard head < flows.count else { return nil }
        let flow = flows[head]
        head += 1
        if head == flows.count {
            // What was a storm leaves no memory behind.
            self = WaitingLine()
        } else if head > 1024, head > flows.count / 2 {
            // Nor does a flood that never ends: who has been served goes, once they are most.
            flows.removeFirst(head)
            head = 0
        }
        return flow
    }
}
