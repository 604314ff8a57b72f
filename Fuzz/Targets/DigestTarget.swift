import SIP
import TestSupport

/// The value of an Authorization header field.
func runDigest(_ input: [UInt8]) {
    var bytes = Array("REGISTER sip:example.test SIP/2.0\r\nAuthorization: ".utf8)
    bytes += input
    bytes += "\r\n\r\n".utf8
    let message = Message(bytes)
    var digest = DigestResponse(.scrambling)
    for field in message.fields {
        guard let credentials = try? Credentials.parse(message, field) else { continue }
        for part in [credentials.username, credentials.realm, credentials.nonce, credentials.uri] {
            promise(
                part.lowerBound >= field.value.lowerBound && part.upperBound <= field.value.upperBound,
                "\(part) of \(field.value)"
            )
            _ = message.bytes.unquoted(part)
        }
        for algorithm in [DigestAlgorithm.md5, .sha256] {
            _ = digest.verify(credentials, in: message, ha1: Array("ha1".utf8), algorithm: algorithm)
        }
    }
}
