/// A program with subcommands.
public struct CommandLineTool: Sendable {
    private let name: String
    private let summary: String
    private let commands: [Command]

    /// Makes a program of its subcommands.
    public init(_ name: String, summary: String, commands: [Command]) {
        self.name = name
        self.summary = summary
        self.commands = commands
    }

    /// Finds the subcommand that is meant and runs it.
    ///
    /// - Parameters:
    ///   - arguments: without the program's own name.
    ///   - terminal: what to talk to.
    /// - Returns: the exit code of the process.
    public func run(_ arguments: [String], _ terminal: Terminal) -> Int32 {
        dispatch(arguments, terminal).rawValue
    }

    private func dispatch(_ arguments: [String], _ terminal: Terminal) -> ExitCode {
        if let command = commands.first(where: { arguments.starts(with: $0.words) }) {
            return run(command, Array(arguments.dropFirst(command.words.count)), terminal)
        }
        let words = Array(arguments.prefix { !$0.hasPrefix("-") })
        let group = commands.filter { !words.isEmpty && $0.words.starts(with: words) }
        if arguments.contains("--help") || arguments.contains("-h") || arguments == ["help"] {
            terminal.output(help(words.isEmpty || arguments == ["help"] || group.isEmpty ? commands : group))
            return .success
        }
        if arguments == ["--version"] {
            terminal.print("\(name) \(Version.current)")
            return .success
        }
        if arguments.isEmpty || !group.isEmpty {
            terminal.error(help(arguments.isEmpty ? commands : group))
            return .usage
        }
        return refuseUnknown(arguments, words, terminal)
    }

    private func run(_ command: Command, _ arguments: [String], _ terminal: Terminal) -> ExitCode {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") {
            terminal.output(command.help(program: name))
            return .success
        }
        do throws(UsageError) {
            return command.run(try ParsedArguments(arguments, for: command), terminal)
        } catch {
            let words = ([name] + command.words).joined(separator: " ")
            terminal.report("\(words): \(error.text)\nsee \(words) --help")
            return .usage
        }
    }

    private func refuseUnknown(_ arguments: [String], _ words: [String], _ terminal: Terminal) -> ExitCode {
        if words.isEmpty {
            let close = Suggestion.closest(to: arguments.first ?? "", among: ["--help", "--version"])
            let mend = close.map { "did you mean \($0)?" } ?? "options follow the subcommand"
            terminal.report("\(name): unknown option \(arguments.first ?? ""); \(mend)\nsee \(name) --help")
            return .usage
        }
        // `account ad` is near `account add`; `acount add` as well; `chek` is near `check`.
        var close: String?
        for count in [2, 1] where close == nil {
            let word = words.prefix(count).joined(separator: " ")
            close = Suggestion.closest(to: word, among: commands.map { $0.words.prefix(2).joined(separator: " ") })
        }
        let mend = close.map { "did you mean \(name) \($0)?" } ?? "choose one of those that --help lists"
        terminal.report(
            "\(name): unknown subcommand \(words.prefix(2).joined(separator: " ")); \(mend)\nsee \(name) --help"
        )
        return .usage
    }

    private func help(_ commands: [Command]) -> String {
        let rows = commands.map { (($0.words + $0.arguments.map(\.name)).joined(separator: " "), $0.summary) }
        return "\(summary)\n\nUsage: \(name) SUBCOMMAND [OPTIONS]\n\n" + Command.table(rows)
            + "\n  --help after any of them says more; --version prints the version.\n"
    }
}
