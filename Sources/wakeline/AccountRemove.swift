import WakelineServer

extension Command {
    /// Removes an account.
    static let accountRemove = Command(
        "account",
        "remove",
        summary: "Remove an account.",
        arguments: [Argument("ADDRESS", "user@domain")],
        options: ConfigurationOptions.data
    ) { arguments, terminal in
        guard let accounts = AccountCommands(arguments, terminal) else { return .configuration }
        return accounts.remove(arguments[0])
    }
}
