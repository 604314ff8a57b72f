import Flows
import Glibc
import Observability
import Reactor
import SIP
import Signaling
import Storage

/// A whole node: the loop, the rules, and all that carries for them.
///
/// Lives on the thread that makes it, until `run` returns.
final class Server {
    private let configuration: Configuration
    private let reload: () -> Configuration?
    private let loggers: LoggerFactory
    private let logger: Logger
    private let sink: any LogSink
    private let loop: EventLoop
    private let core: Core
    private let carrier: FlowCarrier<Core>
    private let store: Store
    private let errands: ErrandRunner
    private let mailbox: Mailbox<[StoreAnswer]>
    private var signals: [SignalWatcher] = []
    private var current: Configuration
    private var drainDeadline: Int64?
    private var drainTimer: DeadlineTimer?
    private var watchdogTimer: DeadlineTimer?

    /// Opens everything, and listens.
    ///
    /// - Parameters:
    ///   - configuration: checked as a whole.
    ///   - reload: reads the configuration again; nil where it is wrong, which it has reported.
    ///   - writer: the thread that writes logs and journal.
    ///   - sink: where log lines go.
    /// - Throws: what could not be opened, with the mend.
    init(
        _ configuration: Configuration,
        reload: @escaping () -> Configuration?,
        writer: WriterThread,
        sink: any LogSink
    ) throws(ServerError) {
        self.configuration = configuration
        self.reload = reload
        self.sink = sink
        current = configuration
        loggers = LoggerFactory(settings: configuration.log, sink: sink)
        logger = loggers.logger("server")
        do {
            let directory = try DataDirectory(path: configuration.data)
            let secret = try NodeSecret.load(directory)
            let loop = try EventLoop()
            let core = Core(
                settings: configuration.rules,
                hashes: try .openSSL(),
                random: .kernel,
                secret: secret,
                now: loop.time
            )
            // The mailbox must not keep what delivers to it.
            var deliver: (([StoreAnswer]) -> Void)?
            let mailbox = try Mailbox<[StoreAnswer]>(loop: loop) { deliver?($0) }
            let handle = mailbox.handle
            var unreadable = 0
            let store = try Store(
                directory,
                logger: loggers.logger("storage"),
                restoring: { key, value in
                    if !core.restore(ByteString(key), value, now: loop.time) { unreadable += 1 }
                },
                answer: { handle.post($0) }
            )
            if unreadable > 0 {
                logger.error("stored bindings of an unknown form were left out", [LogField("bindings", unreadable)])
            }
            let journal = JournalFile(
                on: writer,
                directory: configuration.data,
                bound: configuration.journal.size,
                logger: loggers.logger("journal")
            )
            let errands = ErrandRunner(
                core: core,
                store: store,
                report: CallReport(journal: journal, loggers: loggers),
                loop: loop
            )
            deliver = { errands.take($0, now: loop.time) }
            carrier = FlowCarrier(
                loop: loop,
                receiver: core,
                settings: configuration.carriage,
                logger: loggers.logger("flows")
            )
            self.loop = loop
            self.core = core
            self.store = store
            self.errands = errands
            self.mailbox = mailbox
        } catch let error as StorageError {
            throw ServerError(error.description, code: ExitCode(error))
        } catch {
            throw ServerError("\(error)", code: .failure)
        }
        do throws(ListenError) {
            for address in configuration.listen { try carrier.listen(on: address) }
        } catch {
            store.close()
            throw ServerError(error.description, code: .init(error))
        }
    }

    /// Serves until a signal ends it.
    func run() throws(ServerError) {
        do {
            signals = [
                try SignalWatcher(loop: loop, signal: SIGTERM) { [unowned self] in self.beginDraining() },
                try SignalWatcher(loop: loop, signal: SIGINT) { [unowned self] in self.beginDraining() },
                try SignalWatcher(loop: loop, signal: SIGHUP) { [unowned self] in self.reread() },
                try SignalWatcher(loop: loop, signal: SIGUSR1) { [unowned self] in self.sayCounts() },
            ]
            loop.endOfTurn = { [unowned self] in self.endTurn() }
            sayReady()
            try loop.run()
        } catch {
            store.close()
            throw ServerError("\(error)", code: .failure)
        }
        signals = []
        errands.finish()
        store.close()
        logger.notice("stopped")
    }

    private func endTurn() {
        carrier.turnEnded()
        errands.run()
        if drainDeadline != nil { continueDraining() }
    }

    private func sayReady() {
        // The one line that scripts and people wait for: it is written whatever the level.
        let addresses = carrier.listening.map { "tcp://\($0)" }.joined(separator: " ")
        sink.take(
            LogLine(
                wall: wallClock(),
                level: .notice,
                subsystem: "server",
                message: "ready",
                fields: [
                    LogField("listen", addresses),
                    LogField("domains", configuration.domains.joined(separator: " ")),
                    LogField("data", configuration.data),
                    LogField("bindings", core.counts.bindings),
                ]
            )
        )
        ServiceManager.notify("READY=1")
        if let interval = ServiceManager.watchdogInterval { feedWatchdog(every: interval) }
    }

