/// A configuration, and what its reader should know although it is no error.
public struct LoadedConfiguration: Sendable {
    /// The values.
    public var configuration: Configuration
    /// One line each: variables that look like misspellings.
    public var warnings: [String]
}

extension Configuration {
    /// Reads, merges and checks a configuration.
    ///
    /// - Parameters:
    ///   - sources: a file, the environment, flags.
    ///   - purpose: what must be there.
    /// - Returns: the values.
    /// - Throws: all that is wrong, at once.
    public static func load(
        _ sources: ConfigurationSources,
        for purpose: Purpose
    ) throws(ConfigurationProblems) -> LoadedConfiguration {
        var loader = ConfigurationLoader()
        if let path = sources.file ?? sources.environment["WAKELINE_CONFIG"].flatMap({ $0.isEmpty ? nil : $0 }) {
            loader.read(file: path)
        }
        loader.read(environment: sources.environment)
        for flag in sources.flags { loader.read(flag) }
        loader.validate(for: purpose)
        guard loader.problems.isEmpty else { throw ConfigurationProblems(loader.problems) }
        return LoadedConfiguration(configuration: loader.configuration, warnings: loader.warnings)
    }
}

/// Merges sources into one configuration, and gathers what is wrong with them.
struct ConfigurationLoader {
    private(set) var configuration = Configuration()
    private(set) var problems: [ConfigurationProblem] = []
    private(set) var warnings: [String] = []
    /// Where each key's value came from.
    private var origins: [String: String] = [:]
    /// Keys whose value could not be read: what the whole says of them means nothing.
    private var failed: Set<String> = []
    /// Whether there is a file of which nothing is known: what is left at its default may well stand there.
    private var hasUnreadFile = false

    mutating func read(file path: String) {
        switch readWholeFile(path) {
        case .failure(let fault):
            hasUnreadFile = true
            report(path, "", ValueFault("can't be read: \(fault.reason)", mend: "check the path given with --config"))
        case .success(let bytes):
            read(yaml: bytes, from: path)
        }
    }

    mutating func read(yaml: [UInt8], from path: String) {
        do throws(YAMLFault) {
            let document = try YAMLParser.parse(yaml)
            switch document.content {
            case .empty: return
            case .mapping(let entries): read(top: entries, path)
            case .scalar, .sequence:
                hasUnreadFile = true
                let fault = ValueFault("the file is \(document.kind)", mend: "write one \"key: value\" on each line")
                report("\(path):\(document.line)", "", fault)
            }
        } catch {
            hasUnreadFile = true
            report("\(path):\(error.line)", "", ValueFault(error.what, mend: error.mend))
        }
    }

