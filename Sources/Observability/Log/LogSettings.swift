import Locking

/// How a log line is written.
public enum LogFormat: String, Sendable, CaseIterable {
    /// `at=... level=info subsystem=flows msg="..." key=value`.
    case logfmt
    /// One JSON object a line.
    case json
}

/// What is logged, and how.
public struct LogSettings: Sendable, Hashable {
    /// The least level that is written.
    public var level: LogLevel
    /// Levels of subsystems where they differ.
    public var subsystems: [String: LogLevel]
    /// How lines look.
    public var format: LogFormat

    /// Chooses what is logged, and how.
    public init(level: LogLevel = .info, subsystems: [String: LogLevel] = [:], format: LogFormat = .logfmt) {
        self.level = level
        self.subsystems = subsystems
        self.format = format
    }

    /// The least level that a subsystem writes.
    public func level(of subsystem: String) -> LogLevel { subsystems[subsystem] ?? level }
}

extension LogLevel {
    /// The name in lines and settings: `info`.
    public var name: String { "\(self)" }

    /// The level of a name; nil when there is none.
    public init?(name: some StringProtocol) {
        guard let level = LogLevel.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }
}

/// Makes the loggers of all subsystems, with one sink, and levels that can be changed while they are in use.
public final class LoggerFactory: Sendable {
    private struct State {
        var settings: LogSettings
        var thresholds: [String: LogThreshold] = [:]
    }

    private let state: Mutex<State>
    private let sink: any LogSink

    /// Makes loggers that write to `sink`.
    public init(settings: LogSettings, sink: any LogSink) {
        state = Mutex(State(settings: settings))
        self.sink = sink
    }

    /// The logger of one subsystem.
    public func logger(_ subsystem: String) -> Logger {
        let threshold = state.withLock { state in
            if let known = state.thresholds[subsystem] { return known }
            let threshold = LogThreshold(state.settings.level(of: subsystem))
            state.thresholds[subsystem] = threshold
            return threshold
        }
        return Logger(subsystem: subsystem, threshold: threshold, sink: sink)
    }

    /// Puts new levels in force for all loggers that were made.
    public func apply(_ settings: LogSettings) {
        state.withLock { state in
            state.settings = settings
            for (subsystem, threshold) in state.thresholds { threshold.level = settings.level(of: subsystem) }
        }
    }
}
