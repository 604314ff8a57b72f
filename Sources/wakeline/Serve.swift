import WakelineServer

extension Command {
    /// Runs the server.
    static let serve = Command(
        "serve",
        summary: "Run the server until SIGTERM.",
        options: ConfigurationOptions.all
    ) { arguments, terminal in
        let load = { ConfigurationOptions.load(arguments, for: .serving, terminal) }
        guard let configuration = load() else { return .configuration }
        return runServer(configuration, reload: load) { terminal.error($0 + "\n") }
    }
}
