import Glibc
import Locking

/// Writes log lines to a descriptor, on a writer thread.
///
/// `take` never blocks: it adds to a bounded queue. When that is full, lines are dropped and counted, and a later line
/// says how many. Nothing is redacted here, only escaped: whoever logs leaves secrets out (passwords, nonces, tokens,
/// Authorization values, message bodies).
public final class LogWriter: LogSink, Drain {
    private let descriptor: Int32
    /// How lines look.
    public let format: LogFormat
    private let capacity: Int
    private let bell: Doorbell
    private let queue: Mutex<Queue>

    private struct Queue {
        var text: LogText
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
        queue = Mutex(Queue(text: LogText(format: format)))
        thread.add(self)
    }

    /// Takes one line, or drops and counts it when too many wait.
    public func take(_ line: LogLine) { take(1) { $0.append(line) } }

    /// Takes lines, or drops and counts them when too many wait.
    public func take(_ text: LogText) { take(text.lines) { $0.append(text) } }

    private func take(_ count: Int, _ append: (inout LogText) -> Void) {
        guard count > 0 else { return }
        let isFirst = queue.withLock { queue in
            guard queue.text.lines + count <= capacity else {
                queue.dropped += count
                return false
            }
            append(&queue.text)
            return queue.text.lines == count
        }
        if isFirst { bell.ring() }
    }

    func drain() {
        var taken = Queue(text: LogText(format: format))
        queue.withLock { swap(&$0, &taken) }
        guard taken.text.lines > 0 || taken.dropped > 0 else { return }
        if taken.dropped > 0 {
            taken.text.append(
                LogLine(
                    wall: wallClock(),
                    level: .warning,
                    subsystem: "log",
                    message: "lines were dropped: more came than could be written",
                    fields: [LogField("count", taken.dropped)]
                )
            )
        }
        // There is nobody to tell of a log that can't be written.
        _ = writeAll(taken.text.bytes[...], to: descriptor)
    }
}
