import WakelineServer

extension Command {
    /// Asks a running server whether it serves.
    static let health = Command(
        "health",
        summary: "Ask the running server whether it serves; exit code 1 where it does not.",
        options: ConfigurationOptions.all,
        run: checkHealth
    )
}
