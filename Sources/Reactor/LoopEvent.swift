import CLibevent
import Glibc

/// A libevent `event` at an address of its own, and what to do when it is due.
///
/// It keeps its loop alive. libevent keeps only the address of this object; `deinit` takes the event out of the loop,
/// so no callback comes after it.
final class LoopEvent {
    private let loop: EventLoop
    private let storage: UnsafeMutablePointer<event>
    private let action: (Int16) -> Void

    init(loop: EventLoop, descriptor: Int32, flags: Int32, action: @escaping (Int16) -> Void) {
        self.loop = loop
        self.action = action
        storage = .allocate(capacity: 1)
        storage.initialize(to: event())
        let callback: event_callback_fn = { _, what, context in
            guard let context else { return }
            // The retain that comes with the value lets an action drop its own event.
            Unmanaged<LoopEvent>.fromOpaque(context).takeUnretainedValue().action(what)
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        event_assign(storage, loop.base, descriptor, Int16(truncatingIfNeeded: flags), callback, context)
    }

    deinit {
        event_del(storage)
        storage.deallocate()
    }

    /// Adds the event to its loop.
    ///
    /// - Parameter milliseconds: when it is a timer, how long from now.
    /// - Returns: false when the kernel refuses.
    func add(after milliseconds: Int64? = nil) -> Bool {
        guard let milliseconds else { return event_add(storage, nil) == 0 }
        let delay = min(max(milliseconds, 0), 1 << 40)
        var interval = timeval(tv_sec: Int(delay / 1000), tv_usec: Int(delay % 1000) * 1000)
        return event_add(storage, &interval) == 0
    }

    /// Takes the event out of its loop.
    func remove() { event_del(storage) }
}
