import CLibevent
import Glibc

/// A loop that waits for descriptors, timers and signals, and runs what is due, turn by turn.
///
/// A loop and all that it owns stay on one thread for ever: it is not `Sendable`, and libevent is told to take no locks.
/// Only a `LoopHandle` crosses threads.
///
/// The change list of libevent's epoll backend stays off: it breaks when a descriptor has a duplicate elsewhere, and it
/// would save nothing here, where the interest in a descriptor hardly ever changes.
public final class EventLoop {
    /// Called after each turn, once all that was ready has been handled, so that what the turn owes leaves in one go.
    public var endOfTurn: (() -> Void)?

    /// Where set, a turn that waits begins at the next whole multiple of so many milliseconds, and what became ready
    /// meanwhile is handled together: fewer wake-ups, for later answers.
    public var pace: Int64?

    let base: OpaquePointer
    private var cached: TurnTime?
    private var isInTurn = false
    private var isStopping = false

    /// Makes a loop of the calling thread.
    public init() throws(ReactorError) {
        guard let config = event_config_new() else { throw .outOfMemory }
        defer { event_config_free(config) }
        event_config_set_flag(config, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
        guard let base = event_base_new_with_config(config) else { throw .noEventBase(errno: errno) }
        self.base = base
    }

    deinit { event_base_free(base) }

    /// The time of this turn: both clocks are read when first asked for after the wake-up, and stand still until its end.
    public var now: TurnTime {
        if let cached { return cached }
        let now = TurnTime.read()
        if isInTurn { cached = now }
        return now
    }

    /// Runs turns until `stop` is called.
    public func run() throws(ReactorError) {
        while !isStopping { try runTurn() }
        isStopping = false
    }

    /// Runs one turn.
    ///
    /// - Parameter waits: whether to wait until something is ready; otherwise only what is ready now is handled.
    /// - Throws: when the kernel refuses to wait.
    public func runTurn(waits: Bool = true) throws(ReactorError) {
        isInTurn = true
        defer {
            isInTurn = false
            cached = nil
        }
        var waits = waits
        if waits, let pace, pace > 0 {
            Self.rest(untilMultipleOf: pace)
            waits = false
        }
        let result = event_base_loop(base, waits ? EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY : EVLOOP_NONBLOCK)
        guard result >= 0 else { throw .waitFailed(errno: errno) }
        endOfTurn?()
    }

    /// Sleeps on the monotonic clock; a signal ends it early.
    private static func rest(untilMultipleOf milliseconds: Int64) {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        let next = (now / milliseconds + 1) * milliseconds
        time = timespec(tv_sec: Int(next / 1000), tv_nsec: Int(next % 1000) * 1_000_000)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil)
    }

    /// Lets `run` return after this turn.
    public func stop() { isStopping = true }
}

/// Both clocks, in milliseconds.
public struct TurnTime: Hashable, Sendable {
    /// The monotonic clock, since an arbitrary start.
    public var monotonic: Int64
    /// Since 1970-01-01 00:00 UTC.
    public var wall: Int64

    /// Reads both clocks; no system call on Linux.
    static func read() -> TurnTime {
        TurnTime(monotonic: read(CLOCK_MONOTONIC), wall: read(CLOCK_REALTIME))
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Why a loop can't be made or go on.
public enum ReactorError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No memory for an event loop.
    case outOfMemory
    /// libevent can't make an event base, for want of descriptors most likely.
    case noEventBase(errno: Int32)
    /// No descriptor to wake the loop with.
    case noWakeDescriptor(errno: Int32)
    /// The loop can't watch something.
    case notWatched(errno: Int32)
    /// The kernel refused to wait for events.
    case waitFailed(errno: Int32)

    /// A sentence for the operator.
    public var description: String {
        switch self {
        case .outOfMemory: "no memory for an event loop"
        case .noEventBase(let code): "can't make an event loop: \(Self.text(code)); is the limit on open files too low?"
        case .noWakeDescriptor(let code): "can't make an eventfd: \(Self.text(code))"
        case .notWatched(let code): "can't watch a descriptor or signal: \(Self.text(code))"
        case .waitFailed(let code): "can't wait for events: \(Self.text(code))"
        }
    }

    private static func text(_ code: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
