import CSQLite

/// One compiled statement; keeps its connection alive.
final class Statement {
    private let handle: OpaquePointer
    private let database: Database
    private let sql: String

    /// Takes over a compiled statement.
    init(_ handle: OpaquePointer, of database: Database, sql: String) {
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    // The code of `finalize` repeats the error of the last step, which was thrown then.
    deinit { sqlite3_finalize(handle) }

    /// Runs to the next row; false at the end.
    func step() throws(StorageError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let error = database.error(code, during: sql)
            sqlite3_reset(handle)
            throw error
        }
    }

    /// Runs a statement without rows, and makes it ready to run again.
    func run() throws(StorageError) {
        _ = try step()
        reset()
    }

    /// Makes it ready to run again; bound values stay.
    func reset() {
        // Repeats the error of the last step, which was thrown then.
        sqlite3_reset(handle)
    }

    /// Binds bytes, copied.
    func bind(_ index: Int32, _ bytes: [UInt8]) throws(StorageError) {
        // An empty array has no address, and SQLite takes no address for NULL.
        let code = bytes.withUnsafeBytes { raw in
            raw.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob(handle, index, raw.baseAddress, Int32(clamping: raw.count), transient)
        }
        try check(code)
    }

    /// Binds text given as UTF-8, copied.
    func bind(_ index: Int32, text bytes: [UInt8]) throws(StorageError) {
        let code = bytes.withUnsafeBytes { raw in
            let start = raw.baseAddress?.assumingMemoryBound(to: CChar.self)
            return start == nil
                ? sqlite3_bind_text(handle, index, "", 0, transient)
                : sqlite3_bind_text(handle, index, start, Int32(clamping: raw.count), transient)
        }
        try check(code)
    }

    /// Binds text, or NULL.
    func bind(_ index: Int32, text: String?) throws(StorageError) {
        if let text { try bind(index, text: Array(text.utf8)) } else { try bindNull(index) }
    }

    /// Binds a number.
    func bind(_ index: Int32, _ number: Int64) throws(StorageError) {
        try check(sqlite3_bind_int64(handle, index, number))
    }

    /// Binds NULL.
    func bindNull(_ index: Int32) throws(StorageError) {
        try check(sqlite3_bind_null(handle, index))
    }

    /// A column as a number.
    func number(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// A column as bytes, copied; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    /// A column as text; empty for NULL.
    func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

    private func check(_ code: Int32) throws(StorageError) {
        guard code == SQLITE_OK else { throw database.error(code, during: sql) }
    }
}

/// Tells SQLite to copy what is bound; the C macro casts -1.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
