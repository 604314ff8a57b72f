/// Lines of a log put together as bytes, for what is logged often: no `String` and no array is made for a field.
///
/// A line is begun, given fields, and ended. Whoever writes it tests the level first, and leaves secrets out.
public struct LogText: Sendable {
    /// The lines, each with its end.
    public private(set) var bytes: [UInt8] = []
    /// How many lines there are.
    public private(set) var lines = 0

    private let format: LogFormat
    private var times = TimestampWriter()

    /// No lines yet.
    public init(format: LogFormat) { self.format = format }

    /// Begins a line.
    ///
    /// - Parameters:
    ///   - wall: milliseconds since 1970-01-01 00:00 UTC.
    ///   - level: how much it matters.
    ///   - subsystem: the part of the server that speaks, a plain word.
    ///   - message: a constant sentence without anything to escape.
    public mutating func begin(wall: Int64, level: LogLevel, subsystem: String, message: StaticString) {
        switch format {
        case .logfmt:
            append("at=")
            times.append(wall, to: &bytes)
        case .json:
            append("{\"at\":\"")
            times.append(wall, to: &bytes)
            append("\"")
        }
        add("level", level.word)
        append(key: "subsystem")
        append(isQuoted: format == .json) { $0.append(contentsOf: subsystem.utf8) }
        append(key: "msg")
        append(isQuoted: true) { JournalLine.append(message, to: &$0) }
    }

    /// Adds bytes that a peer may have chosen: read as UTF-8, and escaped where they need it.
    public mutating func add(_ key: StaticString, _ value: [UInt8], _ range: Range<Int>) {
        append(key: key)
        if !range.isEmpty, value[range].allSatisfy(Escaping.isPlain) {
            append(isQuoted: format == .json) { $0.append(contentsOf: value[range]) }
        } else {
            Escaping.appendQuoted(String(decoding: value[range], as: UTF8.self), to: &bytes)
        }
    }

    /// Adds a number.
    public mutating func add(_ key: StaticString, _ value: some FixedWidthInteger) {
        append(key: key)
        append(isQuoted: format == .json) { JournalLine.append(decimal: value, to: &$0) }
    }

    /// Adds words of the program, without anything to escape but spaces.
    public mutating func add(_ key: StaticString, _ words: StaticString) {
        append(key: key)
        let isPlain = words.withUTF8Buffer { !$0.isEmpty && $0.allSatisfy(Escaping.isPlain) }
        append(isQuoted: !isPlain || format == .json) { JournalLine.append(words, to: &$0) }
    }

    /// Ends the line.
    public mutating func end() {
        append(format == .json ? "}\n" : "\n")
        lines += 1
    }

    /// Adds a line that was put together elsewhere.
    mutating func append(_ line: LogLine) {
        line.append(as: format, to: &bytes)
        lines += 1
    }

    /// Adds lines.
    mutating func append(_ text: LogText) {
        bytes.append(contentsOf: text.bytes)
        lines += text.lines
    }

    /// Forgets all lines, and keeps the memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
        lines = 0
    }

    private mutating func append(_ text: StaticString) { JournalLine.append(text, to: &bytes) }

    private mutating func append(key: StaticString) {
        switch format {
        case .logfmt:
            append(" ")
            append(key)
            append("=")
        case .json:
            append(",\"")
            append(key)
            append("\":")
        }
    }

    private mutating func append(isQuoted: Bool, _ write: (inout [UInt8]) -> Void) {
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
        write(&bytes)
        if isQuoted { bytes.append(UInt8(ascii: "\"")) }
    }
}

extension LogLevel {
    /// The name, to be appended to bytes.
    fileprivate var word: StaticString {
        switch self {
        case .trace: "trace"
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }
}
