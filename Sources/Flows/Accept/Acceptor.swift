import CPlatform
import Glibc
import Observability
import Reactor
import SIP

/// Accepts connections of all listeners, so many a turn, and gets over a want of descriptors.
///
/// When descriptors run out accepting pauses, and connections wait in the kernel. When that lasts, they are turned away
/// by means of a spare descriptor, so that their peers look for another server instead of waiting for this one. Flows
/// that are open notice nothing.
final class Acceptor {
    private struct Listener {
        var socket: ListeningSocket
        var watcher: DescriptorWatcher
    }

    /// `accept4`, non-blocking and close-on-exec; tests put a failing one here.
    var accept: (Int32, UnsafeMutableRawPointer, UnsafeMutablePointer<UInt32>) -> Int32 = { wl_accept($0, $1, $2) }
    private(set) var pauses: UInt64 = 0
    private(set) var turnedAway: UInt64 = 0

    private let loop: EventLoop
    private let settings: FlowSettings
    private let logger: Logger
    private let adopt: (_ descriptor: Int32, _ local: SocketAddress, _ remote: SocketAddress) -> Void
    private var listeners: [Listener] = []
    private var timer: DeadlineTimer?
    private var spare: Int32 = -1
    /// When the want of descriptors that is going on began, on the monotonic clock.
    private var shortSince: Int64?

    /// Makes an acceptor without listeners; `adopt` takes over connections and must not keep the acceptor alive.
    init(
        loop: EventLoop,
        settings: FlowSettings,
        logger: Logger,
        adopt: @escaping (_ descriptor: Int32, _ local: SocketAddress, _ remote: SocketAddress) -> Void
    ) {
        self.loop = loop
        self.settings = settings
        self.logger = logger
        self.adopt = adopt
        openSpare()
        timer = DeadlineTimer(loop: loop) { [weak self] in self?.resume() }
    }

    deinit {
        if spare >= 0 { close(spare) }
    }

    /// Where connections are accepted.
    var addresses: [SocketAddress] { listeners.map(\.socket.local) }

    func listen(on address: SocketAddress) throws(ListenError) -> SocketAddress {
        let socket = try ListeningSocket(address, settings: settings)
        let watcher: DescriptorWatcher
        do throws(ReactorError) {
            watcher = try DescriptorWatcher(loop: loop, descriptor: socket.descriptor, for: .readable) {
                [weak self, unowned socket] _ in self?.acceptBatch(of: socket)
            }
        } catch {
            throw .failed(address, errno: errno)
        }
        if shortSince != nil { watcher.pause() }
        listeners.append(Listener(socket: socket, watcher: watcher))
        return socket.local
    }

    /// Closes all listeners; what the kernel holds for them is reset.
    func stop() {
        timer?.schedule(at: nil)
        // The watchers first: libevent must let go of a descriptor before it is closed.
        for listener in listeners { listener.watcher.pause() }
        listeners.removeAll()
    }

    private func acceptBatch(of socket: ListeningSocket) {
        for _ in 0..<max(settings.acceptBatch, 1) {
            let (descriptor, remote) = acceptOne(socket)
            guard descriptor >= 0 else {
                switch errno {
                case EAGAIN: return endShortage()
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: return pause(after: errno, socket)
                // Errors of the one connection that was waiting, all of which accept(2) tells to retry.
                default: continue
                }
            }
            let local = socket.local.isWildcard ? SocketAddress(localOf: descriptor) : socket.local
            guard let local, let remote else {
                close(descriptor)
                continue
            }
            adopt(descriptor, local, remote)
        }
    }

    private func acceptOne(_ socket: ListeningSocket) -> (descriptor: Int32, remote: SocketAddress?) {
        var storage = sockaddr_storage()
        var length = UInt32(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) { accept(socket.descriptor, $0, &length) }
        return (descriptor, descriptor < 0 ? nil : SocketAddress(storage))
    }

    private func pause(after code: Int32, _ socket: ListeningSocket) {
        let now = loop.now.monotonic
        pauses &+= 1
        if let shortSince {
            if now - shortSince >= settings.acceptPatience.milliseconds { turnAway(socket) }
        } else {
            shortSince = now
            logger.error(
                "no descriptor for a new connection: accepting pauses, raise the limit on open files",
                [LogField("listen.address", socket.local), LogField("error", errorText(code))]
            )
        }
        for listener in listeners { listener.watcher.pause() }
        timer?.schedule(at: (Instant(milliseconds: now) + settings.acceptPause).milliseconds)
    }

    private func resume() {
        for listener in listeners where !listener.watcher.resume() {
            logger.error("a listener can't be watched any more", [LogField("listen.address", listener.socket.local)])
        }
    }

    /// Accepts with the spare descriptor what waits, and closes it.
    private func turnAway(_ socket: ListeningSocket) {
        guard spare >= 0 else { return openSpare() }
        close(spare)
        for _ in 0..<max(settings.acceptBatch, 1) {
            let descriptor = acceptOne(socket).descriptor
            guard descriptor >= 0 else { break }
            close(descriptor)
            turnedAway &+= 1
        }
        openSpare()
    }

    private func endShortage() {
        guard let since = shortSince else { return }
        shortSince = nil
        let seconds = (loop.now.monotonic - since) / 1000
        logger.info(
            "accepting goes on",
            [LogField("accept.paused-seconds", seconds), LogField("accept.turned-away", turnedAway)]
        )
    }

    private func openSpare() { spare = open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
