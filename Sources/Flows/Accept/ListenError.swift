import Glibc
public import SIP

/// Why an address can't be listened on.
public enum ListenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Something listens there already.
    case portTaken(SocketAddress)
    /// The user may not bind this port.
    case noPermission(SocketAddress)
    /// No interface has the address.
    case addressNotAvailable(SocketAddress)
    /// The kernel does not speak this IP version.
    case familyNotSupported(SocketAddress)
    /// Only TCP is served.
    case transportNotServed(TransportKind)
    /// Anything else.
    case failed(SocketAddress, errno: Int32)

    init(_ address: SocketAddress, errno code: Int32) {
        switch code {
        case EADDRINUSE: self = .portTaken(address)
        case EACCES, EPERM: self = .noPermission(address)
        case EADDRNOTAVAIL: self = .addressNotAvailable(address)
        case EAFNOSUPPORT: self = .familyNotSupported(address)
        default: self = .failed(address, errno: code)
        }
    }

    /// A sentence that names the address, what the kernel said, and the mend.
    public var description: String {
        switch self {
        case .portTaken(let address):
            "can't listen on \(address): \(errorText(EADDRINUSE)); stop the other server or choose another port"
        case .noPermission(let address):
            """
            can't listen on \(address): \(errorText(EACCES)); ports below 1024 need the capability \
            CAP_NET_BIND_SERVICE, or choose a higher port
            """
        case .addressNotAvailable(let address):
            """
            can't listen on \(address): \(errorText(EADDRNOTAVAIL)); give an address of this machine, or * for all \
            of them
            """
        case .familyNotSupported(let address):
            "can't listen on \(address): \(errorText(EAFNOSUPPORT)); this machine has no such IP version, use the other"
        case .transportNotServed(let transport):
            "can't listen for \(transport.uriName): only tcp is served"
        case .failed(let address, let code):
            "can't listen on \(address): \(errorText(code))"
        }
    }
}

/// What the C library says of an error number.
func errorText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
