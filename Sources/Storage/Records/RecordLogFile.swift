/// One log: records in the order they came, a later one of a key replacing the earlier.
///
/// Appending rows is 5 to 10 times less work than updating a table, where each random row dirties a page of its own.
final class RecordLogFile {
    static let schema = Schema(
        content: "bindings",
        migrations: ["CREATE TABLE l (id INTEGER PRIMARY KEY, key BLOB NOT NULL, value BLOB)"]
    )

    /// The number in its name.
    let number: UInt64
    /// Number of committed rows.
    private(set) var rows: Int

    private let database: Database
    private let begin: Statement
    private let insert: Statement
    private let commit: Statement

    /// Opens a log, and makes it when it is missing.
    ///
    /// - Parameters:
    ///   - files: where logs are.
    ///   - number: which.
    ///   - maximumPages: a bound on its size in pages of 4 KB, or nil.
    /// - Throws: what SQLite says, or that a newer version wrote it.
    init(_ files: RecordFiles, number: UInt64, maximumPages: Int?) throws(StorageError) {
        self.number = number
        database = try Database(path: files.log(number), busyTimeout: 1_000)
        // One process has it: no shared memory, and no lock to take for each commit.
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.useWriteAheadLog()
        // FULL: a commit is on the disk before it is acknowledged. 200 pages: many small checkpoints, no long one.
        // A log is only appended to: a few pages are cache enough.
        try database.execute("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=200; PRAGMA cache_size=-256")
        try Self.schema.prepare(database)
        if let maximumPages { try database.execute("PRAGMA max_page_count=\(maximumPages)") }
        rows = Int(try database.number("SELECT max(id) FROM l"))
        begin = try database.prepare("BEGIN")
        insert = try database.prepare("INSERT INTO l (key, value) VALUES (?, ?)")
        commit = try database.prepare("COMMIT")
    }

    /// Writes records in one transaction, and returns when they are on the disk.
    ///
    /// - Parameter records: in order; a value of nil deletes the key.
    /// - Throws: what SQLite says. Nothing of the transaction is left then, as far as this connection can tell.
    func append(_ records: some Collection<Record>) throws(StorageError) {
        do {
            try begin.run()
            for record in records {
                try insert.bind(1, record.key)
                if let value = record.value { try insert.bind(2, value) } else { try insert.bindNull(2) }
                try insert.run()
            }
            try commit.run()
            rows += records.count
        } catch {
            database.rollBack()
            throw error
        }
    }

    /// Hands out all records, in order.
    func forEach(_ body: (Record) -> Void) throws(StorageError) {
        let statement = try database.prepare("SELECT key, value FROM l ORDER BY id")
        while try statement.step() {
            body(Record(key: statement.bytes(0), value: statement.isNull(1) ? nil : statement.bytes(1)))
        }
    }
}
