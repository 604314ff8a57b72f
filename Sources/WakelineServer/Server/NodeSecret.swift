import CPlatform
import Glibc
import Storage

/// The secret of a node: what nonces, flow tokens and temporary GRUUs are signed with, the same over restarts.
enum NodeSecret {
    private static let fileName = "secret"
    private static let length = 32

    /// Reads the secret of a data directory, or makes it: 32 random bytes that only the owner can read.
    static func load(_ directory: DataDirectory) throws(StorageError) -> [UInt8] {
        let path = directory.file(fileName)
        if let known = read(path) {
            guard known.count == length else {
                throw StorageError(
                    .corrupt,
                    file: path,
                    detail: "the secret has \(known.count) bytes and not \(length)"
                )
            }
            return known
        }
        var secret = [UInt8](repeating: 0, count: length)
        guard wl_random(&secret, length) == 0 else { throw system("the kernel gives no random bytes", path) }
        // Under another name first: a secret that is half written would be a weak one.
        let draft = path + ".new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw system("can't make the file", draft) }
        defer { close(descriptor) }
        guard write(descriptor, secret, length) == length, fsync(descriptor) == 0, rename(draft, path) == 0 else {
            throw system("can't write the file", draft)
        }
        return secret
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: length + 1)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : Array(bytes.prefix(count))
    }

    private static func system(_ what: String, _ path: String) -> StorageError {
        StorageError(.cannotOpen, file: path, detail: "\(what): \(String(cString: strerror(errno)))")
    }
}
