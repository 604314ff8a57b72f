import Locking
public import Observability

/// Carries a worker to its thread.
///
/// Safe although the worker is not `Sendable`: `Store.init` makes it and all it holds, keeps no reference to any of it
/// (the queue and the merger are `Sendable`), and touches nothing after the thread has started.
private struct Handover: @unchecked Sendable {
    let worker: StoreWorker
}

/// The durable store of one node: accounts and bindings, on a thread of its own.
///
/// Requests are posted from any thread and never block it. Answers come in batches, on the store's thread, in the order
/// of the requests of one kind; the receiver posts them to its own loop.
public final class Store: Sendable {
    private let queue: StoreQueue
    private let thread: NamedThread
    private let merger: SnapshotMerger

    /// Opens the files of a data directory, hands out what is remembered, and starts the thread.
    ///
    /// - Parameters:
    ///   - directory: where the files are; no other store may have it open.
    ///   - settings: how things are kept.
    ///   - logger: of subsystem `storage`.
    ///   - restore: takes each remembered key and value once, in no useful order, before this returns.
    ///   - answer: takes answers, on the store's thread. The first is `accountsChanged`.
    /// - Throws: what is wrong with which file, and the mend.
    public init(
        _ directory: DataDirectory,
        settings: StoreSettings = StoreSettings(),
        logger: Logger,
        restoring restore: (_ key: [UInt8], _ value: [UInt8]) -> Void,
        answer: @escaping @Sendable ([StoreAnswer]) -> Void
    ) throws(StorageError) {
        let accounts = try AccountDatabase(directory)
        let log = try RecordLog(
            directory,
            settings: RecordLog.Settings(rowsPerLog: settings.rowsPerLog, maximumPages: settings.maximumPages),
            restoring: restore
        )
        let merger = try SnapshotMerger(log.files, logger: logger)
        do throws(SystemError) {
            let queue = StoreQueue(doorbell: try Doorbell())
            let worker = StoreWorker(
                StoreWorker.Parts(accounts: accounts, log: log, merger: merger),
                queue: queue,
                settings: settings,
                logger: logger,
                answer: answer
            )
            self.queue = queue
            self.merger = merger
            let handover = Handover(worker: worker)
            thread = try NamedThread("wl-store") { handover.worker.run() }
        } catch {
            merger.close()
            throw .system(error.call, directory.path, error.code)
        }
    }

    /// Remembers a value under a key, or forgets the key; the answer says when that is durable.
    ///
    /// - Parameters:
    ///   - ticket: comes back in the answer; tickets of appends rise.
    ///   - key: anything.
    ///   - value: anything, or nil to forget.
    public func append(ticket: UInt64, key: [UInt8], value: [UInt8]?) {
        queue.post(.append(ticket: ticket, Record(key: key, value: value)))
    }

    /// Asks for the credentials of an account.
    ///
    /// - Parameters:
    ///   - ticket: comes back in the answer.
    ///   - account: the bytes of `user@domain`.
    public func lookUp(ticket: UInt64, account: [UInt8]) {
        queue.post(.lookUp(ticket: ticket, account: account))
    }

    /// What it has done so far.
    public var statistics: StoreStatistics {
        var statistics = queue.statistics.withLock { $0 }
        statistics.logsToMerge = merger.backlog
        return statistics
    }

    /// Commits what was posted, answers it, and ends the thread; what is posted later is not answered.
    public func close() {
        queue.close()
        thread.join()
        merger.close()
    }
}
