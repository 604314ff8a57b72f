extension Configuration {
    /// A hash that passwords can be checked with (RFC 8760).
    public enum DigestAlgorithm: String, Sendable, CaseIterable {
        case sha256 = "SHA-256"
        case md5 = "MD5"

        /// The algorithm of a name, in any case.
        public init?(name: some StringProtocol) {
            let name = name.uppercased()
            guard let found = Self.allCases.first(where: { $0.rawValue == name }) else { return nil }
            self = found
        }

        /// Reads a list like `SHA-256,MD5`; nil when it is empty or has something else in it.
        public static func list(_ text: String) -> [DigestAlgorithm]? {
            var found: [DigestAlgorithm] = []
            for part in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let algorithm = DigestAlgorithm(name: trimmed(part)), !found.contains(algorithm) else {
                    return nil
                }
                found.append(algorithm)
            }
            return found
        }

        /// A list as text: `SHA-256,MD5`.
        public static func text(_ list: [DigestAlgorithm]) -> String {
            list.map(\.rawValue).joined(separator: ",")
        }
    }

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
