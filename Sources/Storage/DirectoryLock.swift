import Glibc

/// Keeps a second server out of a data directory for as long as it lives.
///
/// The kernel gives the lock back when the process dies, however it dies.
final class DirectoryLock {
    private let descriptor: Int32

    /// Takes the lock `name` in a directory, or says who has it.
    init(_ directory: DataDirectory, name: String) throws(StorageError) {
        let path = directory.file(name)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("can't open or make the lock file", path, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            // All of the lock is there by now, so its `deinit` closes the descriptor; a second close could hit another's.
            guard code == EWOULDBLOCK else { throw .system("flock", path, code) }
            throw StorageError(.locked, file: directory.path, detail: "another server uses this data directory")
        }
    }

    deinit { close(descriptor) }
}
