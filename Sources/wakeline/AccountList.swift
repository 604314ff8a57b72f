import WakelineServer

extension Command {
    /// Lists accounts.
    static let accountList = Command(
        "account",
        "list",
        summary: "List accounts in the order of their addresses.",
        options: [
            Option("--prefix", "TEXT", help: "only addresses that begin like this"),
            Option("--limit", "NUMBER", help: "no more than this many"),
            Option("--json", help: "one JSON object a line"),
        ] + ConfigurationOptions.data
    ) { arguments, terminal in
        guard let accounts = AccountCommands(arguments, terminal) else { return .configuration }
        return accounts.list(
            prefix: arguments.value("--prefix"),
            limit: arguments.value("--limit"),
            asJSON: arguments.has("--json")
        )
    }
}
