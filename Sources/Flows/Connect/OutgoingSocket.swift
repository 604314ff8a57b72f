import Glibc
import SIP

/// Makes TCP sockets that connect without blocking.
enum OutgoingSocket {
    /// Begins to connect; the socket is writable once the peer, or the kernel, has decided.
    ///
    /// - Parameters:
    ///   - remote: where to.
    ///   - local: our address, of the same IP version; nil lets the kernel choose.
    ///   - settings: the options of the socket.
    /// - Returns: the descriptor, which is the caller's; nil with `errno` when the kernel refuses at once.
    static func connect(to remote: SocketAddress, from local: SocketAddress?, _ settings: FlowSettings) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(remote.family, type, 0)
        guard descriptor >= 0 else { return nil }
        guard settings.apply(to: descriptor, family: remote.family), bind(descriptor, to: local),
            remote.withKernelAddress({ Glibc.connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS
        else {
            let code = errno
            close(descriptor)
            errno = code
            return nil
        }
        return descriptor
    }

    private static func bind(_ descriptor: Int32, to local: SocketAddress?) -> Bool {
        guard let local else { return true }
        // The port is chosen at `connect`, when the target is known, so that ports are only taken for one target. A
        // kernel without this has fewer ports to give, which is no reason to give none.
        if local.port == 0 { _ = setOption(descriptor, Int(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1) }
        return local.withKernelAddress { Glibc.bind(descriptor, $0, $1) } == 0
    }
}