    mutating func read(environment: [String: String]) {
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable], !text.isEmpty else { continue }
            switch Self.node(of: [text], for: key) {
            case .success(let node): assign(key, node) { _ in key.variable }
            case .failure(let fault): report(key.variable, key.fullName, fault)
            }
        }
        let known = ConfigurationKey.all.map(\.variable) + ["WAKELINE_CONFIG"]
        for name in environment.keys.sorted() where name.hasPrefix("WAKELINE_") && !known.contains(name) {
            // Container platforms set names of their own, so only what is almost ours is worth a word.
            guard let close = Suggestion.closest(to: name, among: known) else { continue }
            let changes = Suggestion.distance(Array(name.utf8), Array(close.utf8))
            if changes <= 2 { warnings.append("\(name): not a variable of wakeline; did you mean \(close)?") }
        }
    }

    mutating func read(_ flag: ConfigurationSources.Flag) {
        guard let key = ConfigurationKey.named(flag.key) else { return }
        switch Self.node(of: flag.values, for: key) {
        case .success(let node): assign(key, node) { _ in flag.name }
        case .failure(let fault): report(flag.name, key.fullName, fault)
        }
    }

    /// Checks what only the whole can tell.
    mutating func validate(for purpose: Configuration.Purpose) {
        for finding in configuration.findings(for: purpose) where failed.isDisjoint(with: finding.keys) {
            let origin = finding.keys.compactMap { origins[$0] }.last
            guard origin != nil || !hasUnreadFile else { continue }
            problems.append(
                ConfigurationProblem(
                    source: origin ?? "default",
                    key: finding.keys.first ?? "",
                    what: finding.fault.what,
                    mend: finding.fault.mend
                )
            )
        }
    }

    private mutating func read(top entries: [YAMLNode.Entry], _ path: String) {
        let keys = ConfigurationKey.all
        for entry in entries {
            if let key = keys.first(where: { $0.section.isEmpty && $0.name == entry.key }) {
                read(key, entry, path)
            } else if keys.contains(where: { $0.section == entry.key }) {
                read(section: entry, path)
            } else {
                let names = keys.map { $0.section.isEmpty ? $0.name : $0.section }
                reportUnknown(entry, named: entry.key, among: names, path)
            }
        }
    }

    private mutating func read(section: YAMLNode.Entry, _ path: String) {
        let keys = ConfigurationKey.all.filter { $0.section == section.key }
        switch section.value.content {
        case .empty: return
        case .mapping(let entries):
            for entry in entries {
                if let key = keys.first(where: { $0.name == entry.key }) {
                    read(key, entry, path)
                } else {
                    reportUnknown(entry, named: "\(section.key).\(entry.key)", among: keys.map(\.name), path)
                }
            }
        case .scalar, .sequence:
            let names = keys.map(\.name).joined(separator: ", ")
            let fault = ValueFault(
                "a section is wanted, and this is \(section.value.kind)",
                mend: "its keys are \(names)"
            )
            report("\(path):\(section.line)", section.key, fault)
        }
    }

    private mutating func read(_ key: ConfigurationKey, _ entry: YAMLNode.Entry, _ path: String) {
        if case .empty = entry.value.content {
            failed.insert(key.fullName)
            let fault = ValueFault("the value is missing", mend: "write \(key.form), or leave the key out")
            report("\(path):\(entry.line)", key.fullName, fault)
            return
        }
        assign(key, entry.value) { "\(path):\($0 == 0 ? entry.line : $0)" }
    }

    private mutating func assign(_ key: ConfigurationKey, _ node: YAMLNode, source: (Int) -> String) {
        var complaints: [Complaint] = []
        key.assign(node, &configuration, &complaints)
        for complaint in complaints { report(source(complaint.line), key.fullName, complaint.fault) }
        if complaints.isEmpty {
            failed.remove(key.fullName)
        } else {
            failed.insert(key.fullName)
        }
        origins[key.fullName] = source(node.line)
    }

    private mutating func reportUnknown(
        _ entry: YAMLNode.Entry,
        named name: String,
        among candidates: [String],
        _ path: String
    ) {
        var mend = "remove it, or see the list of keys"
        if let close = Suggestion.closest(to: entry.key, among: candidates) {
            mend = "did you mean \(close)?"
        } else if let key = ConfigurationKey.all.first(where: { $0.name == entry.key }) {
            mend = "did you mean \(key.fullName)?"
        }
        report("\(path):\(entry.line)", name, ValueFault("unknown key", mend: mend))
    }

    private mutating func report(_ source: String, _ key: String, _ fault: ValueFault) {
        problems.append(ConfigurationProblem(source: source, key: key, what: fault.what, mend: fault.mend))
    }

    /// The node that text from a flag or a variable stands for; what begins with a bracket is YAML.
    private static func node(of values: [String], for key: ConfigurationKey) -> Result<YAMLNode, ValueFault> {
        if key.shape != .scalar, values.count == 1, let text = values.first, text.hasPrefix("{") || isFlowList(text) {
            do throws(YAMLFault) {
                return .success(try YAMLParser.parse(Array(text.utf8)).withoutLines)
            } catch {
                return .failure(ValueFault("\"\(text)\": \(error.what)", mend: "write \(key.form)"))
            }
        }
        switch key.shape {
        case .scalar, .map: return .success(YAMLNode(line: 0, content: .scalar(values.last ?? "")))
        case .list:
            let parts = values.flatMap { $0.split(separator: ",").map { trimmed($0) } }
            return .success(
                YAMLNode(line: 0, content: .sequence(parts.map { YAMLNode(line: 0, content: .scalar($0)) }))
            )
        }
    }

    /// Whether text is a YAML list, and not an IPv6 address that begins with its bracket.
    private static func isFlowList(_ text: String) -> Bool {
        text.hasPrefix("[") && text.hasSuffix("]")
    }
}

extension YAMLNode {
    /// The same without line numbers, which mean nothing outside a file.
    fileprivate var withoutLines: YAMLNode {
        switch content {
        case .empty, .scalar: YAMLNode(line: 0, content: content)
        case .sequence(let items): YAMLNode(line: 0, content: .sequence(items.map(\.withoutLines)))
        case .mapping(let entries):
            YAMLNode(
                line: 0,
                content: .mapping(entries.map { Entry(key: $0.key, line: 0, value: $0.value.withoutLines) })
            )
        }
    }
}
