/// The options that stand for keys of the configuration.
public enum ConfigurationOptions {
    /// For commands that only need the data directory.
    public static let data: [Command.Option] = [config, directory]

    /// For commands that need all of it.
    public static let all: [Command.Option] = [
        config,
        Command.Option(
            "--listen",
            "ADDRESS",
            repeats: true,
            help: "where to accept connections, like tcp://0.0.0.0:5060"
        ),
        Command.Option("--domain", "DOMAIN", repeats: true, help: "a domain this server is responsible for"),
        directory,
        Command.Option("--digest", "LIST", help: "the digest algorithms to offer, like SHA-256,MD5"),
        Command.Option("--trust", "RANGE", repeats: true, help: "sources without limits, like 10.0.0.0/8"),
        Command.Option("--advertise", "HOST[:PORT]", help: "what Via and Record-Route say"),
        Command.Option("--log-level", "LEVEL", help: "trace, debug, info, notice, warning or error"),
        Command.Option("--log-format", "FORMAT", help: "logfmt or json"),
    ]

    private static let config = Command.Option("--config", "FILE", help: "the configuration file (WAKELINE_CONFIG)")
    private static let directory = Command.Option("--data", "DIR", help: "the data directory")

    /// The key that each option sets.
    private static let keys = [
        ("--listen", "listen"), ("--domain", "domains"), ("--data", "data"), ("--digest", "digest.algorithms"),
        ("--trust", "trust"), ("--advertise", "advertise"), ("--log-level", "log.level"),
        ("--log-format", "log.format"),
    ]

    /// Reads the configuration that a command line asks for; reports all problems when it is wrong.
    ///
    /// - Parameters:
    ///   - arguments: of a command that has these options.
    ///   - purpose: what must be there.
    ///   - terminal: hears of problems and warnings.
    /// - Returns: nil when there was a problem.
    public static func load(
        _ arguments: ParsedArguments,
        for purpose: Configuration.Purpose,
        _ terminal: Terminal
    ) -> Configuration? {
        let flags = keys.filter { arguments.has($0.0) }.map { name, key in
            ConfigurationSources.Flag(name: name, key: key, values: arguments.values(name))
        }
        let sources = ConfigurationSources(
            file: arguments.value("--config"),
            environment: terminal.environment,
            flags: flags
        )
        do throws(ConfigurationProblems) {
            let loaded = try Configuration.load(sources, for: purpose)
            for warning in loaded.warnings { terminal.report("warning: \(warning)") }
            return loaded.configuration
        } catch {
            for problem in error.problems { terminal.report("\(problem)") }
            return nil
        }
    }
}
