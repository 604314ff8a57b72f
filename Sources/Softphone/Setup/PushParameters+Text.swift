public import PhoneKit
import SIP

extension PushParameters {
    /// Reads `provider:param:token[:alert-token]`.
    ///
    /// Only APNs has a second token; those of FCM and Web Push may hold colons themselves. `webpush::TOKEN` has no
    /// parameter.
    ///
    /// - Parameter text: what someone wrote; nil comes back where it can't be read.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, ["apns", "fcm", "webpush"].contains(parts[0]), !parts[2].isEmpty else { return nil }
        guard parts[0] == "webpush" || !parts[1].isEmpty else { return nil }
        let tokens =
            parts[0] == "apns"
            ? parts[2].split(separator: ":", omittingEmptySubsequences: false).map(String.init) : [parts[2]]
        guard tokens.count <= 2, tokens.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.init(
            provider: ByteString(parts[0]),
            parameter: parts[1].isEmpty ? nil : ByteString(parts[1]),
            token: ByteString(tokens[0]),
            alertToken: tokens.count == 2 ? ByteString(tokens[1]) : nil
        )
    }
}
