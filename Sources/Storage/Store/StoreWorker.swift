import Glibc
import Locking
import Observability

/// The store's thread: takes requests, commits appends in groups, looks accounts up.
///
/// Never idle by spinning: it sleeps until a request comes, or once a second to see whether the accounts changed.
final class StoreWorker {
    private var accounts: AccountDesk
    private let log: RecordLog
    private let merger: SnapshotMerger
    private let queue: StoreQueue
    private let settings: StoreSettings
    private let logger: Logger
    private let answer: @Sendable ([StoreAnswer]) -> Void

    private var tickets: [UInt64] = []
    private var records: [Record] = []
    private var lastCommit: Int64 = 0
    private var episode: WriteEpisode
    private var nextRotation: Int64 = .min

    /// What a worker works on, open already.
    struct Parts {
        let accounts: AccountDatabase
        let log: RecordLog
        let merger: SnapshotMerger
    }

    init(
        _ parts: Parts,
        queue: StoreQueue,
        settings: StoreSettings,
        logger: Logger,
        answer: @escaping @Sendable ([StoreAnswer]) -> Void
    ) {
        accounts = AccountDesk(parts.accounts, interval: settings.accountCheck, logger: logger)
        log = parts.log
        merger = parts.merger
        self.queue = queue
        self.settings = settings
        self.logger = logger
        self.answer = answer
        episode = WriteEpisode(first: settings.firstPause, longest: settings.longestPause)
    }

    /// Works until the queue is closed and empty.
    func run() {
        merger.add(log.takeClosedLogs())
        while let requests = queue.take() {
            var answers: [StoreAnswer] = []
            accounts.checkForChanges(at: monotonicMicroseconds() / 1_000, &answers)
            serve(requests, &answers)
            if !records.isEmpty {
                // A look-up should not wait for the disk.
                deliver(&answers)
                waitForFloor()
                serve(queue.take() ?? [], &answers)
                commit(&answers)
            }
            deliver(&answers)
            if requests.isEmpty { queue.wait(milliseconds: settings.accountCheck) }
        }
    }

    private func deliver(_ answers: inout [StoreAnswer]) {
        guard !answers.isEmpty else { return }
        answer(answers)
        answers.removeAll()
    }

    private func serve(_ requests: [StoreRequest], _ answers: inout [StoreAnswer]) {
        var lookUps: [(ticket: UInt64, account: [UInt8])] = []
        for request in requests {
            switch request {
            case .append(let ticket, let record):
                tickets.append(ticket)
                records.append(record)
            case .lookUp(let ticket, let account):
                lookUps.append((ticket, account))
            }
        }
        guard !lookUps.isEmpty else { return }
        accounts.lookUp(lookUps, &answers)
        queue.statistics.withLock { $0.lookUps += lookUps.count }
    }

    private func waitForFloor() {
        let left = settings.commitFloor - (monotonicMicroseconds() - lastCommit)
        guard left > 0 else { return }
        var pause = timespec(tv_sec: Int(left / 1_000_000), tv_nsec: Int(left % 1_000_000) * 1_000)
        nanosleep(&pause, nil)
    }

    private func commit(_ answers: inout [StoreAnswer]) {
        lastCommit = monotonicMicroseconds()
        defer {
            tickets.removeAll(keepingCapacity: true)
            records.removeAll(keepingCapacity: true)
        }
        do throws(StorageError) {
            try episode.allowsTry(at: lastCommit / 1_000)
            if episode.isOpen { try log.recover() }
            try log.append(records)
        } catch {
            fail(error, &answers)
            return
        }
        if let last = tickets.last { answers.append(.committed(through: last)) }
        queue.statistics.withLock {
            $0.commits += 1
            $0.appends += records.count
        }
        if episode.close() {
            logger.notice("bindings are durable again", [LogField("file", log.files.directory.path)])
        }
        if log.isFull, lastCommit >= nextRotation { rotate(&answers) }
    }

    private func fail(_ error: StorageError, _ answers: inout [StoreAnswer]) {
        answers.append(.failed(tickets, error))
        queue.statistics.withLock { $0.failedAppends += tickets.count }
        if episode.record(error, at: monotonicMicroseconds() / 1_000) {
            logger.error(
                "can't make bindings durable; registrations are refused until this is mended",
                [LogField("error", error)]
            )
        }
        merger.add(log.takeClosedLogs())
    }

    private func rotate(_ answers: inout [StoreAnswer]) {
        // What is committed is answered before the work of opening the next file.
        deliver(&answers)
        do throws(StorageError) {
            try log.rotate()
            merger.add(log.takeClosedLogs())
        } catch {
            // The full log takes more until a later commit tries again.
            nextRotation = lastCommit + settings.longestPause * 1_000
            logger.warning("can't begin a new log; the old one grows", [LogField("error", error)])
        }
    }
}

/// The monotonic clock in microseconds.
func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
}
