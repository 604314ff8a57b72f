/// What someone wrote behind a subcommand, taken apart.
public struct ParsedArguments: Sendable, Equatable {
    private var positional: [String] = []
    private var named: [String: [String]] = [:]
    /// All of it, as it was written.
    public private(set) var all: [String] = []

    /// The argument at a place; the parser has made sure that there are enough.
    public subscript(_ place: Int) -> String {
        positional.indices.contains(place) ? positional[place] : ""
    }

    /// The last value of an option.
    public func value(_ option: String) -> String? { named[option]?.last }

    /// All values of an option, in order.
    public func values(_ option: String) -> [String] { named[option] ?? [] }

    /// Whether an option is there.
    public func has(_ option: String) -> Bool { named[option] != nil }

    /// Takes arguments apart as a command wants them.
    ///
    /// - Parameters:
    ///   - arguments: what follows the command's words.
    ///   - command: says what there may be.
    /// - Throws: what is wrong first, with the mend.
    init(_ arguments: [String], for command: Command) throws(UsageError) {
        all = arguments
        var rest = arguments[...]
        var onlyPlaces = false
        while let argument = rest.popFirst() {
            if argument == "--", !onlyPlaces {
                onlyPlaces = true
            } else if onlyPlaces || !argument.hasPrefix("-") || argument == "-" {
                positional.append(argument)
            } else {
                try takeOption(argument, &rest, command)
            }
        }
        try checkPlaces(command)
        for option in command.options where option.isRequired && named[option.name] == nil {
            throw UsageError("\(option.name) is missing; add \(option.name) \(option.value ?? "")")
        }
    }

    private mutating func takeOption(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        _ command: Command
    ) throws(UsageError) {
        let equals = argument.firstIndex(of: "=")
        let name = String(argument[..<(equals ?? argument.endIndex)])
        guard let option = command.options.first(where: { $0.name == name }) else {
            let close = Suggestion.closest(to: name, among: command.options.map(\.name) + ["--help"])
            throw UsageError("unknown option \(name)" + (close.map { "; did you mean \($0)?" } ?? ""))
        }
        guard named[name] == nil || option.repeats else {
            throw UsageError("\(name) is given twice; keep one")
        }
        var value = equals.map { String(argument[argument.index(after: $0)...]) }
        if let wanted = option.value {
            if value == nil, let next = rest.first, !next.hasPrefix("--") { value = rest.popFirst() }
            guard value != nil else { throw UsageError("\(name) needs a value; write \(name) \(wanted)") }
        } else if value != nil {
            throw UsageError("\(name) takes no value; write \(name) alone")
        }
        named[name, default: []].append(value ?? "")
    }

    private func checkPlaces(_ command: Command) throws(UsageError) {
        if positional.count < command.arguments.count {
            let missing = command.arguments[positional.count]
            throw UsageError("\(missing.name) is missing: \(missing.help)")
        }
        if positional.count > command.arguments.count {
            throw UsageError("\"\(positional[command.arguments.count])\" is one argument too many; remove it")
        }
    }
}

/// Why a command line can't be understood, and what mends it.
struct UsageError: Error, Equatable {
    var text: String

    init(_ text: String) { self.text = text }
}
