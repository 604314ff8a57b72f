public import Observability
public import SIP

/// Why there can be no sound.
public enum MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// All even ports of the range are taken.
    case noPort(SocketAddress, ClosedRange<UInt16>)
    /// The address is not one of this machine.
    case addressNotAvailable(SocketAddress)
    /// The system refused something else.
    case system(SystemError)
    /// The session was stopped before it began.
    case stopped

    /// A sentence with the mend.
    public var description: String {
        switch self {
        case .noPort(let address, let ports):
            "no even port from \(ports.lowerBound) to \(ports.upperBound) is free on \(Self.host(address)); widen it"
        case .addressNotAvailable(let address):
            "\(Self.host(address)) is no address of this machine; see 'ip address'"
        case .system(let error): "\(error); is the limit on open files or threads too low?"
        case .stopped: "the session has been stopped; make a new one"
        }
    }

    private static func host(_ address: SocketAddress) -> String {
        var text: [UInt8] = []
        address.appendHost(to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
