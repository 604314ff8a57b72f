import SIP
import Signaling

/// A server of the world: the real core, and around it what a carrier and a disk would do.
final class Node {
    let index: Int
    var core: Core?
    var disk = Disk()
    /// Counts lives.
    var epoch: Int32 = 0
    /// The pipe in each slot of its table of flows; -1 where there is none.
    var slots: [Int32] = []
    private var free: [Int] = []
    private var serial: UInt64 = 0
    /// When its core is woken next.
    var timerAt = Int64.max
    /// Whether a commit is under way.
    var isCommitting = false
    /// Look-ups that have not been answered.
    var lookUps: [(ticket: UInt64, address: AddressOfRecord)?] = []
    var errands: [Errand] = []
    /// The flow of each line that was registered last.
    var ways: [Way: FlowID] = [:]

    /// One of a phone's ways to be reached.
    struct Way: Hashable {
        var handset: Int
        var regID: UInt32
    }

    init(index: Int) { self.index = index }

    /// Takes the slot that was freed last: the quicker one is used again, the sooner a mix-up would show.
    func claim(_ pipe: Int) -> FlowID {
        serial += 1
        let slot: Int
        if let last = free.popLast() {
            slot = last
            slots[slot] = Int32(truncatingIfNeeded: pipe)
        } else {
            slot = slots.count
            slots.append(Int32(truncatingIfNeeded: pipe))
        }
        return FlowID(slot: slot, serial: serial)
    }

    func release(_ flow: FlowID) {
        slots[flow.slot] = -1
        free.append(flow.slot)
    }

    /// The process is gone.
    func die() {
        core = nil
        disk.crash()
        slots = []
        free = []
        timerAt = .max
        isCommitting = false
        lookUps = []
        errands = []
        ways = [:]
    }
}
