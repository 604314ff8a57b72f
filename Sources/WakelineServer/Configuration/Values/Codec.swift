/// How a value is made of text that is no YAML: a flag, an environment variable.
enum ValueShape: Sendable {
    case scalar
    /// Parts are separated by commas.
    case list
    /// Written as YAML, in braces.
    case map
}

/// One thing that is wrong, and where in the file.
struct Complaint {
    var line: Int
    var fault: ValueFault
}

/// How values of one kind are read from a node, and written for people.
struct Codec<Value>: Sendable {
    /// What can be written, for the reference.
    let form: String
    /// Reads a value; nil when there was something to complain about.
    let decode: @Sendable (YAMLNode, inout [Complaint]) -> Value?
    /// The value as YAML on one line.
    let show: @Sendable (Value) -> String
    /// How the value is made of a flag or an environment variable.
    var shape = ValueShape.scalar

    /// A codec of single values.
    static func scalar(
        _ form: String,
        _ read: @escaping @Sendable (String) throws(ValueFault) -> Value,
        _ show: @escaping @Sendable (Value) -> String
    ) -> Codec {
        Codec(
            form: form,
            decode: { node, complaints in
                guard case .scalar(let text) = node.content else {
                    let fault = ValueFault("a single value is wanted, and this is \(node.kind)", mend: "write \(form)")
                    complaints.append(Complaint(line: node.line, fault: fault))
                    return nil
                }
                do throws(ValueFault) {
                    return try read(text)
                } catch {
                    complaints.append(Complaint(line: node.line, fault: error))
                    return nil
                }
            },
            show: show
        )
    }

    /// A codec of lists; a single value is a list of one.
    func list() -> Codec<[Value]> {
        Codec<[Value]>(
            form: "list of \(form)",
            decode: { node, complaints in
                let items: [YAMLNode]
                switch node.content {
                case .sequence(let sequence): items = sequence
                case .scalar: items = [node]
                case .empty: items = []
                case .mapping:
                    let fault = ValueFault("a list is wanted, and this is \(node.kind)", mend: "write [\(form), ...]")
                    complaints.append(Complaint(line: node.line, fault: fault))
                    return nil
                }
                var found: [Value] = []
                var inner: [Complaint] = []
                for item in items {
                    if let value = decode(item, &inner) { found.append(value) }
                }
                complaints += inner
                return inner.isEmpty ? found : nil
            },
            show: { "[\($0.map(show).joined(separator: ", "))]" },
            shape: .list
        )
    }

    /// A codec of sections whose keys the operator chooses.
    func map() -> Codec<[(key: String, value: Value)]> {
        typealias Entries = [(key: String, value: Value)]
        return Codec<Entries>(
            form: "{name: \(form)}",
            decode: { node, complaints in
                let entries: [YAMLNode.Entry]
                switch node.content {
                case .mapping(let mapping): entries = mapping
                case .empty: entries = []
                case .scalar, .sequence:
                    let what = "a section is wanted, and this is \(node.kind)"
                    let fault = ValueFault(what, mend: "write {name: \(form)}")
                    complaints.append(Complaint(line: node.line, fault: fault))
                    return nil
                }
                var found: Entries = []
                var inner: [Complaint] = []
                for entry in entries {
                    if let value = decode(entry.value, &inner) { found.append((entry.key, value)) }
                }
                complaints += inner
                return inner.isEmpty ? found : nil
            },
            show: { entries in
                "{\(entries.map { "\(quoted($0.key)): \(show($0.value))" }.joined(separator: ", "))}"
            },
            shape: .map
        )
    }

    /// The same values in another type.
    func mapped<Other>(
        _ make: @escaping @Sendable (Value) -> Other,
        _ unmake: @escaping @Sendable (Other) -> Value
    ) -> Codec<Other> {
        Codec<Other>(
            form: form,
            decode: { node, complaints in decode(node, &complaints).map(make) },
            show: { show(unmake($0)) },
            shape: shape
        )
    }
}

/// Text as YAML: with quotes where it could be read as something else.
func quoted(_ text: String) -> String {
    let isPlain =
        !text.isEmpty
        && text.utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || 0x61...0x7a ~= byte | 0x20 || "-_./".utf8.contains(byte)
        }
    if isPlain, !["null", "~", "-"].contains(text), !text.hasPrefix("-") { return text }
    let escaped = text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    return "\"\(escaped)\""
}
