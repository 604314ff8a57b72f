import Glibc
import SIP

/// A TCP socket that listens.
///
/// It owns its descriptor.
/// What a flow's socket needs is set here, once: on Linux an accepted socket inherits its listener's options.
final class ListeningSocket {
    let descriptor: Int32
    /// Where it is bound, with the port that the kernel chose for port 0.
    let local: SocketAddress

    init(_ address: SocketAddress, settings: FlowSettings) throws(ListenError) {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw ListenError(address, errno: errno) }
        do throws(ListenError) {
            local = try Self.listen(descriptor, on: address, settings)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    private static func listen(
        _ descriptor: Int32,
        on address: SocketAddress,
        _ settings: FlowSettings
    ) throws(ListenError) -> SocketAddress {
        func set(_ level: Int, _ option: Int32, _ value: Int32) throws(ListenError) {
            var value = value
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard setsockopt(descriptor, Int32(level), option, &value, size) == 0 else {
                throw ListenError(address, errno: errno)
            }
        }
        let trafficClass = Int32(settings.dscp & 63) << 2
        let timeout = Int32(clamping: max(settings.userTimeout.milliseconds, 0))
        try set(Int(SOL_SOCKET), SO_REUSEADDR, 1)
        try set(Int(IPPROTO_TCP), TCP_NODELAY, 1)
        try set(Int(IPPROTO_TCP), TCP_USER_TIMEOUT, timeout)
        if address.family == AF_INET6 {
            try set(Int(IPPROTO_IPV6), IPV6_V6ONLY, 1)
            try set(Int(IPPROTO_IPV6), IPV6_TCLASS, trafficClass)
        } else {
            try set(Int(IPPROTO_IP), IP_TOS, trafficClass)
        }
        let isBound = address.withKernelAddress { bind(descriptor, $0, $1) == 0 }
        guard isBound, Glibc.listen(descriptor, settings.backlog) == 0 else {
            throw ListenError(address, errno: errno)
        }
        guard let local = SocketAddress(localOf: descriptor) else { throw ListenError(address, errno: errno) }
        return local
    }
}
