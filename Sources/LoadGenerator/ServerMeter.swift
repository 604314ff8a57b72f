import Glibc

/// Reads what a server and its child processes use, from `/proc`.
public struct ServerMeter: Sendable {
    private let process: Int32

    /// Looks at a process, and all that descend from it.
    public init(process: Int32) { self.process = process }

    /// CPU time used so far in microseconds; nil where it can't be read.
    public func cpu() -> Int64? {
        var sum: Int64?
        for process in processes() {
            for task in entries("/proc/\(process)/task") {
                guard let text = read("/proc/\(process)/task/\(task)/schedstat"),
                    let nanoseconds = Int64(text.prefix { $0 != " " })
                else { continue }
                sum = (sum ?? 0) + nanoseconds / 1000
            }
        }
        return sum
    }

    /// Memory in bytes, each page counted by its share (PSS); nil where it can't be read.
    public func memory() -> Int64? {
        var sum: Int64?
        for process in processes() {
            guard let text = read("/proc/\(process)/smaps_rollup"),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Pss:") }),
                let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int64($0) })
            else { continue }
            sum = (sum ?? 0) + kilobytes * 1024
        }
        return sum
    }

    private func processes() -> [Int32] {
        var found: [Int32] = []
        var open = [process]
        while let next = open.popLast() {
            found.append(next)
            for task in entries("/proc/\(next)/task") {
                let text = read("/proc/\(next)/task/\(task)/children") ?? ""
                open += text.split(separator: " ").compactMap { Int32($0) }
            }
        }
        return found
    }

    private func entries(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        guard count > 0 else { return nil }
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return text.last == "\n" ? String(text.dropLast()) : text
    }
}

/// Clocks of this process, in microseconds.
enum Clock {
    /// The monotonic clock.
    static func microseconds() -> Int64 { read(CLOCK_MONOTONIC) }

    /// CPU time of the process.
    static func cpu() -> Int64 { read(CLOCK_PROCESS_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }
}
