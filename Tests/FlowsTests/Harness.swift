import Glibc
import Locking
import Observability
import Reactor
import SIP
import Testing

@testable import Flows

/// Keeps what it is told, and does what the test says.
final class RecordingReceiver: FlowReceiver {
    enum Event: Equatable {
        case opened
        case connected(UInt64)
        case stirred
        case received(String)
        case refused(FramingFault, head: String)
        case congested
        case drained
        case closed(CloseReason)
    }

    let outbox = Outbox()
    var nextDeadline: Instant?
    var advances: [Now] = []
    var order: [FlowID] = []
    var infos: [FlowID: FlowInfo] = [:]
    var events: [FlowID: [Event]] = [:]
    var openCount = 0
    /// Tickets of flows that can't be opened.
    var failures: [UInt64: CloseReason] = [:]
    var onReceived: (RecordingReceiver, FlowID, String) -> Void = { _, _, _ in }
    var onRefused: (RecordingReceiver, FlowID) -> Void = { _, _ in }
    var onOpened: (RecordingReceiver, FlowID) -> Void = { _, _ in }
    var onClosed: (RecordingReceiver, FlowID) -> Void = { _, _ in }
    private var depth = 0

    func opened(_ flow: FlowID, _ info: FlowInfo, now: Now) {
        call {
            #expect(infos[flow] == nil)
            order.append(flow)
            infos[flow] = info
            events[flow] = [.opened]
            openCount += 1
            onOpened(self, flow)
        }
    }

    func connected(_ ticket: UInt64, _ flow: FlowID, _ info: FlowInfo, now: Now) {
        call {
            #expect(infos[flow] == nil)
            order.append(flow)
            infos[flow] = info
            events[flow] = [.connected(ticket)]
            openCount += 1
            onOpened(self, flow)
        }
    }

    func connectFailed(_ ticket: UInt64, _ reason: CloseReason, now: Now) {
        call {
            #expect(failures[ticket] == nil)
            failures[ticket] = reason
        }
    }

    func stirred(_ flow: FlowID, now: Now) { call { add(flow, .stirred) } }

    func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now) {
        let text = Self.text(bytes)
        call {
            add(flow, .received(text))
            onReceived(self, flow, text)
        }
    }

    func refused(_ flow: FlowID, _ fault: FramingFault, head: Span<UInt8>, now: Now) {
        let text = Self.text(head)
        call {
            add(flow, .refused(fault, head: text))
            onRefused(self, flow)
        }
    }

    func congested(_ flow: FlowID, now: Now) { call { add(flow, .congested) } }

    func drained(_ flow: FlowID, now: Now) { call { add(flow, .drained) } }

    func closed(_ flow: FlowID, _ reason: CloseReason, now: Now) {
        call {
            add(flow, .closed(reason))
            openCount -= 1
            onClosed(self, flow)
        }
    }

    func advance(to now: Now) {
        call {
            advances.append(now)
            nextDeadline = nil
        }
    }

    func connect(_ ticket: UInt64, to address: SocketAddress) {
        let target = FlowTarget(transport: .tcp, host: ByteString(address.host), port: address.port)
        outbox.append(.connect(ticket: ticket, target))
    }

    func send(_ flow: FlowID, _ text: String) { outbox.send(flow) { $0 += text.utf8 } }

    /// No call comes from inside another, and nothing comes after the end of a flow.
    private func call(_ body: () -> Void) {
        #expect(depth == 0)
        depth += 1
        body()
        depth -= 1
    }

    private func add(_ flow: FlowID, _ event: Event) {
        if case .closed = events[flow]?.last { Issue.record("\(event) after the end of \(flow)") }
        if events[flow] == nil { Issue.record("\(event) before the beginning of \(flow)") }
        events[flow]?.append(event)
    }

    private static func text(_ bytes: Span<UInt8>) -> String {
        bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

/// A carrier on a loop of the test's own thread, whose turns the test runs.
final class Harness {
    let loop: EventLoop
    let receiver = RecordingReceiver()
    let carrier: FlowCarrier<RecordingReceiver>
    let sink = CollectingSink()
    let address: SocketAddress
    /// Kept open to the end of the test.
    private var clients: [Client] = []
    private var tick: DeadlineTimer?

    init(
        listen: String = "tcp://127.0.0.1:0",
        on loop: EventLoop? = nil,
        _ change: (inout FlowSettings) -> Void = { _ in }
    ) throws {
        var settings = FlowSettings()
        change(&settings)
        let loop = try loop ?? EventLoop()
        self.loop = loop
        carrier = FlowCarrier(
            loop: loop,
            receiver: receiver,
            settings: settings,
            logger: Logger(subsystem: "flows", sink: sink)
        )
        let bound = try carrier.listen(on: ListenAddress(listen))
        address = try #require(bound.first)
        tick = DeadlineTimer(loop: loop) {}
    }

    /// Runs turns until the condition holds, for ten seconds at most.
    func run(
        _ location: SourceLocation = #_sourceLocation,
        until condition: () -> Bool
    ) throws {
        let deadline = loop.now.monotonic + 10_000
        while !condition() {
            guard loop.now.monotonic < deadline else {
                Issue.record("the condition does not come to hold: \(receiver.events)", sourceLocation: location)
                return
            }
            // The condition may depend on what the loop does not see.
            tick?.schedule(at: loop.now.monotonic + 2)
            try loop.runTurn()
        }
    }

    /// Runs one turn, once the kernel has something to read for each of the flows: bytes on the way take their time, even
    /// on the loopback.
    func turn(reading flows: FlowID...) throws { try turn(reading: flows) }

    func turn(reading flows: [FlowID]) throws {
        for flow in flows {
            let descriptor = try #require(carrier.table[flow]).pointee.descriptor
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            try #require(poll(&entry, 1, 10_000) == 1)
        }
        try loop.runTurn()
    }

    /// Lets the carrier open a flow to a peer, and waits for it.
    func open(_ ticket: UInt64 = 1, to peer: Peer) throws -> (client: Client, flow: FlowID) {
        let count = receiver.order.count
        receiver.connect(ticket, to: peer.address)
        try run { receiver.order.count > count }
        let client = try peer.accept()
        clients.append(client)
        return (client, try #require(receiver.order.last))
    }

    /// Connects and waits for the flow.
    func connect(receiveBuffer: Int32? = nil) throws -> (client: Client, flow: FlowID) {
        let client = try Client(to: address, receiveBuffer: receiveBuffer)
        clients.append(client)
        let count = receiver.order.count
        try run { receiver.order.count > count }
        return (client, try #require(receiver.order.last))
    }
}

/// The other end of a flow: a non-blocking socket.
final class Client {
    let descriptor: Int32
    private(set) var read: [UInt8] = []
    private(set) var isAtEnd = false
    private(set) var error: Int32 = 0

    init(to address: SocketAddress, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4) }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        let result = address.withKernelAddress { Glibc.connect(descriptor, $0, $1) }
        try #require(result == 0)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    /// Takes over a connected socket.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    static func canConnect(to address: SocketAddress) -> Bool {
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        return address.withKernelAddress { Glibc.connect(descriptor, $0, $1) == 0 }
    }

    func write(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress.map { $0 + written }, bytes.count - written, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else {
                Issue.record("the client can't write: \(errorText(errno))")
                return
            }
            written += count
        }
    }

    /// Reads what is there.
    func poll() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while !isAtEnd, error == 0 {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                read += buffer[..<count]
            } else if count == 0 {
                isAtEnd = true
            } else {
                if errno != EAGAIN { error = errno }
                return
            }
        }
    }

    /// What has come so far, once it is so many bytes at least; waits for ten seconds at most.
    func text(ofAtLeast count: Int) -> String {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        repeat { poll() } while read.count < count && !isAtEnd && error == 0 && Glibc.poll(&entry, 1, 10_000) == 1
        return text
    }

    var text: String {
        poll()
        return String(decoding: read, as: UTF8.self)
    }

    var isClosed: Bool {
        poll()
        return isAtEnd || error != 0
    }

    func reset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
        end()
    }

    /// Closes the socket.
    func end() {
        // A second close of the descriptor in `deinit` could hit another's: the number is kept by a duplicate.
        let spare = open("/dev/null", O_RDONLY)
        dup2(spare, descriptor)
        close(spare)
    }

    func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}

