import Glibc

/// What a command talks to: the process's streams, or a test.
public struct Terminal: Sendable {
    /// Writes results.
    public var output: @Sendable (String) -> Void
    /// Writes progress and errors.
    public var error: @Sendable (String) -> Void
    /// Whether someone watches the progress.
    public var isInteractive: Bool
    /// The variables that begin with `WAKELINE_`.
    public var environment: [String: String]
    /// All of the standard input; nil when it can't be read.
    public var input: @Sendable () -> [UInt8]?

    /// Puts a terminal together.
    public init(
        output: @escaping @Sendable (String) -> Void,
        error: @escaping @Sendable (String) -> Void,
        isInteractive: Bool,
        environment: [String: String],
        input: @escaping @Sendable () -> [UInt8]?
    ) {
        self.output = output
        self.error = error
        self.isInteractive = isInteractive
        self.environment = environment
        self.input = input
    }

    /// The streams and the environment of this process.
    public static func process() -> Terminal {
        Terminal(
            output: { write($0, to: 1) },
            error: { write($0, to: 2) },
            isInteractive: isatty(2) == 1,
            environment: ConfigurationSources.processEnvironment(),
            input: { try? readAll(0).get() }
        )
    }

    /// Writes a line of results.
    public func print(_ line: String) { output(line + "\n") }

    /// Writes a line of progress or trouble.
    public func report(_ line: String) { error(line + "\n") }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        bytes.withUnsafeBytes { raw in
            var sent = 0
            while sent < raw.count {
                let count = Glibc.write(descriptor, raw.baseAddress?.advanced(by: sent), raw.count - sent)
                if count < 0, errno == EINTR { continue }
                // Nobody reads any more: there is nobody to tell.
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}
