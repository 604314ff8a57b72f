import Glibc

/// Tells the service manager how the server is (sd_notify of systemd), where there is one.
///
/// The protocol is a datagram to the socket named by `NOTIFY_SOCKET`; an `@` in front stands for the abstract namespace.
enum ServiceManager {
    /// Sends a state: `READY=1`, `RELOADING=1`, `STOPPING=1`.
    static func notify(_ state: String) {
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
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
                // Nothing depends on the manager hearing it.
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), target, socklen_t(length))
            }
        }
    }
}
