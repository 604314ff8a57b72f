import Testing

@testable import Storage

@Suite("Database files")
struct SchemaTests {
    let scratch = Scratch()

    @Test("migrations run in order, once, and from where the file stands")
    func migrations() throws {
        let steps = ["CREATE TABLE a (x)", "INSERT INTO a VALUES (1)", "ALTER TABLE a ADD COLUMN y DEFAULT 7"]
        let path = scratch.file("a.db")
        for version in [1, 2, 2, 3, 3] {
            let database = try Database(path: path, busyTimeout: 100)
            try Schema(content: "things", migrations: Array(steps[..<version])).prepare(database)
            #expect(try database.number("PRAGMA user_version") == Int64(version))
        }
        let database = try Database(path: path, busyTimeout: 100)
        #expect(try database.number("SELECT sum(x + y) FROM a") == 8)
    }

    @Test("a migration that fails leaves the file as it was")
    func failedMigration() throws {
        let database = try Database(path: scratch.file("a.db"), busyTimeout: 100)
        let schema = Schema(content: "things", migrations: ["CREATE TABLE a (x)", "NONSENSE"])
        #expect(kindThrown { try schema.prepare(database) } == .unexpected)
        #expect(try database.number("PRAGMA user_version") == 0)
        #expect(try database.number("SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test("files of a newer version are refused and left alone")
    func newer() throws {
        for name in ["accounts.db", "bindings.snapshot.db", "bindings.3.db"] {
            let scratch = Scratch()
            do {
                let database = try Database(path: scratch.file(name), busyTimeout: 100)
                try database.execute("PRAGMA user_version=99")
            }
            let error = #expect(throws: StorageError.self) {
                if name == "accounts.db" {
                    _ = try AccountDatabase(try scratch.directory())
                } else {
                    _ = try RecordLog(try scratch.directory()) { _, _ in }
                }
            }
            #expect(error?.kind == .newerFormat)
            #expect(error?.file == scratch.file(name))
            #expect(error?.detail.contains("99") == true)
        }
    }

    @Test("a damaged file is an error that names it")
    func corrupt() throws {
        for name in ["accounts.db", "bindings.snapshot.db", "bindings.1.db"] {
            let scratch = Scratch()
            writeFile(scratch.file(name), [UInt8](repeating: 0x41, count: 8_192))
            let error = #expect(throws: StorageError.self) {
                if name == "accounts.db" {
                    _ = try AccountDatabase(try scratch.directory())
                } else {
                    _ = try RecordLog(try scratch.directory()) { _, _ in }
                }
            }
            #expect(error?.kind == .corrupt)
            #expect(error?.file == scratch.file(name))
        }
    }

    @Test("a data directory that is a file, or under one, is refused")
    func noDirectory() throws {
        writeFile(scratch.file("plain"), [1])
        for path in ["plain", "plain/below"] {
            let error = #expect(throws: StorageError.self) { _ = try DataDirectory(path: scratch.file(path)) }
            #expect(error?.kind == .cannotOpen)
            #expect(error?.file == scratch.file(path))
        }
        #expect(kindThrown { _ = try DataDirectory(path: "") } == .cannotOpen)
        // What can't be made under a directory that is there.
        #expect(kindThrown { _ = try DataDirectory(path: "/proc/nothing/here") } == .cannotOpen)
    }

    @Test("another process's lock is waited for, and then named")
    func locked() throws {
        let first = try Database(path: scratch.file("a.db"), busyTimeout: 10)
        let second = try Database(path: scratch.file("a.db"), busyTimeout: 10)
        try first.execute("BEGIN EXCLUSIVE")
        #expect(kindThrown { try second.execute("CREATE TABLE a (x)") } == .locked)
    }
}
