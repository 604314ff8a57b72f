extension Configuration {
    /// Every key with its variable, default and meaning, as Markdown; part of `docs/configuration.md`.
    public static var reference: String {
        let defaults = Configuration()
        var out = ""
        for section in ConfigurationKey.sections {
            out += section.isEmpty ? "### At the top\n\n" : "\n### `\(section)`\n\n"
            out += "| key | value | default | variable | meaning |\n|---|---|---|---|---|\n"
            for key in ConfigurationKey.all where key.section == section {
                let value = key.show(defaults)
                let shown = value.isEmpty ? "none" : "`\(value)`"
                out += "| `\(key.name)` | \(key.form) | \(shown) | `\(key.variable)` | \(key.meaning) |\n"
            }
        }
        return out
    }

    /// What is effective, as YAML that could be a configuration file.
    public var yaml: String {
        var out = ""
        for section in ConfigurationKey.sections {
            if !section.isEmpty { out += "\(section):\n" }
            for key in ConfigurationKey.all where key.section == section {
                let value = key.show(self)
                // A key without a value is one that is not set.
                if !value.isEmpty { out += "\(section.isEmpty ? "" : "  ")\(key.name): \(value)\n" }
            }
        }
        return out
    }
}
