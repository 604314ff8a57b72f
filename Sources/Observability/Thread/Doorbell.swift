import CPlatform
import Glibc

/// Wakes one sleeping thread from any other.
///
/// Rings that nobody has heard yet are one ring, so a waiter looks at all of its queue when it wakes.
package final class Doorbell: Sendable {
    private let descriptor: Int32

    /// Makes a silent doorbell.
    package init() throws(SystemError) {
        descriptor = wl_eventfd()
        guard descriptor >= 0 else { throw SystemError(call: "eventfd", code: errno) }
    }

    deinit { close(descriptor) }

    /// Wakes the waiter, now or when it waits next, and never blocks.
    package func ring() {
        var one: UInt64 = 1
        // The only other outcome is EAGAIN at 2^64 - 1 unheard rings: the waiter wakes anyway.
        _ = write(descriptor, &one, 8)
    }

    /// Sleeps until the next ring, or for so long; at once when it has rung already.
    package func wait(milliseconds: Int32? = nil) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        // An interrupted or failed poll is an early wake-up: every caller looks at its queue in a loop.
        guard poll(&entry, 1, milliseconds ?? -1) > 0 else { return }
        var rings: UInt64 = 0
        _ = read(descriptor, &rings, 8)
    }
}
