import WakelineServer

extension Command {
    /// Runs the server.
    static let serve = Command(
        "serve",
        summary: "Run the server until SIGTERM.",
        options: ConfigurationOptions.all
    ) { arguments, terminal in
        guard let configuration = ConfigurationOptions.load(arguments, for: .serving, terminal) else {
            return .configuration
        }
        return ExitCode(rawValue: runServer(configuration)) ?? .failure
    }
}
