import Glibc
import Observability
import SIP

/// A UDP socket for sound.
///
/// It owns its descriptor. Any thread may use it: the kernel serializes what is done to a socket.
final class MediaSocket: Sendable {
    let descriptor: Int32
    /// Where it is bound.
    let local: SocketAddress

    /// Binds a socket to a free even port.
    ///
    /// The search begins anywhere in the range, so that a port rests a while before it is used again: what still comes
    /// for an old call does not disturb a new one.
    init(on host: SocketAddress, _ settings: AudioSettings) throws(MediaError) {
        let isIPv6 = host.ipv4 == nil
        let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
        guard descriptor >= 0 else { throw .system(SystemError(call: "socket", code: errno)) }
        do throws(MediaError) {
            try Self.setTrafficClass(of: descriptor, isIPv6, settings.dscp)
            local = try Self.bind(descriptor, to: host, settings.ports)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private static func setTrafficClass(of descriptor: Int32, _ isIPv6: Bool, _ dscp: UInt8) throws(MediaError) {
        var trafficClass = Int32(dscp & 63) << 2
        let (level, option) = isIPv6 ? (Int32(IPPROTO_IPV6), IPV6_TCLASS) : (Int32(IPPROTO_IP), IP_TOS)
        guard setsockopt(descriptor, level, option, &trafficClass, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
            throw .system(SystemError(call: "setsockopt", subject: "traffic class", code: errno))
        }
    }

    private static func bind(
        _ descriptor: Int32,
        to host: SocketAddress,
        _ ports: ClosedRange<UInt16>
    ) throws(MediaError) -> SocketAddress {
        let first = Int(ports.lowerBound) + Int(ports.lowerBound & 1)
        let count = max((Int(ports.upperBound) - first) / 2 + 1, 0)
        let start = Int.random(in: 0...count)
        for offset in 0..<count {
            let port = UInt16(truncatingIfNeeded: first + (start + offset) % count * 2)
            let address = SocketAddress(high: host.high, low: host.low, port: port)
            if address.withKernel({ Glibc.bind(descriptor, $0, $1) }) == 0 { return address }
            switch errno {
            case EADDRINUSE, EACCES: continue
            case EADDRNOTAVAIL: throw .addressNotAvailable(host)
            default: throw .system(SystemError(call: "bind", subject: "\(address)", code: errno))
            }
        }
        throw .noPort(host, ports)
    }

    /// Sends a datagram; false when it is refused at once.
    func send(_ bytes: [UInt8], to remote: SocketAddress) -> Bool {
        remote.withKernel { sendto(descriptor, bytes, bytes.count, 0, $0, $1) } == bytes.count
    }

    /// Takes a datagram that has come.
    ///
    /// - Returns: how many bytes of the buffer it fills, and where it came from; nil when there is none.
    func receive(into buffer: inout [UInt8]) -> (count: Int, source: SocketAddress)? {
        var source = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let count = withUnsafeMutablePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
            }
        }
        guard count >= 0, let address = SocketAddress(kernel: source) else { return nil }
        return (count, address)
    }

    /// Waits until something has come, or the time is over.
    func wait(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&entry, 1, milliseconds)
    }
}

extension SocketAddress {
    fileprivate init?(kernel storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            let (high, low) = withUnsafeBytes(of: address.sin6_addr) { bytes in
                (bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            }
            let port = UInt16(bigEndian: address.sin6_port)
            self.init(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: port)
        default: return nil
        }
    }

    /// Lends the form the kernel wants.
    fileprivate func withKernel<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var storage = sockaddr_storage()
        let size =
            withUnsafeMutableBytes(of: &storage) { bytes in
                if let ipv4 {
                    var address = sockaddr_in()
                    address.sin_family = sa_family_t(AF_INET)
                    address.sin_port = port.bigEndian
                    address.sin_addr.s_addr = ipv4.bigEndian
                    bytes.storeBytes(of: address, as: sockaddr_in.self)
                    return MemoryLayout<sockaddr_in>.size
                }
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                    bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                    bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
                }
                bytes.storeBytes(of: address, as: sockaddr_in6.self)
                return MemoryLayout<sockaddr_in6>.size
            }
        return withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
