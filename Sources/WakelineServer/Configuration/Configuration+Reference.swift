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

    /// A configuration file that changes nothing yet: every key with its meaning and default, to be uncommented.
    ///
    /// Installed as `/etc/wakeline/wakeline.yaml`; kept in `packaging/wakeline.yaml`.
    public static var example: String {
        let defaults = Configuration()
        var out = """
            # The configuration of Wakeline.
            #
            # Every key is here with its default. To change one, remove the # right in front of it, and in front of the
            # section it belongs to. "wakeline check --config FILE" tells what is effective, or all that is wrong;
            # "systemctl reload wakeline" puts what can change at once in force, "systemctl restart wakeline" all of it.

            """
        for section in ConfigurationKey.sections {
            let indent = section.isEmpty ? "" : "  "
            if !section.isEmpty { out += "\n#\(section):\n" }
            for key in ConfigurationKey.all where key.section == section {
                let value = key.show(defaults)
                out += section.isEmpty ? "\n" : ""
                out += "\(indent)# \(key.meaning)\n"
                if value.isEmpty {
                    out += "\(indent)# \(key.name): \(key.form)\n"
                } else {
                    // The one key that has to be filled in.
                    out += "\(indent)\(key.name == "domains" ? "" : "#")\(key.name): \(value)\n"
                }
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
