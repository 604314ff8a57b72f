import Glibc
import Locking

/// What a writer thread empties now and then.
protocol Drain: AnyObject, Sendable {
    /// Writes what has gathered; on the writer's thread, so it may block.
    func drain()
}

/// The thread that writes logs and the journal, so that no loop ever waits for a disk or a terminal.
///
/// It writes at once when it was idle, and gathers for a moment when it was not. Close it last: what is written to its
/// sinks afterwards is lost.
public final class WriterThread: Sendable {
    private let shared: Shared
    private let thread: NamedThread

    /// Starts the thread.
    ///
    /// - Parameter interval: the least time between two writes, in milliseconds.
    /// - Throws: when the system gives no thread.
    public init(interval: Int64 = 100) throws(SystemError) {
        let shared = Shared(doorbell: try Doorbell())
        self.shared = shared
        thread = try NamedThread("wl-writer") { shared.run(interval: interval) }
    }

    deinit { shared.stop() }

    /// Writes what has gathered, and ends the thread.
    public func close() {
        shared.stop()
        thread.join()
    }

    /// Empties `drain` from now on, whenever the bell rings.
    func add(_ drain: any Drain) { shared.state.withLock { $0.drains.append(drain) } }

    /// Rings it for a drain that has something again.
    ///
    /// Drains keep this, not the thread, which keeps them.
    var bell: Doorbell { shared.doorbell }

    private final class Shared: Sendable {
        let doorbell: Doorbell
        let state = Mutex(State())

        struct State {
            var drains: [any Drain] = []
            var isClosing = false
        }

        init(doorbell: Doorbell) { self.doorbell = doorbell }

        func stop() {
            state.withLock { $0.isClosing = true }
            doorbell.ring()
        }

        func run(interval: Int64) {
            var isClosing = false
            while !isClosing {
                doorbell.wait()
                isClosing = state.withLock { $0.isClosing }
                for drain in state.withLock({ $0.drains }) { drain.drain() }
                if !isClosing { usleep(useconds_t(clamping: interval * 1_000)) }
            }
            state.withLock { $0.drains = [] }
        }
    }
}

/// Writes all bytes to a descriptor, waiting where it must.
///
/// - Returns: the number written, and the `errno` that stopped it, 0 for none.
func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> (count: Int, code: Int32) {
    bytes.withUnsafeBytes { raw in
        var sent = 0
        while sent < raw.count {
            let count = write(descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent)
            if count > 0 {
                sent += count
                continue
            }
            let code = count == 0 ? EIO : errno
            if code == EINTR { continue }
            guard code == EAGAIN else { return (sent, code) }
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            // A reader that takes nothing for a second loses the rest: stopping must not hang on it.
            guard poll(&entry, 1, 1_000) > 0 else { return (sent, code) }
        }
        return (sent, 0)
    }
}
