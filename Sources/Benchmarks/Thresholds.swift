import Glibc

/// The most allocations a benchmark may make in one go: lines of `number<TAB>name`.
enum Thresholds {
    static func read(_ path: String) -> [String: Double]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bounds: [String: Double] = [:]
        var buffer = [CChar](repeating: 0, count: 512)
        while fgets(&buffer, Int32(buffer.count), file) != nil {
            let line = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let parts = line.split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, let bound = Double(parts[0]) else { continue }
            bounds[String(parts[1].split(separator: "\n")[0])] = bound
        }
        return bounds
    }
}
