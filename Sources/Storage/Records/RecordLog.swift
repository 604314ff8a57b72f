/// A durable map from keys to values: logs that are appended to, and a snapshot that closed logs are merged into.
///
/// What `append` has returned from survives a kill at any byte and a loss of power. Used by one thread; merging is done
/// by another (`SnapshotMerger`), which only touches closed logs and the snapshot.
final class RecordLog {
    /// Where the files are.
    let files: RecordFiles
    /// Logs that wait to be merged, oldest first.
    private(set) var closedLogs: [UInt64] = []

    private let settings: Settings
    private let lock: DirectoryLock
    private var current: RecordLogFile
    /// Whether the file may hold less than it says, after an error that was not a full disk.
    var isSuspect = false

    /// How records are kept.
    struct Settings: Sendable {
        /// A log is closed and merged once it has this many rows.
        var rowsPerLog = 200_000
        /// A bound on the size of one log in pages of 4 KB; nil for none.
        var maximumPages: Int?
    }

    /// Opens the records of a data directory and hands out each live one, once.
    ///
    /// - Parameters:
    ///   - directory: no other server may use it at the same time.
    ///   - settings: how records are kept.
    ///   - restore: takes a key and its value; in no useful order.
    /// - Throws: what is wrong with which file; nothing was changed then.
    init(
        _ directory: DataDirectory,
        settings: Settings = Settings(),
        restoring restore: ([UInt8], [UInt8]) -> Void
    ) throws(StorageError) {
        self.settings = settings
        let files = RecordFiles(directory: directory)
        self.files = files
        lock = try DirectoryLock(directory, name: "bindings.lock")
        let snapshot = try Snapshot(files)
        let merged = try snapshot.mergedNumber()
        let found = try files.logNumbers()
        // Merged, and the process ended before they were deleted.
        for number in found where number <= merged { try files.remove(number) }
        let logs = found.filter { $0 > merged && files.hasLog($0) }

        var latest: [RecordKey: [UInt8]?] = [:]
        var last: RecordLogFile?
        for number in logs {
            let log = try RecordLogFile(files, number: number, maximumPages: settings.maximumPages)
            try log.forEach { latest[RecordKey(bytes: $0.key)] = .some($0.value) }
            last = log
        }
        try snapshot.forEach { key, value in
            if latest[RecordKey(bytes: key)] == nil { restore(key, value) }
        }
        for case let (key, .some(value)) in latest { restore(key.bytes, value) }

        let next = max(merged, found.last ?? 0) + 1
        let open: RecordLogFile
        if let last {
            open = last
        } else {
            open = try RecordLogFile(files, number: next, maximumPages: settings.maximumPages)
        }
        current = open
        closedLogs = logs.filter { $0 < open.number }
        try directory.synchronize()
    }

    /// The number of the log that is written to.
    var currentNumber: UInt64 { current.number }

    /// Whether it is time to `rotate`.
    var isFull: Bool { current.rows >= settings.rowsPerLog }

    /// Writes records in one transaction; they are durable when this returns.
    ///
    /// - Parameter records: in order.
    /// - Throws: what went wrong. Whether the records survive is not certain then: a later record of the same key decides.
    ///   Nothing more can be appended before `recover`.
    func append(_ records: some Collection<Record>) throws(StorageError) {
        do {
            try current.append(records)
        } catch {
            // A full disk leaves the file as it was. After any other failure the kernel may have dropped what it could
            // not write and say nothing the next time.
            if error.kind != .diskFull { isSuspect = true }
            throw error
        }
    }

    /// Closes the log and begins the next; the closed one is added to `closedLogs`.
    func rotate() throws(StorageError) {
        let closed = current.number
        let isEmpty = current.rows == 0
        let next = try RecordLogFile(files, number: closed + 1, maximumPages: settings.maximumPages)
        try files.directory.synchronize()
        current = next
        isSuspect = false
        if isEmpty {
            // A log without rows is no loss; left behind, it is found at the next start.
            try? files.remove(closed)
        } else {
            closedLogs.append(closed)
        }
    }

    /// Makes appending possible again after an error: a file that can't be trusted any more is left for the next.
    func recover() throws(StorageError) {
        if isSuspect { try rotate() }
    }

    /// Gives the closed logs away, to be merged.
    func takeClosedLogs() -> [UInt64] {
        defer { closedLogs = [] }
        return closedLogs
    }

    /// Merges one closed log into the snapshot and deletes it.
    static func merge(_ files: RecordFiles, log number: UInt64, stop: StopFlag) throws(StorageError) {
        try Snapshot(files).merge(files, log: number, stop: stop)
        try files.remove(number)
    }
}
