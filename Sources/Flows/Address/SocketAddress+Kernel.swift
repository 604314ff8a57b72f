public import Glibc
public import SIP

extension SocketAddress {
    /// Reads what the kernel says; nil when it is no internet address.
    init?(_ storage: sockaddr_storage) {
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            self.init(ipv4: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            self.init(address.sin6_addr, port: UInt16(bigEndian: address.sin6_port))
        default:
            return nil
        }
    }

    /// Our end of a socket.
    init?(localOf descriptor: Int32) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        self.init(storage)
    }

    /// `AF_INET` or `AF_INET6`.
    public var family: Int32 { ipv4 == nil ? AF_INET6 : AF_INET }

    /// Whether it stands for all addresses of its family.
    public var isWildcard: Bool { ipv4 == 0 || high == 0 && low == 0 }

    /// The same port of this machine itself: what reaches a server that listens on all addresses of this family.
    public var loopback: SocketAddress {
        ipv4 == nil ? SocketAddress(high: 0, low: 1, port: port) : SocketAddress(ipv4: 0x7f00_0001, port: port)
    }

    /// Lends the form the kernel wants.
    public func withKernelAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        if let ipv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = ipv4.bigEndian
            return Self.lend(address, to: body)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
            bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
            bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return Self.lend(address, to: body)
    }

    private static func lend<Address, Result>(
        _ address: Address,
        to body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
