import CPlatform
import Glibc
import Locking

/// What other threads hold of a loop: a mailbox that wakes it.
///
/// A flood of messages costs one wake-up. What is posted after the loop has ended is dropped with the handle.
public final class LoopHandle<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        /// Whether a wake-up is under way.
        var isArmed = false
    }

    private let state = Mutex(State())
    /// An eventfd, owned by the handle.
    let descriptor: Int32

    /// Makes an empty mailbox.
    public init() throws(ReactorError) {
        descriptor = wl_eventfd()
        guard descriptor >= 0 else { throw .noWakeDescriptor(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Puts a message into the mailbox, from any thread.
    public func post(_ message: consuming Message) {
        let message = message
        let wakes = state.withLock { state in
            state.messages.append(message)
            defer { state.isArmed = true }
            return !state.isArmed
        }
        guard wakes else { return }
        var one: UInt64 = 1
        // An eventfd refuses a write only when its counter is full, and then the loop is awake.
        _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Exchanges what has come for an empty array, whose memory is used again.
    func take(into batch: inout [Message]) {
        state.withLock { state in
            swap(&state.messages, &batch)
            state.isArmed = false
        }
    }
}

/// The loop's end of a `LoopHandle`: delivers on the loop what others post.
public final class Mailbox<Message: Sendable> {
    /// What other threads hold.
    public let handle: LoopHandle<Message>
    private let deliver: (Message) -> Void
    private var batch: [Message] = []
    private var watched: DescriptorWatcher?

    /// Opens a mailbox on a loop.
    ///
    /// - Parameters:
    ///   - loop: where messages are delivered; kept alive.
    ///   - handle: made before the loop, when its thread is started with it; otherwise a new one.
    ///   - deliver: called for each message, in the order of posting. It must not keep the mailbox alive.
    /// - Throws: when there is no descriptor left.
    public init(
        loop: EventLoop,
        handle: LoopHandle<Message>? = nil,
        deliver: @escaping (Message) -> Void
    ) throws(ReactorError) {
        if let handle { self.handle = handle } else { self.handle = try LoopHandle() }
        self.deliver = deliver
        watched = try DescriptorWatcher(loop: loop, descriptor: self.handle.descriptor, for: .readable) {
            [weak self] _ in self?.empty()
        }
    }

    private func empty() {
        var count: UInt64 = 0
        // Resets the counter; what is posted from here on wakes the loop again once `take` has disarmed.
        _ = read(handle.descriptor, &count, MemoryLayout<UInt64>.size)
        handle.take(into: &batch)
        for message in batch { deliver(message) }
        batch.removeAll(keepingCapacity: batch.capacity <= 1 << 12)
    }
}
