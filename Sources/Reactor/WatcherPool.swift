import CLibevent
import Glibc

/// Hears of the descriptors of a `WatcherPool`.
public protocol ReadinessHandler: AnyObject {
    /// A descriptor is ready, or has ended, which counts as both.
    ///
    /// - Parameters:
    ///   - token: what `watch` was given. It tells a late event of an earlier owner of the slot from one of today.
    ///   - readiness: what it is ready for.
    func ready(_ token: UInt64, _ readiness: Readiness)
}

/// Watches descriptors by the hundred thousand: one bare libevent `event` each, and no object.
///
/// A descriptor is watched for reading all the time, by the same event; a second event exists only while there is
/// something to write, so a change of interest costs one `epoll_ctl`.
public final class WatcherPool {
    private struct Watch {
        var reading = event()
        /// Allocated while there is something to write.
        var writing: UnsafeMutablePointer<event>?
        var token: UInt64 = 0
        /// The pool, for the C callback.
        var pool: UnsafeMutableRawPointer?
        var descriptor: Int32 = -1
        var isReading = false
    }

    private let loop: EventLoop
    private var watches = ChunkedStore(blank: Watch())
    /// Outlives the pool, which it owns.
    ///
    /// Not counted: it is used for every descriptor that is ready.
    private unowned(unsafe) var handler: (any ReadinessHandler)?

    /// Makes an empty pool.
    ///
    /// - Parameter loop: kept alive.
    public init(loop: EventLoop) { self.loop = loop }

    /// Names who hears of readiness; it is not kept alive, and has to own the pool.
    public func report(to handler: any ReadinessHandler) { self.handler = handler }

    deinit {
        for slot in 0..<watches.count { forget(slot: slot) }
    }

    /// Takes on a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: to be forgotten before it is closed.
    ///   - slot: a small number of the caller's choice, not in use.
    ///   - token: handed to the handler with each event.
    ///   - isReading: whether it is watched for reading at once; `setReading` does it later.
    /// - Returns: false when the kernel refuses.
    public func watch(_ descriptor: Int32, slot: Int, token: UInt64, isReading: Bool = true) -> Bool {
        guard slot >= 0 else { return false }
        while slot >= watches.count { watches.grow() }
        guard let watch = watches.address(slot), watch.pointee.descriptor < 0 else { return false }
        watch.pointee.descriptor = descriptor
        watch.pointee.token = token
        // The pool outlives its events: `deinit` takes all out of the loop.
        watch.pointee.pool = Unmanaged.passUnretained(self).toOpaque()
        let reading = UnsafeMutableRawPointer(watch).assumingMemoryBound(to: event.self)
        event_assign(reading, loop.base, descriptor, Int16(EV_READ | EV_PERSIST), Self.callback, watch)
        guard !isReading || setReading(true, slot: slot) else {
            watch.pointee.descriptor = -1
            watch.pointee.isReading = false
            return false
        }
        return true
    }

    /// Turns the interest in reading off and on.
    ///
    /// - Returns: false when the kernel refuses.
    @discardableResult
    public func setReading(_ isReading: Bool, slot: Int) -> Bool {
        guard let watch = watches.address(slot), watch.pointee.descriptor >= 0 else { return false }
        guard watch.pointee.isReading != isReading else { return true }
        watch.pointee.isReading = isReading
        let reading = UnsafeMutableRawPointer(watch).assumingMemoryBound(to: event.self)
        return (isReading ? event_add(reading, nil) : event_del(reading)) == 0
    }

    /// Turns the interest in writing on and off.
    ///
    /// - Returns: false when the kernel refuses.
    @discardableResult
    public func setWriting(_ isWriting: Bool, slot: Int) -> Bool {
        guard let watch = watches.address(slot), watch.pointee.descriptor >= 0 else { return false }
        if isWriting {
            guard watch.pointee.writing == nil else { return true }
            let writing = UnsafeMutablePointer<event>.allocate(capacity: 1)
            writing.initialize(to: event())
            let flags = Int16(EV_WRITE | EV_PERSIST)
            event_assign(writing, loop.base, watch.pointee.descriptor, flags, Self.callback, watch)
            watch.pointee.writing = writing
            return event_add(writing, nil) == 0
        }
        guard let writing = watch.pointee.writing else { return true }
        event_del(writing)
        writing.deallocate()
        watch.pointee.writing = nil
        return true
    }

    /// Stops watching; nothing more is heard of this slot until it is used again.
    public func forget(slot: Int) {
        guard let watch = watches.address(slot), watch.pointee.descriptor >= 0 else { return }
        setWriting(false, slot: slot)
        setReading(false, slot: slot)
        watch.pointee.descriptor = -1
    }

    /// `watch` is the first thing that libevent hands back: the address of the slot, which never moves.
    private static var callback: event_callback_fn {
        { _, what, context in
            guard let watch = context?.assumingMemoryBound(to: Watch.self), watch.pointee.descriptor >= 0,
                let pool = watch.pointee.pool
            else { return }
            let handler = Unmanaged<WatcherPool>.fromOpaque(pool).takeUnretainedValue().handler
            handler?.ready(watch.pointee.token, Readiness(libevent: what))
        }
    }
}
