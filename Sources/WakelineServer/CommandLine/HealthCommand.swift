import Flows
import Glibc
import SIP

/// Asks the server that has this configuration whether it serves: a ping to each place it listens on (RFC 5626).
///
/// - Returns: success where each of them answers in time.
public func checkHealth(_ arguments: ParsedArguments, _ terminal: Terminal) -> ExitCode {
    guard let configuration = ConfigurationOptions.load(arguments, for: .administration, terminal) else {
        return .configuration
    }
    guard !configuration.listen.isEmpty else {
        terminal.report("unhealthy: no place to listen is configured; give --listen tcp://127.0.0.1:5060")
        return .unhealthy
    }
    var answering: [String] = []
    var fault: PingFault?
    for listen in configuration.listen {
        switch ping(listen) {
        case nil: answering.append("\(listen) answers")
        case let found?: fault = found.isOfMachine ? fault ?? found : found
        }
    }
    // A container without IPv6 serves well, though nothing there can reach the place.
    if let fault, !fault.isOfMachine || answering.isEmpty {
        terminal.report("unhealthy: \(fault)")
        return .unhealthy
    }
    terminal.print("healthy: \(answering.joined(separator: ", "))")
    return .success
}

/// Pings a place; nil where it answers.
///
/// Where it stands for the addresses of both IP versions, one will do: the machine may have no other.
private func ping(_ listen: ListenAddress) -> PingFault? {
    var fault: PingFault?
    for address in listen.addresses {
        guard address.port != 0 else { return PingFault(address, "may be any port; give --listen with the one it has") }
        guard let found = ping(address.isWildcard ? address.loopback : address) else { return nil }
        fault = found.isOfMachine ? fault ?? found : found
    }
    return fault
}

/// Sends a ping and waits for its pong; nil where it came.
private func ping(_ address: SocketAddress) -> PingFault? {
    let deadline = milliseconds() + patience
    func wait(_ descriptor: Int32, for events: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let left = deadline - milliseconds()
            guard left > 0 else { return false }
            let ready = Glibc.poll(&poll, 1, Int32(clamping: left))
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { return false }
        }
    }
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { return PingFault(address, errno: errno) }
    defer { close(descriptor) }
    if address.withKernelAddress({ connect(descriptor, $0, $1) }) != 0, errno != EINPROGRESS {
        return PingFault(address, errno: errno)
    }
    guard wait(descriptor, for: POLLOUT) else { return .silence(address) }
    let ping: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a]
    guard send(descriptor, ping, ping.count, Int32(MSG_NOSIGNAL)) == ping.count else {
        return PingFault(address, errno: errno)
    }
    var pong: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64)
    while pong.count < 2 {
        guard wait(descriptor, for: POLLIN) else { return .silence(address) }
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { continue }
            return PingFault(address, errno: errno)
        }
        guard count > 0 else { return PingFault(address, "closed the connection; is it full, or stopping?") }
        pong += buffer.prefix(count)
    }
    guard pong == [0x0d, 0x0a] else { return PingFault(address, "does not speak SIP; is another program there?") }
    return nil
}

/// How long a place may take, in milliseconds.
private let patience: Int64 = 2_000

private func milliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Why a ping got no pong, with the mend.
private struct PingFault: CustomStringConvertible {
    let description: String
    /// Whether this machine has no way to the address, whoever listens there.
    var isOfMachine = false

    init(_ address: SocketAddress, _ what: String) { description = "tcp://\(address) \(what)" }

    init(_ address: SocketAddress, errno code: Int32) {
        let mend = code == ECONNREFUSED ? "; is the server running, and listening there?" : ""
        self.init(address, "can't be reached: \(String(cString: strerror(code)))\(mend)")
        isOfMachine = [EADDRNOTAVAIL, ENETUNREACH, EAFNOSUPPORT].contains(code)
    }

    static func silence(_ address: SocketAddress) -> PingFault {
        PingFault(address, "does not answer within \(patience / 1000) s; its log may tell why")
    }
}
