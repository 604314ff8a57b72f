import Glibc

/// A fresh directory that is gone when the test is.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/wakeline-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp/wakeline-test"
        }
    }

    deinit {
        for name in names { unlink(file(name)) }
        rmdir(path)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] {
        guard let handle = opendir(path) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// A descriptor to a new file.
    func create(_ name: String) -> Int32 { open(file(name), O_WRONLY | O_CREAT | O_APPEND, 0o600) }

    func text(_ name: String) -> String {
        let descriptor = open(file(name), O_RDONLY)
        defer { close(descriptor) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let got = read(descriptor, &buffer, buffer.count), got > 0 { all += buffer[..<got] }
        return String(decoding: all, as: UTF8.self)
    }
}
