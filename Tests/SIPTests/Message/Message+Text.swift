import SIP

/// Messages written as text, for tests.
extension Message {
    /// Parses text with line feeds for line ends.
    init(text: String) {
        self.init(Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8))
    }

    /// A sound OPTIONS with further header lines in front.
    init(with fields: String, body: String = "") {
        self.init(
            text: """
                OPTIONS sip:bob@example.com SIP/2.0
                \(fields)
                Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK1;rport
                Max-Forwards: 70
                From: Alice <sip:alice@example.com>;tag=a
                To: <sip:bob@example.com>
                Call-ID: 1@192.0.2.1
                CSeq: 7 OPTIONS
                Content-Length: \(body.utf8.count)

                \(body)
                """
        )
    }

    /// A part as text; nil where there is none.
    func text(_ range: Range<Int>?) -> String? { range.map { text($0) } }
}

/// Runs something that may fail, for tables in which nil stands for a failure.
func attempt<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value? {
    do { return try body() } catch { return nil }
}
