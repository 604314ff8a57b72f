import CLibevent

/// A one-shot timer with a deadline that may be moved at any time for next to nothing.
///
/// Made to drive a timer wheel: libevent is told only when the deadline comes earlier than what it waits for. When it
/// moves later, the wake-up that is under way finds nothing due, and waits on.
public final class DeadlineTimer {
    private unowned let loop: EventLoop
    private let action: () -> Void
    private var pending: LoopEvent?
    private var deadline = Int64.max
    private var armed = Int64.max

    /// Makes a timer that waits for nothing.
    ///
    /// - Parameters:
    ///   - loop: where the action runs; kept alive.
    ///   - action: called once for each deadline, never before it.
    public init(loop: EventLoop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        // The event and the timer die together: the timer owns the event, and the event's action does not own the timer. A
        // weak reference would slow down every use of the timer.
        pending = LoopEvent(loop: loop, descriptor: -1, flags: 0) { [unowned self] _ in self.wake() }
    }

    /// Sets the deadline on the loop's monotonic clock, in milliseconds; `nil` waits for nothing.
    public func schedule(at deadline: Int64?) {
        self.deadline = deadline ?? .max
        arm()
    }

    private func arm() {
        guard deadline < armed else { return }
        let (delay, overflow) = deadline.subtractingReportingOverflow(loop.now.monotonic)
        guard pending?.add(after: overflow ? .max : delay) == true else { return }
        armed = deadline
    }

    private func wake() {
        armed = .max
        // libevent keeps a coarser clock, which may be a few milliseconds behind.
        guard deadline <= loop.now.monotonic else { return arm() }
        deadline = .max
        action()
    }
}
