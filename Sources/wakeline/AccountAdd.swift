import WakelineServer

extension Command {
    /// Adds an account.
    static let accountAdd = Command(
        "account",
        "add",
        summary: "Add an account.",
        arguments: [Argument("ADDRESS", "user@domain")],
        options: [
            Option("--password", "TEXT", required: true, help: "the password; - reads it from the standard input"),
            Option("--digest", "LIST", help: "digest algorithms for this account alone, like MD5"),
            Option("--replace", help: "give an account that exists the new password"),
        ] + ConfigurationOptions.data
    ) { arguments, terminal in
        guard let accounts = AccountCommands(arguments, terminal) else { return .configuration }
        return accounts.add(
            arguments[0],
            password: arguments.value("--password") ?? "",
            digest: arguments.value("--digest"),
            replacing: arguments.has("--replace")
        )
    }
}
