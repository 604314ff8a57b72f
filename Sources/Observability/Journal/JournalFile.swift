import Glibc
import Locking

/// The call journal on the disk: `journal.log`, and the one before it, `journal.log.1`.
///
/// `append` never blocks: a writer thread writes. Neither file grows over its bound. Nothing is synced: a loss of power
/// may cost the last lines, and the reader passes over a line that was cut off.
public final class JournalFile: Drain {
    /// The name of the file in the data directory.
    public static let fileName = "journal.log"

    private let path: String
    private let bound: Int
    private let capacity: Int
    private let logger: Logger
    private let bell: Doorbell
    private let queue = Mutex(Queue())
    private let file: Mutex<OpenFile>

    private struct Queue {
        var bytes: [UInt8] = []
        var dropped = 0
    }

    /// The file as the writer's thread has it; the lock is never contended.
    private struct OpenFile {
        var descriptor: Int32 = -1
        var size = 0
        var isFailing = false
    }

    /// Makes the journal of a data directory; the file is opened with the first line.
    ///
    /// - Parameters:
    ///   - thread: writes the lines, and must be closed for the last of them.
    ///   - directory: where the files are.
    ///   - bound: bytes of each of the two files.
    ///   - capacity: bytes that may wait to be written; what is over is dropped and counted.
    ///   - logger: hears once of a journal that can't be written.
    public init(
        on thread: WriterThread,
        directory: String,
        bound: Int = 64 << 20,
        capacity: Int = 8 << 20,
        logger: Logger
    ) {
        path = Self.path(in: directory)
        self.bound = bound
        self.capacity = capacity
        self.logger = logger
        bell = thread.bell
        file = Mutex(OpenFile())
        thread.add(self)
    }

    deinit {
        file.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
    }

    /// Takes whole lines, each with its end.
    public func append(_ lines: [UInt8]) {
        guard !lines.isEmpty else { return }
        let isFirst = queue.withLock { queue in
            guard queue.bytes.count + lines.count <= capacity else {
                queue.dropped += 1
                return false
            }
            queue.bytes.append(contentsOf: lines)
            return queue.bytes.count == lines.count
        }
        if isFirst { bell.ring() }
    }

    static func path(in directory: String) -> String {
        directory.hasSuffix("/") ? directory + fileName : "\(directory)/\(fileName)"
    }

    func drain() {
        var taken = Queue()
        queue.withLock { swap(&$0, &taken) }
        if taken.dropped > 0 {
            logger.warning(
                "parts of the call journal were dropped: more came than could be written",
                [LogField("count", taken.dropped)]
            )
        }
        guard !taken.bytes.isEmpty else { return }
        file.withLock { file in
            do throws(SystemError) {
                try write(taken.bytes, to: &file)
                if file.isFailing { logger.notice("the call journal is written again", [LogField("file", path)]) }
                file.isFailing = false
            } catch {
                if !file.isFailing { logger.error("can't write the call journal", [LogField("error", error)]) }
                file.isFailing = true
                // What was cut off is made good when the file is opened again.
                if file.descriptor >= 0 { close(file.descriptor) }
                file.descriptor = -1
            }
        }
    }

    private func write(_ bytes: [UInt8], to file: inout OpenFile) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            if file.descriptor < 0 { try open(&file) }
            var part = rest
            if file.size + part.count > bound {
                part = Self.wholeLines(of: rest, within: bound - file.size)
                if part.isEmpty {
                    if file.size > 0 {
                        try rotate(&file)
                        continue
                    }
                    // A line over the bound gets a file of its own.
                    part = rest[...(rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex - 1)]
                }
            }
            let (count, code) = writeAll(part, to: file.descriptor)
            file.size += count
            guard code == 0 else { throw SystemError(call: "write", subject: path, code: code) }
            rest = rest[part.endIndex...]
        }
    }

    /// The longest run of whole lines at the start that is no longer than `room`.
    private static func wholeLines(of bytes: ArraySlice<UInt8>, within room: Int) -> ArraySlice<UInt8> {
        let part = bytes.prefix(max(0, room))
        guard let end = part.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return part[...end]
    }

    private func open(_ file: inout OpenFile) throws(SystemError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError(call: "open", subject: path, code: errno) }
        file.descriptor = descriptor
        file.size = max(0, Int(lseek(descriptor, 0, SEEK_END)))
        var last: UInt8 = UInt8(ascii: "\n")
        if file.size > 0, pread(descriptor, &last, 1, off_t(file.size - 1)) == 1, last != UInt8(ascii: "\n") {
            file.size += writeAll([UInt8(ascii: "\n")], to: descriptor).count
        }
    }

    private func rotate(_ file: inout OpenFile) throws(SystemError) {
        close(file.descriptor)
        file.descriptor = -1
        guard rename(path, path + ".1") == 0 else { throw SystemError(call: "rename", subject: path, code: errno) }
        try open(&file)
    }
}
