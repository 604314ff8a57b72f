/// A part of a YAML document, and the line where it begins.
struct YAMLNode: Equatable {
    /// Counted from 1; 0 when it did not come from a file.
    var line: Int
    var content: Content

    indirect enum Content: Equatable {
        /// Nothing was written where a value belongs, or `~` or `null`.
        case empty
        /// A word, number or text; what it is, its reader decides.
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A key and its value.
    struct Entry: Equatable {
        var key: String
        var line: Int
        var value: YAMLNode
    }

    /// What it is, for errors.
    var kind: String {
        switch content {
        case .empty: "nothing"
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a section"
        }
    }
}

/// Why a text is no YAML that can be used here.
struct YAMLFault: Error, Equatable {
    var line: Int
    var what: String
    var mend: String
}
