import CLibevent
import Glibc

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is something to read, a connection to accept, or an end.
    public static let readable = Readiness(rawValue: 1)
    /// There is room to write.
    public static let writable = Readiness(rawValue: 2)

    init(libevent what: Int16) {
        var readiness: Readiness = []
        if Int32(what) & EV_READ != 0 { readiness.insert(.readable) }
        if Int32(what) & EV_WRITE != 0 { readiness.insert(.writable) }
        self = readiness
    }

    var libeventFlags: Int32 {
        (contains(.readable) ? EV_READ : 0) | (contains(.writable) ? EV_WRITE : 0)
    }
}

/// Watches one descriptor that it does not own: a listener, a wake-up, another library's socket.
///
/// For sockets by the thousand there is `WatcherPool`. Whoever closes the descriptor lets go of the watcher first.
public final class DescriptorWatcher {
    private let watched: LoopEvent

    /// Watches from now on.
    ///
    /// - Parameters:
    ///   - loop: where the action runs; kept alive.
    ///   - descriptor: what is watched.
    ///   - readiness: what for; the action is called again and again as long as it holds.
    ///   - action: what to do. It must not keep the watcher alive.
    /// - Throws: when the kernel refuses.
    public init(
        loop: EventLoop,
        descriptor: Int32,
        for readiness: Readiness,
        action: @escaping (Readiness) -> Void
    ) throws(ReactorError) {
        watched = LoopEvent(loop: loop, descriptor: descriptor, flags: readiness.libeventFlags | EV_PERSIST) {
            action(Readiness(libevent: $0))
        }
        guard watched.add() else { throw .notWatched(errno: errno) }
    }

    /// Stops watching, until `resume`.
    public func pause() { watched.remove() }

    /// Watches again.
    ///
    /// - Returns: false when the kernel refuses.
    public func resume() -> Bool { watched.add() }
}

/// Calls an action on the loop when the process gets a signal.
///
/// One loop of a process can handle signals; before the watcher is made and after it is gone the old disposition holds.
public final class SignalWatcher {
    private let watched: LoopEvent

    /// Handles a signal from now on.
    ///
    /// - Parameters:
    ///   - loop: where the action runs; kept alive.
    ///   - signal: `SIGTERM`, `SIGHUP`, ...
    ///   - action: what to do. It must not keep the watcher alive.
    /// - Throws: when there is no such signal.
    public init(loop: EventLoop, signal: Int32, action: @escaping () -> Void) throws(ReactorError) {
        watched = LoopEvent(loop: loop, descriptor: signal, flags: EV_SIGNAL | EV_PERSIST) { _ in action() }
        guard watched.add() else { throw .notWatched(errno: errno) }
    }
}
