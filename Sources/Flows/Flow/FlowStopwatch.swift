import CPlatform
import Glibc
public import SIP

/// Times what the other ends of flows take to answer, without what this process adds: for who measures them.
///
/// Arrivals have the kernel's stamp, departures that of the moment before the write. The time from an arrival to what is
/// written next is held against this process, not the peer, so it does not matter how late a message is looked at.
/// Costs a larger read and two looks at a clock a message, from the start to the stop: a server has none.
public final class FlowStopwatch {
    /// Times of a flow, in nanoseconds since 1970; 0 for never.
    private struct Lap {
        var began: Int64 = 0
        var arrived: Int64 = 0
        /// When what has arrived has waited here from; 0 once something was written.
        var waitsSince: Int64 = 0
        var held: Int64 = 0
        var isRunning = false
    }

    /// By the flow's slot.
    private var laps: [Lap] = []
    private var stamp: Int64 = 0

    /// Makes one that has seen nothing.
    public init() {}

    /// Begins anew for a flow, with what is written to it next.
    public func start(_ flow: FlowID) { start(flow.slot, at: 0) }

    /// What comes and goes on a flow from now on does not count; what was measured stays.
    public func stop(_ flow: FlowID) {
        if laps.indices.contains(flow.slot) { laps[flow.slot].isRunning = false }
    }

    /// The time from the first write since the start to the last arrival, without what was held here between the two.
    ///
    /// - Parameter flow: an open flow.
    /// - Returns: microseconds; nil where nothing was written, or nothing has come since.
    public func time(of flow: FlowID) -> Int64? {
        guard laps.indices.contains(flow.slot) else { return nil }
        let lap = laps[flow.slot]
        guard lap.began > 0, lap.arrived >= lap.began else { return nil }
        return max(0, lap.arrived - lap.began - lap.held) / 1000
    }

    /// How long what arrived since the start was held here before something was written.
    ///
    /// - Parameter flow: an open flow.
    /// - Returns: microseconds.
    public func held(by flow: FlowID) -> Int64 {
        laps.indices.contains(flow.slot) ? laps[flow.slot].held / 1000 : 0
    }

    /// The time, as the kernel stamps arrivals.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Begins anew for the flow of a slot at a time, or with what is written next for 0.
    func start(_ slot: Int, at time: Int64) {
        if slot >= laps.count { laps.append(contentsOf: repeatElement(Lap(), count: slot + 1 - laps.count)) }
        laps[slot] = Lap(began: time, isRunning: true)
    }

    /// The connection of a flow is there; what the handshake took is the peer's.
    func connected(_ slot: Int, _ descriptor: Int32) {
        guard isRunning(slot), laps[slot].began > 0 else { return }
        let handshake = Int64(wl_handshake_time(descriptor)) * 1000
        arrived(slot, at: handshake > 0 ? laps[slot].began + handshake : Self.now())
    }

    /// Reads from a flow.
    func receive(_ slot: Int, _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard isRunning(slot) else { return recv(descriptor, buffer.baseAddress, buffer.count, 0) }
        let count = wl_receive_stamped(descriptor, buffer.baseAddress, buffer.count, &stamp)
        if count > 0 { arrived(slot, at: stamp > 0 ? stamp : Self.now()) }
        return count
    }

    private func isRunning(_ slot: Int) -> Bool { laps.indices.contains(slot) && laps[slot].isRunning }

    private func arrived(_ slot: Int, at time: Int64) {
        laps[slot].arrived = time
        laps[slot].waitsSince = time
    }

    /// A flow is about to be written to.
    func writes(_ slot: Int) {
        guard isRunning(slot) else { return }
        let now = Self.now()
        if laps[slot].began == 0 { laps[slot].began = now }
        guard laps[slot].waitsSince > 0 else { return }
        laps[slot].held += max(0, now - laps[slot].waitsSince)
        laps[slot].waitsSince = 0
    }
}
