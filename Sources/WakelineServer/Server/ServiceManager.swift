import Glibc

/// Tells the service manager how the server is (sd_notify of systemd), where there is one.
///
/// The protocol is a datagram to the socket named by `NOTIFY_SOCKET`; an `@` in front stands for the abstract namespace.
enum ServiceManager {
    /// How often the manager wants to hear that the server lives, in milliseconds: half of what it waits; nil for never.
    static var watchdogInterval: Int64? {
        guard let text = getenv("WATCHDOG_USEC").map({ String(cString: $0) }), let wait = Int64(text), wait > 0 else {
            return nil
        }
        // Another process may be meant.
        if let process = getenv("WATCHDOG_PID").map({ String(cString: $0) }), process != "\(getpid())" { return nil }
        return max(wait / 2_000, 1)
    }

    /// Says that the configuration is being read again; `READY=1` says that it was.
    static func notifyReloading() {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        notify("RELOADING=1\nMONOTONIC_USEC=\(Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000)")
    }

    /// Sends a state: `READY=1`, `STOPPING=1`, `WATCHDOG=1`.
    ///
    /// - Parameters:
    ///   - state: what to tell.
    ///   - waits: whether it must arrive; otherwise it is dropped where the manager is behind.
    static func notify(_ state: String, waits: Bool = true) {
        guard let path = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), path.utf8.count > 1 else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = MemoryLayout<sa_family_t>.size + name.count
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(state.utf8)
        let flags = Int32(MSG_NOSIGNAL) | (waits ? 0 : Int32(MSG_DONTWAIT))
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                // Nothing depends on the manager hearing it.
                sendto(descriptor, text, text.count, flags, target, socklen_t(length))
            }
        }
    }
}
