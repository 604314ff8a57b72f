import Glibc
import Locking
import Observability

/// Merges closed logs into the snapshot on a thread of its own, of low priority, oldest first.
///
/// A merge that fails is tried again later; until it succeeds the logs stay, and nothing is lost but room.
final class SnapshotMerger: Sendable {
    /// Pause after a merge that failed, in milliseconds.
    static let pause: Int32 = 30_000

    private let shared: Shared
    private let thread: NamedThread

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - files: where the logs are.
    ///   - logger: hears of merges and failures.
    /// - Throws: when the system gives no thread.
    init(_ files: RecordFiles, logger: Logger) throws(StorageError) {
        do throws(SystemError) {
            let shared = Shared(doorbell: try Doorbell())
            self.shared = shared
            thread = try NamedThread("wl-merge") { shared.run(files, logger) }
        } catch {
            throw .system(error.call, files.directory.path, error.code)
        }
    }

    /// Adds logs that nobody writes to any more.
    func add(_ logs: [UInt64]) {
        guard !logs.isEmpty else { return }
        shared.waiting.withLock { $0.append(contentsOf: logs) }
        shared.doorbell.ring()
    }

    /// Number of logs that are not merged yet.
    var backlog: Int { shared.waiting.withLock { $0.count } }

    /// Breaks a merge off, which undoes it, and waits for the thread to end.
    func close() {
        shared.stop.raise()
        shared.doorbell.ring()
        thread.join()
    }

    private final class Shared: Sendable {
        let doorbell: Doorbell
        let stop = StopFlag()
        let waiting = Mutex<[UInt64]>([])

        init(doorbell: Doorbell) { self.doorbell = doorbell }

        func run(_ files: RecordFiles, _ logger: Logger) {
            // For Linux 0 is the calling thread; a refusal only means that merges compete as equals.
            setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
            while !stop.isRaised {
                guard let number = waiting.withLock({ $0.first }) else {
                    doorbell.wait()
                    continue
                }
                do throws(StorageError) {
                    try RecordLog.merge(files, log: number, stop: stop)
                    waiting.withLock { $0.removeAll { $0 == number } }
                    logger.debug("merged a log into the snapshot", [LogField("log.number", number)])
                } catch {
                    if stop.isRaised { break }
                    logger.error(
                        "can't merge a log into the snapshot; it is kept and tried again",
                        [LogField("log.number", number), LogField("error", error)]
                    )
                    doorbell.wait(milliseconds: SnapshotMerger.pause)
                }
            }
        }
    }
}
