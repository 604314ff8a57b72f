/// Messages as phones send them.
enum Samples {
    /// 20 header fields, two Via, two Route, a folded line, compact forms: 700 bytes and more.
    static let invite = lines(
        """
        INVITE sip:bob@example.test;transport=tcp SIP/2.0
        Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bK776asdhds;rport
        Via: SIP/2.0/TCP 198.51.100.7:5060;branch=z9hG4bKnashds8;received=198.51.100.7
        Max-Forwards: 70
        Route: <sip:proxy.example.test;lr>
        Route: <sip:edge.example.test;lr>
        f: "Alice" <sip:alice@example.test>;tag=1928301774
        To: Bob <sip:bob@example.test>
        Call-ID: a84b4c76e66710@192.0.2.1
        CSeq: 314159 INVITE
        m: <sip:alice@192.0.2.1:5060;transport=tcp>;+sip.instance="<urn:uuid:00000000-0000-1000-8000-000A95A0E128>"
        Allow: INVITE, ACK, CANCEL, OPTIONS, BYE,
         REFER, NOTIFY, MESSAGE, UPDATE
        Supported: replaces, outbound, gruu
        User-Agent: ExamplePhone 1.0
        Date: Sat, 21 Nov 2026 03:29:00 GMT
        Accept: application/sdp
        Session-Expires: 1800
        X-Vendor: one; two=2
        Content-Type: application/sdp
        Content-Length: 0


        """
    )

    static func lines(_ text: String) -> [UInt8] {
        Array(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
    }
}