/// A listening socket that does nothing by itself: whom the carrier connects to.
final class Peer {
    let address: SocketAddress
    private let descriptor: Int32

    init(_ host: String = "127.0.0.1", backlog: Int32 = 16) throws {
        let any = try #require(SocketAddress(host: host, port: 0))
        let listener = socket(any.family, Int32(SOCK_STREAM.rawValue), 0)
        descriptor = listener
        let isBound = any.withKernelAddress { bind(listener, $0, $1) } == 0
        try #require(isBound && listen(listener, backlog) == 0)
        address = try #require(SocketAddress(localOf: listener))
    }

    deinit { close(descriptor) }

    func accept() throws -> Client {
        let accepted = Glibc.accept(descriptor, nil, nil)
        try #require(accepted >= 0)
        return Client(accepted)
    }

    /// Waits until a connection waits to be accepted.
    func waitForConnection() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 10_000) == 1
    }
}

extension SocketAddress {
    /// The host as text, without brackets.
    var host: String {
        var text: [UInt8] = []
        appendHost(to: &text)
        return String(decoding: text.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }, as: UTF8.self)
    }
}

/// Keeps log lines.
final class CollectingSink: LogSink {
    private let kept = Mutex<[LogLine]>([])

    var lines: [LogLine] { kept.withLock { $0 } }

    func take(_ line: LogLine) { kept.withLock { $0.append(line) } }
}

/// A request with a body of so many bytes.
func request(_ number: Int = 1, body: Int = 0) -> String {
    "OPTIONS sip:a@b SIP/2.0\r\nCSeq: \(number) OPTIONS\r\nContent-Length: \(body)\r\n\r\n"
        + String(repeating: "x", count: body)
}

/// Expects what every flow's socket has, with a user timeout of 17 s.
func expectOptions(of descriptor: Int32, family: Int32, _ location: SourceLocation = #_sourceLocation) {
    func option(_ level: Int, _ name: Int32) -> Int32 {
        var value: Int32 = -1
        var length = socklen_t(4)
        getsockopt(descriptor, Int32(level), name, &value, &length)
        return value
    }
    #expect(option(Int(IPPROTO_TCP), TCP_NODELAY) == 1, sourceLocation: location)
    #expect(option(Int(IPPROTO_TCP), TCP_USER_TIMEOUT) == 17_000, sourceLocation: location)
    let isIPv4 = family == AF_INET
    let trafficClass = isIPv4 ? option(Int(IPPROTO_IP), IP_TOS) : option(Int(IPPROTO_IPV6), IPV6_TCLASS)
    #expect(trafficClass == 40 << 2, sourceLocation: location)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, sourceLocation: location)
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0, sourceLocation: location)
}
