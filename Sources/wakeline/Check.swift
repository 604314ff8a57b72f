import WakelineServer

extension Command {
    /// Checks the configuration.
    static let check = Command(
        "check",
        summary: "Show the configuration that is effective, or all that is wrong with it.",
        options: ConfigurationOptions.all + [
            Option("--reference", help: "print all keys with their defaults and meanings, as Markdown"),
            Option("--example", help: "print a configuration file with every key, commented"),
        ],
        run: checkConfiguration
    )
}
