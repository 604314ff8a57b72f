public import SIP

/// The rules of a node: registrar, proxy and all they stand on.
///
/// Events and the time go in, orders come out.
///
/// Single-threaded, and pure: no socket, clock, file or random source of its own, so every run can be replayed from its
/// events. What it wants done lies in `outbox` (flows) and `errands` (everything else) when an event is over.
public final class Core: FlowReceiver {
    /// See `FlowReceiver`.
    public let outbox = Outbox()
    /// What is asked of storage, journal and log since they were last taken.
    public internal(set) var errands: [Errand] = []
    /// The settings in force.
    public internal(set) var settings: Settings

    /// Whether the server is stopping: no new dialogs and registrations, but everything under way ends as it should.
    public var isDraining = false {
        didSet { if isDraining, let lastAccepted { awaitACK(ofCallAcceptedAt: lastAccepted) } }
    }
    /// Proxied requests without a final answer.
    var unanswered = 0
    /// Calls that were accepted while the server stops, and whose ACK may still be on its way.
    var unconfirmed = 0
    /// When a call was accepted last.
    var lastAccepted: Instant?
    /// Requests that somebody still waits for an answer to, and calls that need their ACK.
    public var unfinished: Int { unanswered + unconfirmed + waiting.count }

    var now: Now
    var timers: TimerWheel<CoreTimer>
    var flows = FlowTable()
    var succession = FlowSuccession()
    var transactions = TransactionTable()
    var location = Location()
    var expiry: ExpiryQueue
    let authenticator: Authenticator
    var abuse: AbuseTables
    /// What the limits against abuse have refused.
    public internal(set) var refusals = Refusals()
    let tokens: FlowTokens
    let temporaryGRUUs: TemporaryGRUUs
    var random: RandomSource
    var edits = MessageEdits()
    var waiting: [UInt64: Waiting] = [:]
    var nextTicket: UInt64 = 1
    let epoch: UInt64
    /// For hashes that nobody outside may foresee, and that the node's random source alone decides.
    let hashKey: KeyedHash.Key
    /// When a registration for a foreign domain is reported again, and how many there were since the last report.
    var nextForeignReport: Instant
    var foreignRegistrations = 0
    /// For text that is put together before it is known where it goes.
    var scratch: [UInt8] = []
    /// Where in the arena the request sent last begins.
    var lastSendStart = 0
    private var incoming = Message()

    /// Makes the core of a node.
    ///
    /// - Parameters:
    ///   - settings: what can be set.
    ///   - hashes: MD5, SHA-256 and HMAC.
    ///   - random: random bits.
    ///   - secret: 32 random bytes of this node, the same over its restarts.
    ///   - now: the time; its wall clock tells this life of the node from others.
    public init(settings: Settings, hashes: Hashes, random: RandomSource, secret: [UInt8], now: Now) {
        self.settings = settings
        var random = random
        abuse = AbuseTables(seed: random.next())
        hashKey = KeyedHash.Key(&random)
        self.random = random
        self.now = now
        epoch = UInt64(truncatingIfNeeded: now.wall) & 0xffff_ffff_ffff
        timers = TimerWheel(now: now.monotonic)
        expiry = ExpiryQueue(wall: now.wall)
        nextForeignReport = now.monotonic
        func derived(_ label: StaticString) -> [UInt8] {
            var text: [UInt8] = []
            text.append(text: label)
            var key: [UInt8] = []
            hashes.hmacSHA256(secret, text, &key)
            return key
        }
        authenticator = Authenticator(hashes, key: derived("nonce"), settings: settings)
        tokens = FlowTokens(KeyedHash.Key(derived("flow token")), epoch: epoch)
        temporaryGRUUs = TemporaryGRUUs(KeyedHash.Key(derived("temporary gruu")))
    }

    /// Exchanges all open errands for an empty array, whose memory is used again.
    public func takeErrands(into batch: inout [Errand]) {
        if !batch.isEmpty { batch.removeAll(keepingCapacity: true) }
        swap(&errands, &batch)
    }

    /// Puts new settings in force.
    ///
    /// What is under way goes on as it began.
    public func apply(_ settings: Settings) {
        self.settings = settings
        authenticator.settings = settings
    }

    /// Counts of what is kept, to show that nothing is left behind.
    public var counts: Counts {
        Counts(
            flows: flows.count,
            bindings: location.count,
            serverTransactions: transactions.serverCount,
            clientTransactions: transactions.clientCount,
            waiting: waiting.count,
            timers: timers.count
        )
    }

    /// How many entries the tables have.
    public struct Counts: Equatable, Sendable {
        public var flows, bindings, serverTransactions, clientTransactions, waiting, timers: Int
    }

