/// One key of the configuration: how it is read, written and explained.
struct ConfigurationKey: Sendable {
    /// The section, or empty for a key at the top.
    let section: String
    /// The key within its section.
    let name: String
    /// What can be written.
    let form: String
    /// How it is made of a flag or an environment variable.
    let shape: ValueShape
    /// One sentence for operators.
    let meaning: String
    /// Puts a node's value into a configuration, or complains.
    let assign: @Sendable (YAMLNode, inout Configuration, inout [Complaint]) -> Void
    /// The value in a configuration, as YAML.
    let show: @Sendable (Configuration) -> String

    init<Value>(
        _ section: String,
        _ name: String,
        _ path: any WritableKeyPath<Configuration, Value> & Sendable,
        _ codec: Codec<Value>,
        _ meaning: String
    ) {
        self.section = section
        self.name = name
        self.meaning = meaning
        form = codec.form
        shape = codec.shape
        assign = { node, configuration, complaints in
            if let value = codec.decode(node, &complaints) { configuration[keyPath: path] = value }
        }
        show = { codec.show($0[keyPath: path]) }
    }

    /// `registrar.min-expires`.
    var fullName: String { section.isEmpty ? name : "\(section).\(name)" }

    /// `WAKELINE_REGISTRAR_MIN_EXPIRES`.
    var variable: String {
        let joined = section.isEmpty ? name : "\(section)_\(name)"
        return "WAKELINE_" + joined.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }

    /// The key of a full name.
    static func named(_ fullName: String) -> ConfigurationKey? {
        all.first { $0.fullName == fullName }
    }

    /// The sections, in order; the first is the empty one.
    static var sections: [String] {
        all.reduce(into: []) { if $0.last != $1.section { $0.append($1.section) } }
    }
}
