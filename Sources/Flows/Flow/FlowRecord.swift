import SIP

/// All that makes a flow, fixed in size, in the slot that its identity names.
///
/// What only a busy flow has is in `work`, and an idle flow has none.
struct FlowRecord {
    /// Whose record this is.
    ///
    /// It stays until the receiver has heard that the flow is closed.
    var id = FlowID(rawValue: 0)
    var info = FlowInfo(
        transport: .tcp,
        local: SocketAddress(ipv4: 0, port: 0),
        remote: SocketAddress(ipv4: 0, port: 0)
    )
    /// Negative once the flow is closed.
    var descriptor: Int32 = -1
    var state: FlowState = []
    /// Why the flow closes, while it is closing.
    var closeReason = CloseReason.error
    /// When bytes came last.
    var lastActivity = Instant(milliseconds: 0)
    /// Silence for longer than this ends the flow.
    var silenceLimit = Interval(milliseconds: .max)
    var authenticateBy = Instant.distantFuture
    /// When the message that has begun is to be whole.
    var messageBy = Instant.distantFuture
    /// When a closing flow is closed whatever is queued.
    var closeBy = Instant.distantFuture
    var timer = TimerWheel<UInt64>.TimerID.none
    /// When the timer expires.
    ///
    /// It may be earlier than the deadline, which is looked at again then.
    var timerAt = Instant.distantFuture
    /// First and last of what is owed to it this turn, as indices of the carrier's list.
    var firstOwed: Int32 = -1
    var lastOwed: Int32 = -1
    var work: FlowWork?
    var tag: FlowTag?

    var isOpen: Bool { descriptor >= 0 }

    /// The earliest of all that ends the flow; once it closes, only how long that may take.
    var deadline: Instant {
        if state.contains(.isClosing) { return closeBy }
        return min(messageBy, authenticateBy, closeBy, lastActivity + silenceLimit)
    }

    /// Whether bytes wait for the kernel to take them.
    var hasQueue: Bool { work.map { !$0.queue.isEmpty } ?? false }
}

/// Where a flow is in its life.
struct FlowState: OptionSet {
    let rawValue: UInt16

    /// The last thing that came was a line end, which may be half a ping.
    static let afterBlankLine = FlowState(rawValue: 1)
    /// It is in the carrier's list of flows to look after at the end of the turn.
    static let isDue = FlowState(rawValue: 2)
    /// Its write queue went over the mark and has not been empty since.
    static let isCongested = FlowState(rawValue: 4)
    /// What came can't be framed; nothing more is read.
    static let isRefused = FlowState(rawValue: 8)
    /// It closes once what is queued is written.
    static let isClosing = FlowState(rawValue: 16)
    /// The receiver has closed it; what is sent after that is dropped.
    static let isSealed = FlowState(rawValue: 32)
    /// Our half is shut; what still comes is thrown away until the peer closes too.
    static let isLingering = FlowState(rawValue: 64)
    /// We opened it: no bounds for strangers apply, and pings are the peer's to answer.
    static let isOutgoing = FlowState(rawValue: 128)
    /// The peer has not accepted it yet; its ticket is in the carrier's table.
    static let isConnecting = FlowState(rawValue: 256)
    /// The receiver wants to hear of the next bytes.
    static let isWatched = FlowState(rawValue: 512)
    /// It has authenticated.
    static let isKnown = FlowState(rawValue: 1024)
    /// It has not authenticated, and is in the carrier's line of those who wait to be read.
    static let isWaiting = FlowState(rawValue: 2048)
}

/// What a flow has only while it is busy.
final class FlowWork {
    /// The beginning of a message whose rest has not come.
    var partial: [UInt8] = []
    /// How far `partial` has been looked at.
    var framer = StreamFramer()
    /// What the kernel has not taken yet.
    var queue = WriteQueue()

    /// Whether there is nothing to keep it for.
    var isIdle: Bool { partial.isEmpty && queue.isEmpty }
}

/// Bytes that the kernel has not taken yet.
struct WriteQueue {
    private var bytes: [UInt8] = []
    private var head = 0

    var count: Int { bytes.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }

    /// Lends what waits to `write`, and drops as many bytes as it says it has taken.
    mutating func drain(_ write: (UnsafeRawBufferPointer) -> Int) {
        let taken = bytes.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[head...])) }
        head = min(head + max(taken, 0), bytes.count)
        if head == bytes.count {
            self = WriteQueue()
        } else if head > bytes.count / 2 {
            bytes.removeFirst(head)
            head = 0
        }
    }
}
