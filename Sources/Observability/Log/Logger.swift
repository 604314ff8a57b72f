/// How much a log line matters, in the order of swift-log.
public enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
    case trace
    case debug
    case info
    case notice
    case warning
    case error

    /// Orders by severity.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}

/// One field of a log line.
///
/// Keys are dotted and lower-case: `sip.call-id`, `flow.id`.
public struct LogField: Sendable, Equatable {
    /// The dotted key.
    public var key: String
    /// The value, not yet escaped.
    public var value: String

    /// Makes a field from anything that describes itself.
    public init(_ key: String, _ value: some CustomStringConvertible) {
        self.key = key
        self.value = value.description
    }
}

/// One line on its way to where logs go.
public struct LogLine: Sendable {
    /// Milliseconds since 1970, taken when the line was made.
    public var wall: Int64
    /// How much it matters.
    public var level: LogLevel
    /// The part of the server that speaks.
    public var subsystem: String
    /// A constant sentence; what varies is in the fields.
    public var message: String
    /// What varies.
    public var fields: [LogField]

    /// Puts a line together.
    public init(wall: Int64, level: LogLevel, subsystem: String, message: String, fields: [LogField] = []) {
        self.wall = wall
        self.level = level
        self.subsystem = subsystem
        self.message = message
        self.fields = fields
    }
}

/// Takes lines away without ever blocking the caller.
public protocol LogSink: Sendable {
    /// Takes one line; drops it, and counts that, when its queue is full.
    func take(_ line: LogLine)

    /// How it writes lines, so that others can put them together.
    var format: LogFormat { get }

    /// Takes lines that are put together already; as `take` of one.
    func take(_ text: LogText)
}

extension LogSink {
    /// As services and people read it.
    public var format: LogFormat { .logfmt }

    /// Takes all of the text as one line.
    public func take(_ text: LogText) {
        let message = String(decoding: text.bytes, as: UTF8.self)
        take(LogLine(wall: wallClock(), level: .info, subsystem: "", message: message))
    }
}

/// Writes log lines of one subsystem, in the shape of swift-log.
///
/// The level is tested before message and fields are made. Nothing secret is logged: no passwords, nonces, tokens,
/// Authorization values or message bodies; it is the caller who leaves them out.
public struct Logger: Sendable {
    /// The part of the server that speaks: `flows`, `storage`, `registrar`, ...
    public let subsystem: String
    /// The least level that is written now.
    public var level: LogLevel { threshold.level }
    private let threshold: LogThreshold
    private let sink: any LogSink

    /// Makes the logger of a subsystem.
    public init(subsystem: String, level: LogLevel = .info, sink: any LogSink) {
        self.init(subsystem: subsystem, threshold: LogThreshold(level), sink: sink)
    }

    /// Makes the logger of a subsystem whose level may change while it is in use.
    public init(subsystem: String, threshold: LogThreshold, sink: any LogSink) {
        self.subsystem = subsystem
        self.threshold = threshold
        self.sink = sink
    }

    /// Writes one line when `level` is on.
    @inlinable
    public func log(
        _ level: LogLevel,
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> [LogField] = []
    ) {
        guard level >= self.level else { return }
        write(level, message(), fields())
    }

    /// For someone who hunts a fault; safe in production.
    @inlinable
    public func debug(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        log(.debug, message(), fields())
    }

    /// For the operator.
    @inlinable
    public func info(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        log(.info, message(), fields())
    }

    /// For the operator, and worth a look: a change of state.
    @inlinable
    public func notice(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        log(.notice, message(), fields())
    }

    /// Unusual, and the server copes.
    @inlinable
    public func warning(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        log(.warning, message(), fields())
    }

    /// Someone must act.
    @inlinable
    public func error(_ message: @autoclosure () -> String, _ fields: @autoclosure () -> [LogField] = []) {
        log(.error, message(), fields())
    }

    /// No lines yet, in the format of the sink.
    public var emptyText: LogText { LogText(format: sink.format) }

    /// Writes lines that were put together as bytes; whoever did so has tested the level.
    public func write(_ text: LogText) { sink.take(text) }

    @inline(never)
    @usableFromInline
    func write(_ level: LogLevel, _ message: String, _ fields: [LogField]) {
        sink.take(LogLine(wall: wallClock(), level: level, subsystem: subsystem, message: message, fields: fields))
    }
}
