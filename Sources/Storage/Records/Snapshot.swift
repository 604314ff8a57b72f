/// All records as they were at the end of one log, each key once: `bindings.snapshot.db`.
final class Snapshot {
    static let schema = Schema(
        content: "bindings",
        migrations: [
            """
            CREATE TABLE s (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
            CREATE TABLE merged (id INTEGER PRIMARY KEY CHECK (id = 1), number INTEGER NOT NULL);
            INSERT INTO merged VALUES (1, 0);
            """
        ]
    )

    private let database: Database

    /// Opens the snapshot, and makes an empty one when it is missing.
    init(_ files: RecordFiles) throws(StorageError) {
        database = try Database(path: files.snapshot, busyTimeout: 5_000)
        try database.useWriteAheadLog()
        // A merge sorts keys; a few MB of memory rather than a temporary file somewhere.
        try database.execute("PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY")
        try Self.schema.prepare(database)
    }

    /// The number of the last log whose records are all in here; 0 for none.
    func mergedNumber() throws(StorageError) -> UInt64 {
        UInt64(clamping: try database.number("SELECT number FROM merged"))
    }

    /// Hands out all keys and values, in key order.
    func forEach(_ body: ([UInt8], [UInt8]) -> Void) throws(StorageError) {
        let statement = try database.prepare("SELECT key, value FROM s")
        while try statement.step() { body(statement.bytes(0), statement.bytes(1)) }
    }

    /// Takes over the last record of each key of a closed log.
    ///
    /// One transaction changes the keys and records the number, so that at any moment a log is in here whole or not at
    /// all. A log that is in here already changes nothing: its deletions would otherwise undo later records.
    ///
    /// - Parameters:
    ///   - files: where logs are.
    ///   - number: which log; nobody else may have it open.
    ///   - stop: breaks the merge off when raised, which is an error, and leaves all as it was.
    /// - Throws: what SQLite says of either file.
    func merge(_ files: RecordFiles, log number: UInt64, stop: StopFlag) throws(StorageError) {
        guard number > (try mergedNumber()) else { return }
        let attach = try database.prepare("ATTACH ? AS log")
        try attach.bind(1, text: files.log(number))
        try attach.run()
        database.interrupt(when: stop)
        defer { try? database.execute("DETACH log") }
        let version = try database.number("PRAGMA log.user_version")
        guard version <= RecordLogFile.schema.version else {
            throw StorageError(
                .newerFormat,
                file: files.log(number),
                detail: "the log has format \(version), and this version of wakeline does not know it"
            )
        }
        try database.transaction { () throws(StorageError) in
            // Version 0 is a log whose making was cut off: there is nothing in it. Grouping leaves the keys sorted, and
            // CROSS JOIN keeps SQLite from any other order: the snapshot is written from its beginning to its end.
            if version > 0 {
                try database.execute(
                    """
                    CREATE TEMP TABLE latest AS SELECT key, max(id) AS id FROM log.l GROUP BY key;
                    INSERT INTO s SELECT l.key, l.value FROM temp.latest CROSS JOIN log.l ON l.id = latest.id
                        WHERE l.value IS NOT NULL
                        ON CONFLICT (key) DO UPDATE SET value = excluded.value;
                    DELETE FROM s WHERE key IN
                        (SELECT l.key FROM temp.latest CROSS JOIN log.l ON l.id = latest.id WHERE l.value IS NULL);
                    DROP TABLE temp.latest;
                    """
                )
            }
            try database.execute("UPDATE merged SET number = \(number)")
        }
        // What was merged is durable; the log of the snapshot itself need not stay that long.
        try database.execute("PRAGMA main.wal_checkpoint(TRUNCATE)")
    }
}
