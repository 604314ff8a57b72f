import Glibc

/// The names of the files that records live in: `bindings.snapshot.db` and the logs `bindings.N.db` after it.
struct RecordFiles: Sendable {
    let directory: DataDirectory

    /// What SQLite keeps beside a database.
    private static let companions = ["", "-wal", "-shm", "-journal"]

    /// The path of the snapshot.
    var snapshot: String { directory.file("bindings.snapshot.db") }

    /// The path of a log.
    func log(_ number: UInt64) -> String { directory.file("bindings.\(number).db") }

    /// The numbers of all logs that have a file, or a companion left of one, in order.
    func logNumbers() throws(StorageError) -> [UInt64] {
        guard let handle = opendir(directory.path) else {
            throw .system("can't list the directory", directory.path, errno)
        }
        defer { closedir(handle) }
        var numbers: Set<UInt64> = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
                String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let number = Self.number(of: name) { numbers.insert(number) }
        }
        return numbers.sorted()
    }

    /// Whether the log itself has a file.
    func hasLog(_ number: UInt64) -> Bool { access(log(number), F_OK) == 0 }

    /// Deletes a log and all that SQLite left beside it.
    func remove(_ number: UInt64) throws(StorageError) {
        for companion in Self.companions {
            let path = log(number) + companion
            if unlink(path) != 0, errno != ENOENT { throw .system("can't delete the file", path, errno) }
        }
    }

    private static func number(of name: String) -> UInt64? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "bindings" else { return nil }
        guard companions.contains(where: { parts[2] == "db" + $0 }) else { return nil }
        return UInt64(parts[1])
    }
}
