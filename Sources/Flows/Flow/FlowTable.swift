import Reactor
import SIP

/// The records of all flows, by the slot in their identity.
///
/// Slots are used again, serial numbers never are; a look-up compares the whole identity.
struct FlowTable: ~Copyable {
    private var records = ChunkedStore(blank: FlowRecord())
    private var vacant: [Int32] = []
    private var used = 0
    private var lastSerial: UInt64 = 0

    /// The address of a flow's record, as long as the receiver has not heard that it is closed.
    ///
    /// Records never move.
    subscript(_ id: FlowID) -> UnsafeMutablePointer<FlowRecord>? {
        guard let record = records.address(id.slot), record.pointee.id == id, id.serial > 0 else { return nil }
        return record
    }

    /// Takes a slot for a new flow; nil when all are taken.
    mutating func claim() -> UnsafeMutablePointer<FlowRecord>? {
        let slot: Int
        if let last = vacant.popLast() {
            slot = Int(last)
        } else {
            guard used < 1 << Int(FlowID.slotBits) else { return nil }
            if used == records.count { records.grow() }
            slot = used
            used += 1
        }
        guard let record = records.address(slot) else { return nil }
        lastSerial += 1
        record.pointee.id = FlowID(slot: slot, serial: lastSerial)
        return record
    }

    /// Gives a slot back.
    mutating func release(_ record: UnsafeMutablePointer<FlowRecord>) {
        let slot = record.pointee.id.slot
        record.pointee = FlowRecord()
        vacant.append(Int32(truncatingIfNeeded: slot))
    }

    /// The record in a slot that has been used; nil beyond.
    func record(inSlot slot: Int) -> UnsafeMutablePointer<FlowRecord>? {
        slot < used ? records.address(slot) : nil
    }
}
