/// One thing that is wrong with a configuration: where, what, and what mends it.
public struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    /// Where the value came from: `wakeline.yaml:12`, `WAKELINE_LISTEN`, `--listen`, or `default`.
    public var source: String
    /// The key, like `registrar.min-expires`; empty when it is about the whole file.
    public var key: String
    /// What is wrong.
    public var what: String
    /// What mends it.
    public var mend: String

    /// Describes a problem.
    public init(source: String, key: String, what: String, mend: String) {
        self.source = source
        self.key = key
        self.what = what
        self.mend = mend
    }

    /// `wakeline.yaml:12: registrar.min-expires: "5x" is no duration; write 500ms, 30s, ...`.
    public var description: String {
        key.isEmpty ? "\(source): \(what); \(mend)" : "\(source): \(key): \(what); \(mend)"
    }
}

/// All that is wrong with a configuration, at once.
public struct ConfigurationProblems: Error, Equatable, CustomStringConvertible {
    /// Never empty, in the order of file, environment, flags, and then the whole.
    public var problems: [ConfigurationProblem]

    /// Collects problems.
    public init(_ problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    /// One line for each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
