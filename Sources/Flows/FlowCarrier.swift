public import Observability
public import Reactor
public import SIP

/// Owns sockets: accepts and opens connections, cuts what they bring into messages, writes what the receiver owes them.
///
/// Lives on one loop, with its receiver. All that happens in a turn of the loop reaches the receiver in the turn; all
/// that the receiver's outbox holds at the end of the turn leaves then, in one write a flow. Pings are answered without
/// the receiver. An idle flow owns no buffer.
///
/// The receiver is generic, so that calls into it are direct.
public final class FlowCarrier<Receiver: FlowReceiver> {
    typealias Record = UnsafeMutablePointer<FlowRecord>

    /// What the receiver is told outside of reading, once all that was ready has been handled.
    enum Notice {
        case closed(FlowID, CloseReason)
        /// The flow is there when it got as far as having a record.
        case connectFailed(ticket: UInt64, CloseReason, FlowID?)
        case congested(FlowID)
        case drained(FlowID)
    }

    /// Who decides.
    public let receiver: Receiver
    /// Deadlines and bounds in force; socket options and accept limits stay as they were at the start.
    public var settings: FlowSettings

    /// Times the flows that we open; to be set before the first, and nil for who does not measure.
    public var stopwatch: FlowStopwatch?

    let loop: EventLoop
    let logger: Logger
    let watchers: WatcherPool
    /// One buffer for all flows: what is read is handled before anything else is read.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    var table = FlowTable()
    var wheel: TimerWheel<UInt64>
    var tally = FlowCounters()
    var sources = SourceTable()
    /// When it was last said that a source is over its limit.
    var lastSourceWarning: Instant?
    /// What the flows are owed this turn; each flow's entries are linked.
    var owed = RefilledList<Owed>()
    /// Flows to look after at the end of the turn.
    var due = RefilledList<FlowID>()
    var notices: [Notice] = []
    /// Flows that have not authenticated and wait to be read.
    var strangers = WaitingLine()
    /// How many of them were read this turn.
    var strangersRead = 0
    /// When a flow that has authenticated was read last.
    var knownReadAt = Instant(milliseconds: .min / 2)
    /// What the receiver calls the flows that are being opened.
    var tickets: [FlowID: UInt64] = [:]
    /// Which of our addresses the next flow that we open is to have.
    var nextLocalAddress = 0
    var vectors = WriteVectors()
    private(set) var acceptor: Acceptor?
    private var timer: DeadlineTimer?

    /// How many flows are open, those that are being opened and closed among them.
    public internal(set) var openFlows = 0

    /// Makes a carrier without listeners, and takes over the end of the loop's turns.
    ///
    /// Whoever has more to do at the end of a turn replaces `endOfTurn` of the loop and calls `turnEnded` from it. The
    /// hook goes with the carrier.
    ///
    /// - Parameters:
    ///   - loop: the loop of the calling thread; kept alive, and does not keep the carrier alive.
    ///   - receiver: who decides; kept alive.
    ///   - settings: deadlines, bounds and socket options.
    ///   - logger: for what operators want to know; nothing is written per flow or message.
    public init(loop: EventLoop, receiver: Receiver, settings: FlowSettings = FlowSettings(), logger: Logger) {
        self.loop = loop
        self.receiver = receiver
        self.settings = settings
        self.logger = logger
        watchers = WatcherPool(loop: loop)
        wheel = TimerWheel(now: Instant(milliseconds: loop.now.monotonic))
        watchers.report(to: self)
        // The end of the turn does what is due.
        timer = DeadlineTimer(loop: loop) {}
        // The carrier owns the acceptor.
        acceptor = Acceptor(loop: loop, settings: settings, logger: logger) { [unowned self] in
            self.adopt($0, local: $1, remote: $2)
        }
        // `deinit` takes the hook away.
        loop.endOfTurn = { [unowned self] in self.turnEnded() }
    }

    deinit {
        loop.endOfTurn = nil
        var slot = 0
        while let record = table.record(inSlot: slot) {
            if record.pointee.isOpen { closeSocket(record) }
            slot += 1
        }
        buffer.deallocate()
    }

    /// The time of this turn.
    var now: Now { loop.time }

    /// What has been carried so far.
    public var counters: FlowCounters {
        var counters = tally
        counters.acceptPauses = acceptor?.pauses ?? 0
        counters.turnedAway = acceptor?.turnedAway ?? 0
        return counters
    }

    /// Listens for connections.
    ///
    /// - Parameter address: where.
    /// - Returns: where it listens, with the ports that the kernel chose for port 0.
    /// - Throws: what the kernel said and the mend. Addresses of the same call that could be bound stay open.
    @discardableResult
    public func listen(on address: ListenAddress) throws(ListenError) -> [SocketAddress] {
        guard address.transport == .tcp else { throw .transportNotServed(address.transport) }
        var bound: [SocketAddress] = []
        for var place in address.addresses {
            // For `*` with port 0 both IP versions share the port that the first has got.
            if address.isAnyAddress, place.port == 0, let first = bound.first { place.port = first.port }
            do throws(ListenError) {
                guard let local = try acceptor?.listen(on: place) else { continue }
                bound.append(local)
                logger.info("listening", [LogField("listen.address", "tcp://\(local)")])
            } catch {
                switch error {
                case .familyNotSupported where address.isAnyAddress, .addressNotAvailable where address.isAnyAddress:
                    logger.warning("an IP version is not there", [LogField("listen.address", place)])
                default: throw error
                }
            }
        }
        return bound
    }

    /// Where connections are accepted.
    public var listening: [SocketAddress] { acceptor?.addresses ?? [] }

    /// Closes the listeners; flows stay.
    public func stopAccepting() { acceptor?.stop() }

    /// Closes all flows, each after what is queued for it is written; `openFlows` tells when all are gone.
    ///
    /// - Parameter reason: what the receiver hears.
    public func closeAll(_ reason: CloseReason = .shutdown) {
        var slot = 0
        while let record = table.record(inSlot: slot) {
            if record.pointee.isOpen { beginClose(record, reason) }
            slot += 1
        }
        // Outside of a turn nothing else would wake the loop.
        timer?.schedule(at: loop.now.monotonic)
    }

    /// What is known of a flow; nil when it is closed.
    public func info(of flow: FlowID) -> FlowInfo? { table[flow]?.pointee.info }

    /// Who a flow belongs to; nil when it is closed or has not registered.
    public func tag(of flow: FlowID) -> FlowTag? { table[flow]?.pointee.tag }

    /// Wakes the loop when the next deadline is due.
    func scheduleTimer() {
        var next = min(wheel.nextDeadline ?? .distantFuture, receiver.nextDeadline ?? .distantFuture)
        // The kernel tells nothing of those who wait in line: the next turn must come by itself.
        if !strangers.isEmpty { next = now.monotonic }
        timer?.schedule(at: next == .distantFuture ? nil : next.milliseconds)
    }
}
