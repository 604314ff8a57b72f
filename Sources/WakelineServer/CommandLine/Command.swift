/// One subcommand: what it takes, and what it does.
public struct Command: Sendable {
    /// Its words: `["account", "add"]`.
    public var words: [String]
    /// What it does, in one line.
    public var summary: String
    /// What follows the words, in order; all are needed.
    public var arguments: [Argument]
    /// What may be anywhere behind the words.
    public var options: [Option]
    /// Does it.
    public var run: @Sendable (ParsedArguments, Terminal) -> ExitCode

    /// An argument that is known by its place.
    public struct Argument: Sendable {
        /// As help shows it: `ADDRESS`.
        public var name: String
        /// What it is.
        public var help: String

        /// Describes an argument.
        public init(_ name: String, _ help: String) {
            self.name = name
            self.help = help
        }
    }

    /// An argument that is known by its name.
    public struct Option: Sendable {
        /// With its dashes: `--listen`.
        public var name: String
        /// What its value is called; nil when it has none.
        public var value: String?
        /// Whether it can be given more than once.
        public var repeats: Bool
        /// Whether the command needs it.
        public var isRequired: Bool
        /// What it does.
        public var help: String

        /// Describes an option.
        public init(
            _ name: String,
            _ value: String? = nil,
            repeats: Bool = false,
            required: Bool = false,
            help: String
        ) {
            self.name = name
            self.value = value
            self.repeats = repeats
            isRequired = required
            self.help = help
        }
    }

    /// Describes a subcommand.
    public init(
        _ words: String...,
        summary: String,
        arguments: [Argument] = [],
        options: [Option] = [],
        run: @escaping @Sendable (ParsedArguments, Terminal) -> ExitCode
    ) {
        self.words = words
        self.summary = summary
        self.arguments = arguments
        self.options = options
        self.run = run
    }

    /// `account add ADDRESS --password TEXT [--replace]`.
    var usage: String {
        let shown = options.map { option in
            let text = option.name + (option.value.map { " \($0)" } ?? "")
            return option.isRequired ? text : "[\(text)]\(option.repeats ? "..." : "")"
        }
        return (words + arguments.map(\.name) + shown).joined(separator: " ")
    }

    /// The page that `--help` shows.
    func help(program: String) -> String {
        let rows =
            arguments.map { ($0.name, $0.help) }
            + options.map { ("\($0.name)\($0.value.map { " \($0)" } ?? "")", $0.help) }
        return "\(summary)\n\nUsage: \(program) \(usage)\n" + (rows.isEmpty ? "" : "\n" + Self.table(rows))
    }

    /// Two columns.
    static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { left, right in
            "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)\n"
        }.joined()
    }
}
