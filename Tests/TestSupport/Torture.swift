import Glibc

/// The torture messages of RFC 4475 and RFC 5118, read from beside the tests.
public enum Torture {
    /// Whose messages.
    public enum Source: String, CaseIterable, Sendable {
        case rfc4475, rfc5118
    }

    /// A message cannot be read.
    public struct Unreadable: Error, CustomStringConvertible {
        /// Where it should be.
        public let description: String
    }

    /// The bytes of a message, as they would stand on the wire.
    public static func message(_ name: String, of source: Source) throws -> [UInt8] {
        let path = "\(folder(source))/\(name).dat"
        guard let file = fopen(path, "rb") else { throw Unreadable(description: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The names of all messages of a source, sorted.
    public static func names(of source: Source) throws -> [String] {
        guard let directory = opendir(folder(source)) else { throw Unreadable(description: folder(source)) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasSuffix(".dat") { names.append(String(name.dropLast(4))) }
        }
        return names.sorted()
    }

    /// All messages there are.
    public static func all() throws -> [[UInt8]] {
        try Source.allCases.flatMap { source in try names(of: source).map { try message($0, of: source) } }
    }

    private static func folder(_ source: Source) -> String {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        return "/\(tests)/SIPTests/Fixtures/\(source)"
    }
}
