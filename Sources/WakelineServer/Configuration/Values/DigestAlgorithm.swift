public import SIP

extension DigestAlgorithm {
    /// Reads a list like `SHA-256,MD5`; nil when it is empty or has something else in it.
    static func list(_ text: String) -> [DigestAlgorithm]? {
        var found: [DigestAlgorithm] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let algorithm = DigestAlgorithm(trimmed(part)), !found.contains(algorithm) else { return nil }
            found.append(algorithm)
        }
        return found
    }

    /// A list as text: `SHA-256,MD5`.
    static func text(_ list: [DigestAlgorithm]) -> String {
        list.map(\.text).joined(separator: ",")
    }

    /// The name as text.
    var text: String { "\(name)" }
}

extension Configuration {
    /// What is offered to user agents whose name begins in a certain way.
    public struct UserAgentRule: Sendable, Equatable {
        /// The beginning of the User-Agent header field.
        public var prefix: String
        /// What is offered to them.
        public var algorithms: [DigestAlgorithm]

        /// Makes a rule.
        public init(prefix: String, algorithms: [DigestAlgorithm]) {
            self.prefix = prefix
            self.algorithms = algorithms
        }
    }
}

/// Text without spaces and tabs around it.
func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let front = text.drop(while: isSpace)
    guard let last = front.lastIndex(where: { !isSpace($0) }) else { return "" }
    return String(front[...last])
}
