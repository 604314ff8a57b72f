import Glibc
import SIP

/// A TCP socket that listens.
///
/// It owns its descriptor.
/// What a flow's socket needs is set on it once: on Linux an accepted socket inherits its listener's options.
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
        let isIPv6 = address.family == AF_INET6
        guard setOption(descriptor, Int(SOL_SOCKET), SO_REUSEADDR, 1),
            !isIPv6 || setOption(descriptor, Int(IPPROTO_IPV6), IPV6_V6ONLY, 1),
            settings.apply(to: descriptor, family: address.family)
        else { throw ListenError(address, errno: errno) }
        let isBound = address.withKernelAddress { bind(descriptor, $0, $1) == 0 }
        guard isBound, Glibc.listen(descriptor, settings.backlog) == 0 else {
            throw ListenError(address, errno: errno)
        }
        guard let local = SocketAddress(localOf: descriptor) else { throw ListenError(address, errno: errno) }
        return local
    }
}
