public import SIP

/// A user agent for a phone that sleeps: it registers over persistent flows, keeps them alive, calls and is called.
///
/// Events and the time go in, orders and reports come out, both through its `PhoneHost`. Single-threaded, and pure: no
/// socket, clock, file or random source of its own. Whoever carries it hands it what `FlowReceiver` is told about its
/// flows, and calls `advance` when `nextDeadline` has come.
///
/// Only reliable transports: nothing but a 2xx and a reliable provisional answer is ever sent twice.
public final class Phone {
    /// The phone's number, by which reports and tickets name it.
    public let id: Int
    /// Who it is.
    public let identity: PhoneIdentity
    /// When `advance` is wanted, or nil.
    public private(set) var nextDeadline: Instant?

    let host: PhoneHost
    var now: Now
    var lines: [Line]
    var exchanges: [Exchange] = []
    var calls: [Call] = []
    var history = History()
    var messages = History()
    var digests: [DigestSession] = []
    /// Route lines of requests outside of dialogs (RFC 3608).
    var serviceRoute: [UInt8] = []
    /// The public GRUU, without brackets (RFC 5627).
    var gruu: [UInt8] = []
    var nextNumber: UInt32 = 1
    /// Whether registrations are wanted.
    public internal(set) var isRunning = false
    /// Whether there is a network.
    var isOnline = true
    /// Which network, as whoever watches it numbers them.
    var network: UInt64 = 0
    /// Whether the app is suspended: only the keep-alive handler, bytes and pushes wake it.
    var isSuspended = false
    var suspendedAt = Instant(milliseconds: 0)
    /// Whether the device is in a call of the cellular network.
    var isInCellularCall = false
    var handler = KeepAliveHandler()

    /// Makes a phone, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - id: a number for reports, from 0 up to 2^40.
    ///   - identity: who it is.
    ///   - host: what it shares with others.
    ///   - now: the time.
    public init(id: Int, identity: PhoneIdentity, host: PhoneHost, now: Now) {
        self.id = id
        self.identity = identity
        self.host = host
        self.now = now
        let expires = UInt32(clamping: host.policy.expires.seconds)
        lines = identity.proxies.enumerated().map { index, target in
            Line(
                regID: UInt32(truncatingIfNeeded: index + 1),
                target: target,
                callID: host.random.next(),
                expires: expires
            )
        }
    }

    /// Runs one event, and finds out when the next is due.
    func turn<Result>(_ now: Now, _ body: () -> Result) -> Result {
        self.now = now
        let result = body()
        settle()
        return result
    }

    /// Time went by.
    public func advance(to now: Now) {
        turn(now) {
            for line in lines.indices { lineTimers(line) }
            exchangeTimers()
            callTimers()
            handlerTimer()
        }
    }

    private func settle() {
        finishHandlerIfDone()
        var next = Instant.distantFuture
        // By index: a copy of an element would have to keep all that it holds alive.
        for index in lines.indices {
            // What is due in its own time waits for the handler while the app is suspended; a pong does not.
            if !isSuspended || lines[index].keepAlive.isWaiting, let deadline = lines[index].keepAlive.deadline {
                next = min(next, deadline)
            }
            if !isSuspended || lines[index].registration.phase == .connecting,
                let deadline = lines[index].registration.deadline
            {
                next = min(next, deadline)
            }
        }
        for index in exchanges.indices {
            next = min(next, exchanges[index].deadline)
            if let moment = exchanges[index].signOfLifeBy { next = min(next, moment) }
        }
        for call in calls {
            if let deadline = call.deadline { next = min(next, deadline) }
            if let moment = call.resend?.at { next = min(next, moment) }
        }
        if let deadline = handler.deadline { next = min(next, deadline) }
        nextDeadline = next == .distantFuture ? nil : next
    }

    func report(_ event: PhoneEvent) { host.report(id, event) }

    func newNumber() -> UInt32 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }

    /// 128 random bits, in hexadecimal digits.
    func newCallID() -> [UInt8] {
        var callID: [UInt8] = []
        callID.reserveCapacity(32)
        callID.append(hex: host.random.next(), digits: 16)
        callID.append(hex: host.random.next(), digits: 16)
        return callID
    }

    /// The counts of what is kept for requests and calls, to show that nothing is left behind.
    public var unfinished: (requests: Int, calls: Int) { (exchanges.count, calls.count) }

    /// What its lines are doing, for whoever looks for a fault.
    public var state: String {
        lines.map { "\($0.registration.phase) until \($0.registration.deadline?.milliseconds ?? -1)" }
            .joined(separator: ", ")
    }

    /// Whether requests can be sent.
    public var isRegistered: Bool { lines.contains { $0.registration.isUsable } }
}