    /// Tells the service manager from the loop itself that it turns: one that hangs is restarted.
    private func feedWatchdog(every interval: Int64) {
        let timer = DeadlineTimer(loop: loop) { [unowned self] in
            ServiceManager.notify("WATCHDOG=1", waits: false)
            self.watchdogTimer?.schedule(at: self.loop.now.monotonic + interval)
        }
        timer.schedule(at: loop.now.monotonic + interval)
        watchdogTimer = timer
    }

    /// SIGUSR1: what is kept and what was carried, in one line.
    private func sayCounts() {
        let counts = core.counts
        let carried = carrier.counters
        let refusals = core.refusals
        logger.notice(
            "counts",
            [
                LogField("flows.open", carrier.openFlows),
                LogField("flows.known", counts.flows),
                LogField("bindings", counts.bindings),
                LogField("transactions.server", counts.serverTransactions),
                LogField("transactions.client", counts.clientTransactions),
                LogField("waiting", counts.waiting),
                LogField("timers", counts.timers),
                LogField("flows.accepted", carried.accepted),
                LogField("messages.in", carried.messagesIn),
                LogField("messages.out", carried.messagesOut),
                LogField("pings", carried.pings),
                LogField("streams.refused", carried.refused),
                LogField("accept.turned-away", carried.turnedAway),
                LogField("abuse.connections", carried.overSourceLimit),
                LogField("abuse.flow-requests", refusals.flowRequests),
                LogField("abuse.flows", refusals.flows),
                LogField("abuse.account-requests", refusals.accountRequests),
                LogField("abuse.wrong-passwords", refusals.wrongPasswords),
                LogField("abuse.delayed", refusals.delayed),
            ]
        )
    }

    /// SIGTERM: accept no more, finish what is under way, go.
    ///
    /// A second signal does not wait.
    private func beginDraining() {
        guard drainDeadline == nil else {
            drainDeadline = loop.now.monotonic
            return
        }
        ServiceManager.notify("STOPPING=1")
        logger.notice("stopping", [LogField("transactions", core.unfinished), LogField("flows", carrier.openFlows)])
        carrier.stopAccepting()
        core.isDraining = true
        let deadline = loop.now.monotonic + current.shutdown.drain.milliseconds
        drainDeadline = deadline
        drainTimer = DeadlineTimer(loop: loop) {}
        drainTimer?.schedule(at: deadline)
    }

    private func continueDraining() {
        guard let deadline = drainDeadline else { return }
        if !isClosing {
            guard core.unfinished == 0 || loop.now.monotonic >= deadline else { return }
            isClosing = true
            carrier.closeAll(.shutdown)
            drainDeadline = loop.now.monotonic + Self.closingTime
            drainTimer?.schedule(at: drainDeadline)
            return
        }
        if carrier.openFlows == 0 || loop.now.monotonic >= deadline { loop.stop() }
    }

    /// How long flows may take to be written and closed at the end, in milliseconds.
    private static let closingTime: Int64 = 2_000
    private var isClosing = false

    /// SIGHUP: all of the new file, or nothing of it.
    private func reread() {
        ServiceManager.notifyReloading()
        defer { ServiceManager.notify("READY=1") }
        guard let new = reload() else {
            logger.error("the configuration was not reread; the old one stays in force")
            return
        }
        for key in new.keysThatNeedRestart(comparedTo: current) {
            logger.warning("a changed key needs a restart", [LogField("key", key)])
        }
        current = new
        core.apply(new.rules)
        carrier.settings = new.carriage
        loggers.apply(new.log)
        logger.notice("configuration reread")
    }
}

/// Why a server can't run: a sentence that names what was wrong and the mend, and the exit code.
struct ServerError: Error {
    let message: String
    let code: ExitCode

    init(_ message: String, code: ExitCode) {
        self.message = message
        self.code = code
    }
}

/// Runs a server until it is told to stop.
///
/// - Parameters:
///   - configuration: checked as a whole.
///   - reload: reads the configuration again on SIGHUP; nil where it is wrong, which it has reported.
///   - report: writes a line to whoever started the server.
/// - Returns: the exit code of the process.
public func runServer(
    _ configuration: Configuration,
    reload: @escaping () -> Configuration?,
    report: (String) -> Void
) -> ExitCode {
    signal(SIGPIPE, SIG_IGN)
    raiseFileLimit()
    do {
        let writer = try WriterThread()
        let sink = LogWriter(on: writer, format: configuration.log.format)
        defer { writer.close() }
        do throws(ServerError) {
            let server = try Server(configuration, reload: reload, writer: writer, sink: sink)
            try server.run()
            return .success
        } catch {
            report("wakeline: \(error.message)")
            return error.code
        }
    } catch {
        report("wakeline: \(error)")
        return .failure
    }
}

/// Takes as many open files as the system allows: one a phone.
private func raiseFileLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
        return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
