/// The versions of a database's layout: the way from each to the next.
///
/// The number of the version is kept in the file (`PRAGMA user_version`), and 0 is an empty file.
struct Schema: Sendable {
    /// What the file holds, for errors: `accounts`.
    let content: String
    /// Statements that lead from each version to the next.
    ///
    /// The first makes version 1 of an empty file. What was released never changes.
    let migrations: [String]

    /// The version this program writes.
    var version: Int64 { Int64(migrations.count) }

    /// Brings a file to this program's version, in one transaction; refuses a newer one.
    func prepare(_ database: Database) throws(StorageError) {
        guard try found(in: database) < version else { return }
        try database.transaction { () throws(StorageError) in
            // Another process may have come first.
            let start = try found(in: database)
            for (index, migration) in migrations.enumerated() where Int64(index) >= start {
                try database.execute(migration)
            }
            try database.execute("PRAGMA user_version=\(version)")
        }
    }

    private func found(in database: Database) throws(StorageError) -> Int64 {
        let found = try database.number("PRAGMA user_version")
        guard 0...version ~= found else {
            throw StorageError(
                .newerFormat,
                file: database.path,
                detail: "the \(content) have format \(found), and this version of wakeline knows up to \(version)"
            )
        }
        return found
    }
}