    /// See `FlowReceiver`.
    public func opened(_ flow: FlowID, _ info: FlowInfo, now: Now) {
        self.now = now
        flows.open(flow, info)
    }

    /// See `FlowReceiver`.
    public func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now) {
        self.now = now
        guard flows.isOpen(flow) else { return }
        // Taken out and put back: where nobody keeps it, its memory is used again, and nothing is counted meanwhile.
        var message = Message()
        swap(&message, &incoming)
        message.parse(bytes, limits: settings.limits)
        if message.isRequest {
            let fault = message.prepare()
            receive(request: message, fault, from: flow)
        } else if message.outlineFault() == nil {
            // What can't be read is discarded (RFC 4475 sections 3.1.2.5 and 3.1.2.19): the stream goes on behind it.
            receive(response: message, from: flow)
        }
        incoming = message
    }

    /// See `FlowReceiver`.
    public func refused(_ flow: FlowID, _ fault: FramingFault, head: Span<UInt8>, now: Now) {
        self.now = now
        guard flows.isOpen(flow) else { return }
        incoming.parse(head, limits: settings.limits)
        if incoming.isAnswerable, let status = Status(fault) { answerStatelessly(incoming, from: flow, status) }
        outbox.append(.close(flow, .garbage))
    }

    /// See `FlowReceiver`; the rules of a single node open no flows, and watch none.
    public func connected(_ ticket: UInt64, _ flow: FlowID, _ info: FlowInfo, now: Now) {}

    /// See `FlowReceiver`.
    public func connectFailed(_ ticket: UInt64, _ reason: CloseReason, now: Now) {}

    /// See `FlowReceiver`.
    public func stirred(_ flow: FlowID, now: Now) {}

    /// See `FlowReceiver`; nothing the rules send can wait yet, so the carrier's bound alone holds.
    public func congested(_ flow: FlowID, now: Now) {}

    /// See `FlowReceiver`.
    public func drained(_ flow: FlowID, now: Now) {}

    /// See `FlowReceiver`.
    public func closed(_ flow: FlowID, _ reason: CloseReason, now: Now) {
        self.now = now
        guard let gone = flows[flow] else { return }
        endBindings(of: gone)
        let clients = transactions.clients(waitingOn: gone)
        let servers = transactions.servers(owing: gone)
        flows.close(flow)
        for client in clients { lostFlow(of: client) }
        for server in servers { lostCaller(of: server) }
    }

    /// See `FlowReceiver`.
    public func advance(to now: Now) {
        self.now = now
        while let timer = timers.expire(at: now.monotonic) { fired(timer) }
    }

    /// See `FlowReceiver`.
    public var nextDeadline: Instant? { timers.nextDeadline }

    private func fired(_ timer: CoreTimer) {
        switch timer.kind {
        case .clientRetransmission: retransmissionTimerFired(client: .init(rawValue: timer.id))
        case .clientLifetime: lifetimeTimerFired(client: .init(rawValue: timer.id))
        case .signOfLife: noSignOfLife(from: .init(rawValue: timer.id))
        case .timerC: timerCFired(.init(rawValue: timer.id))
        case .serverRetransmission: retransmissionTimerFired(server: .init(rawValue: timer.id))
        case .serverLifetime: lifetimeTimerFired(server: .init(rawValue: timer.id))
        case .trying: tryingTimerFired(.init(rawValue: timer.id))
        case .orphaned: patienceEnded(.init(rawValue: timer.id))
        case .expiry: expireBindings()
        case .unconfirmed: unconfirmed -= 1
        }
    }

    /// A 2xx to an INVITE has left: its ACK, which has no transaction, is to come while there are flows to take it.
    func accepted() {
        lastAccepted = now.monotonic
        if isDraining { awaitACK(ofCallAcceptedAt: now.monotonic) }
    }

    private func awaitACK(ofCallAcceptedAt moment: Instant) {
        unconfirmed += 1
        // Four round trips, as T1 estimates them, are time enough for two.
        let patience = Interval(milliseconds: settings.timers.t1.milliseconds * 4)
        _ = timers.arm(at: moment + patience, CoreTimer(kind: .unconfirmed, id: 0))
    }
}

extension Status {
    /// What answers a stream that can't be framed; nil where nothing can.
    init?(_ fault: FramingFault) {
        switch fault {
        case .notSIP: return nil
        case .startLineTooLong, .headerSectionTooLong: self = .messageTooLarge
        case .contentLengthMissing: self = Status(400, "Missing Content-Length")
        case .contentLengthInvalid: self = Status(400, "Malformed Content-Length")
        case .bodyTooLong: self = .entityTooLarge
        }
    }
}
