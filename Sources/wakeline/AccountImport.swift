import WakelineServer

extension Command {
    /// Imports accounts.
    static let accountImport = Command(
        "account",
        "import",
        summary: "Add all accounts of a file, or none.",
        arguments: [
            Argument("FILE", "comma-separated values below the header address,password; - is the standard input")
        ],
        options: [Option("--replace", help: "give accounts that exist the new passwords")] + ConfigurationOptions.data
    ) { arguments, terminal in
        guard let accounts = AccountCommands(arguments, terminal) else { return .configuration }
        return accounts.load(arguments[0], replacing: arguments.has("--replace"))
    }
}
