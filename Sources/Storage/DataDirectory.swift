import Glibc

/// The one directory that holds all a server must not forget.
///
/// It holds password hashes, so what is made here can be read by its owner alone.
public struct DataDirectory: Sendable, Hashable {
    /// The path, as the operator wrote it.
    public let path: String

    /// Takes the directory at `path`, and makes it, with all above it, when it is missing.
    public init(path: String) throws(StorageError) {
        self.path = path
        guard !path.isEmpty else {
            throw StorageError(.cannotOpen, file: "data directory", detail: "the path is empty")
        }
        var end = path.startIndex
        while end < path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            if mkdir(part, 0o700) != 0, errno != EEXIST, errno != EISDIR {
                let code = errno
                var information = stat()
                if stat(part, &information) == 0 { continue }
                throw .system("can't make the data directory", path, code)
            }
        }
        var information = stat()
        guard stat(path, &information) == 0 else { throw .system("stat", path, errno) }
        guard information.st_mode & S_IFMT == S_IFDIR else {
            throw StorageError(.cannotOpen, file: path, detail: "the data directory is not a directory")
        }
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String {
        path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    }

    /// Makes a file that only its owner can read, when it is missing.
    static func makePrivateFile(_ path: String) throws(StorageError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("can't open or make the file", path, errno) }
        close(descriptor)
    }

    /// Makes names added to or removed from the directory durable.
    func synchronize() throws(StorageError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system("open", path, errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .system("fsync", path, errno) }
    }
}
