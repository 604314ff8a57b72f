import Glibc
import Locking
import Observability
import Testing

@testable import Storage

/// A fresh directory that is gone when the test is.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/wakeline-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp/wakeline-test"
        }
    }

    deinit { removeTree(path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func directory() throws -> DataDirectory { try DataDirectory(path: path) }

    var names: [String] { directoryNames(path).sorted() }

    /// Copies all files as they are, as a loss of power would leave them.
    func copy(to other: Scratch) {
        for name in names { writeFile(other.file(name), readFile(file(name))) }
    }
}

func directoryNames(_ path: String) -> [String] {
    guard let handle = opendir(path) else { return [] }
    defer { closedir(handle) }
    var names: [String] = []
    while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}

func removeTree(_ path: String) {
    for name in directoryNames(path) where unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
    rmdir(path)
}

func readFile(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let got = read(descriptor, &buffer, buffer.count), got > 0 { all += buffer[..<got] }
    return all
}

func writeFile(_ path: String, _ bytes: [UInt8]) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent) }
        guard count > 0 else { return }
        sent += count
    }
}

/// Keeps log lines for a test to look at.
final class RecordingSink: LogSink {
    private let kept = Mutex<[LogLine]>([])

    func take(_ line: LogLine) { kept.withLock { $0.append(line) } }

    var lines: [LogLine] { kept.withLock { $0 } }

    func count(_ level: LogLevel) -> Int { lines.count { $0.level == level } }
}

/// Waits until something is true, for ten seconds at most.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5_000 {
        if condition() { return true }
        usleep(2_000)
    }
    return condition()
}

/// The kind of storage error that a body throws.
func kindThrown(_ body: () throws -> Void) -> StorageError.Kind? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StorageError)?.kind
    }
}
