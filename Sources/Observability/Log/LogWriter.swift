import Glibc
import Synchronization

/// Writes log lines to a descriptor, on a writer thread.
///
/// `take` never blocks: it adds to a bounded queue. When that is full, lines are dropped and counted, and a later line
/// says how many. Nothing is redacted here, only escaped: whoever logs leaves secrets out (passwords, nonces, tokens,
/// Authorization values, message bodies).
public final class LogWriter: LogSink, Drain {
    private let descriptor: Int32
    private let format: LogFormat
    private let capacity: Int
    private let bell: Doorbell
    private let queue = Mutex(Queue())

    private struct Queue {
        var lines: [LogLine] = []
        var dropped = 0
    }

    /// Makes a sink for logs.
    ///
    /// - Parameters:
    ///   - thread: writes the lines, and must be closed for the last of them.
    ///   - descriptor: where to; it stays the caller's.
    ///   - format: how lines look.
    ///   - capacity: lines that may wait.
    public init(on thread: WriterThread, descriptor: Int32 = 2, format: LogFormat = .logfmt, capacity: Int = 8_192) {
        self.descriptor = descriptor
        self.format = format
        self.capacity = capacity
        bell = thread.bell
        thread.add(self)
    }

    /// Takes one line, or drops and counts it when too many wait.
    public func take(_ line: LogLine) {
        let isFirst = queue.withLock { queue in
            guard queue.lines.count < capacity else {
                queue.dropped += 1
                return false
            }
            queue.lines.append(line)
            return queue.lines.count == 1
        }
        if isFirst { bell.ring() }
    }

    func drain() {
        var taken = Queue()
        queue.withLock { swap(&$0, &taken) }
        guard !taken.lines.isEmpty || taken.dropped > 0 else { return }
        var out: [UInt8] = []
        for line in taken.lines { line.append(as: format, to: &out) }
        if taken.dropped > 0 {
            LogLine(
                wall: wallClock(),
                level: .warning,
                subsystem: "log",
                message: "lines were dropped: more came than could be written",
                fields: [LogField("count", taken.dropped)]
            ).append(as: format, to: &out)
        }
        // There is nobody to tell of a log that can't be written.
        _ = writeAll(out[...], to: descriptor)
    }
}
