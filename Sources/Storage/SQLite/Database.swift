import CSQLite

/// One connection to one SQLite file, used by one thread at a time.
final class Database {
    /// Where the file is.
    let path: String
    private let handle: OpaquePointer

    /// Opens a file, and makes it, readable by its owner alone, when it is missing.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - busyTimeout: how long a statement waits for another process's lock, in milliseconds.
    /// - Throws: what SQLite or the system said.
    init(path: String, busyTimeout: Int32) throws(StorageError) {
        try DataDirectory.makePrivateFile(path)
        self.path = path
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let detail = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(opened)
            throw StorageError(StorageError.kind(ofSQLite: code), file: path, detail: "can't open: \(detail)")
        }
        handle = opened
        // Only a wrong handle makes this fail.
        sqlite3_busy_timeout(handle, busyTimeout)
    }

    // `close_v2` waits for statements that still live, so the order of deinitialisation does not matter.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements that return nothing of interest.
    func execute(_ sql: String) throws(StorageError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, during: sql) }
    }

    /// Compiles one statement, to be run often.
    func prepare(_ sql: String) throws(StorageError) -> Statement {
        var compiled: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        guard code == SQLITE_OK, let compiled else { throw error(code, during: sql) }
        return Statement(compiled, of: self, sql: sql)
    }

    /// The first column of the first row, as a number; 0 without a row.
    func number(_ sql: String) throws(StorageError) -> Int64 {
        let statement = try prepare(sql)
        return try statement.step() ? statement.number(0) : 0
    }

    /// Turns to write-ahead logging, where readers never wait for the writer.
    func useWriteAheadLog() throws(StorageError) {
        let statement = try prepare("PRAGMA journal_mode=WAL")
        guard try statement.step(), statement.text(0) == "wal" else {
            throw StorageError(.cannotOpen, file: path, detail: "the file system can't hold a write-ahead log")
        }
    }

    /// Runs `body` as one transaction: all of it or nothing.
    func transaction<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends a failed transaction; returns whether the connection is out of it.
    @discardableResult
    func rollBack() -> Bool {
        // Some errors have rolled back already, and then this one complains: the state is what counts.
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        return sqlite3_get_autocommit(handle) != 0
    }

    /// Number of rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }

    /// Asks `flag` now and then during long statements, and breaks them off once it is raised.
    ///
    /// The caller keeps the flag alive for as long as this connection.
    func interrupt(when flag: StopFlag) {
        let context = Unmanaged.passUnretained(flag).toOpaque()
        sqlite3_progress_handler(
            handle,
            5_000,
            { raw in
                guard let raw else { return 0 }
                return Unmanaged<StopFlag>.fromOpaque(raw).takeUnretainedValue().isRaised ? 1 : 0
            },
            context
        )
    }

    /// The error that a result code stands for, with SQLite's words.
    func error(_ code: Int32, during what: String) -> StorageError {
        let text = String(cString: sqlite3_errmsg(handle))
        return StorageError(
            StorageError.kind(ofSQLite: code),
            file: path,
            detail: "\(text) (SQLite code \(code), during: \(what.prefix(40)))"
        )
    }
}
