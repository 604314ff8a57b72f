import SIP

extension TracedMessage {
    /// The message for people, without what proves an account or wakes a device.
    public var shown: String { MessageText.shown(self) }
}

/// A message as it goes over the wire, without what proves an account or wakes a device.
enum MessageText {
    /// Header fields whose values are left out: credentials, challenges and what follows from them.
    private static let secret = [
        "authorization", "proxy-authorization", "www-authenticate", "proxy-authenticate", "authentication-info",
        "proxy-authentication-info",
    ]
    /// Parameters whose values are left out: push tokens (RFC 8599 section 4.1).
    private static let tokens = ["pn-prid=", "pn-purr="]

    /// Writes a message, or a ping, for people.
    static func shown(_ message: TracedMessage) -> String {
        let arrow = message.isSent ? ">>>" : "<<<"
        guard message.bytes.contains(where: { $0 != 0x0d && $0 != 0x0a }) else { return "\(arrow) ping" }
        var lines: [String] = []
        var isHead = true
        var isSecret = false
        for line in message.bytes.split(separator: 0x0a, omittingEmptySubsequences: false) {
            let text = String(decoding: line.last == 0x0d ? line.dropLast() : line, as: UTF8.self)
            if text.isEmpty { isHead = false }
            guard isHead else {
                lines.append(text.shown)
                continue
            }
            let isContinued = text.hasPrefix(" ") || text.hasPrefix("\t")
            if !isContinued { isSecret = secret.contains(name(text)) }
            if !isSecret {
                lines.append(withoutTokens(text).shown)
            } else if !isContinued {
                lines.append("\(text.prefix { $0 != ":" }): (left out)".shown)
            }
        }
        while lines.last?.isEmpty == true { lines.removeLast() }
        // Indented, with an empty line behind it, so that each is seen as one.
        return "\(arrow) \(lines.joined(separator: "\n    "))\n"
    }

    private static func name(_ line: String) -> String {
        let name = line.prefix { $0 != ":" }
        return String(name.prefix { $0 != " " && $0 != "\t" }).lowercased()
    }

    private static func withoutTokens(_ line: String) -> String {
        var bytes = Array(line.utf8)
        for token in tokens {
            let lowered = bytes.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
            guard let found = lowered.firstRange(of: token.utf8) else { continue }
            let end = bytes[found.upperBound...].firstIndex { ";>? ".utf8.contains($0) } ?? bytes.endIndex
            bytes.replaceSubrange(found.upperBound..<end, with: "(left out)".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
