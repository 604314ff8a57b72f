import Glibc

/// Finds the lines of one call in the journal, for people.
public struct JournalReader: Sendable {
    /// One step of a call.
    public struct Entry: Sendable, Equatable {
        /// When, in milliseconds since 1970-01-01 00:00 UTC.
        public var wall: Int64
        /// What the line says behind the Call-ID: `step=... key=value ...`.
        public var text: String
    }

    private let directory: String

    /// Reads the journal of a data directory; a server may be writing it.
    public init(directory: String) {
        self.directory = directory
    }

    /// All lines of a call, in the order they were written.
    ///
    /// - Parameter callID: the whole Call-ID, as on the wire.
    /// - Returns: nothing when the journal does not know the call, or not any more.
    /// - Throws: when there is no journal, or it can't be read.
    public func entries(callID: String) throws(SystemError) -> [Entry] {
        var prefix: [UInt8] = []
        JournalLine.append(JournalLine.callIDKey, to: &prefix)
        Escaping.appendQuoted(bytes: Array(callID.utf8).span, to: &prefix)
        prefix.append(UInt8(ascii: " "))

        var found: [Entry] = []
        let path = JournalFile.path(in: directory)
        // The older file may not be there yet; rotation in between may show a line twice, or not at all, never wrongly.
        do throws(SystemError) {
            try Self.forEachLine(path + ".1") { Self.match($0, prefix, &found) }
        } catch {
            if error.code != ENOENT { throw error }
        }
        try Self.forEachLine(path) { Self.match($0, prefix, &found) }
        return found
    }

    /// What happened to a call, with the time since its first line: one line a step.
    public static func timeline(of entries: [Entry]) -> [String] {
        guard let first = entries.first else { return [] }
        return entries.map { entry in
            let elapsed = max(0, entry.wall - first.wall)
            let fraction = String(1_000 + elapsed % 1_000).dropFirst()
            let time = "+\(elapsed / 1_000).\(fraction) s"
            let padding = String(repeating: " ", count: max(0, 11 - time.utf8.count))
            return "\(padding)\(time)  \(entry.text)"
        }
    }

    private static func match(_ line: ArraySlice<UInt8>, _ prefix: [UInt8], _ found: inout [Entry]) {
        // The Call-ID stands at one place, so most lines are passed over after a few bytes.
        let timeStart = line.startIndex + JournalLine.atKey.utf8CodeUnitCount
        let idStart = timeStart + Timestamp.length
        guard line.endIndex > idStart, line[idStart...].starts(with: prefix) else { return }
        guard let wall = Timestamp.parse(line[timeStart..<idStart]) else { return }
        found.append(Entry(wall: wall, text: String(decoding: line[(idStart + prefix.count)...], as: UTF8.self)))
    }

    private static func forEachLine(_ path: String, _ body: (ArraySlice<UInt8>) -> Void) throws(SystemError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(call: "open", subject: path, code: errno) }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var rest: [UInt8] = []
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SystemError(call: "read", subject: path, code: errno) }
            guard count > 0 else { return }
            rest.append(contentsOf: buffer[..<count])
            var start = 0
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                body(rest[start..<end])
                start = end + 1
            }
            rest.removeFirst(start)
        }
    }
}
