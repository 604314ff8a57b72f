import SIP
import Testing

@Suite("SIP URIs")
struct SIPURITests {
    @Test(
        "are taken apart",
        arguments: [
            ("sip:alice@atlanta.com", ["alice", nil, "atlanta.com", nil, "", nil]),
            (
                "sip:alice:secretword@atlanta.com;transport=tcp",
                ["alice", "secretword", "atlanta.com", nil, ";transport=tcp", nil]
            ),
            (
                "SIPS:alice@atlanta.com?subject=project%20x&priority=urgent",
                ["alice", nil, "atlanta.com", nil, "", "subject=project%20x&priority=urgent"]
            ),
            (
                "sip:+1-212-555-1212:1234@gateway.com;user=phone",
                ["+1-212-555-1212", "1234", "gateway.com", nil, ";user=phone", nil]
            ),
            (
                "sip:atlanta.com;method=REGISTER?to=alice%40atlanta.com",
                [nil, nil, "atlanta.com", nil, ";method=REGISTER", "to=alice%40atlanta.com"]
            ),
            ("sip:alice;day=tuesday@atlanta.com", ["alice;day=tuesday", nil, "atlanta.com", nil, "", nil]),
            ("sip:1.2.3.4:65535", [nil, nil, "1.2.3.4", "65535", "", nil]),
            ("sip:a:@[2001:db8::1]:5060;lr", ["a", "", "[2001:db8::1]", "5060", ";lr", nil]),
            ("sip:a?b/c@h", ["a?b/c", nil, "h", nil, "", nil]),
            ("sip:%61%40@h;x=%20;y", ["%61%40", nil, "h", nil, ";x=%20;y", nil]),
        ] as [(String, [String?])]
    )
    func good(text: String, parts: [String?]) throws {
        let bytes = Array(text.utf8)
        let uri = try SIPURI(bytes, bytes.indices)
        func part(_ range: Range<Int>?) -> String? { range.map { String(decoding: bytes[$0], as: UTF8.self) } }
        let found = [
            part(uri.user), part(uri.password), part(uri.host), uri.port.map { "\($0)" }, part(uri.parameters),
            part(uri.headers),
        ]
        #expect(found == parts)
        #expect(uri.isSecure == text.hasPrefix("SIPS"))
    }

    @Test(
        "are refused where they are none",
        arguments: [
            "", "sip", "sip:", ":a@b", "sip:@b", "sip:a@", "sip:a b@c", "sip:a@b c", "sip:a@b@c", "sip:a%@b",
            "sip:a%4@b",
            "sip:a%4g@b", "sip:a@b:", "sip:a@b:65536", "sip:a@b:5060x", "sip:a@b;", "sip:a@b;;lr", "sip:a@b;=x",
            "sip:a@b;x=",
            "sip:a@b; lr", "sip:a@b?", "sip:a@[::1", "sip:a@[1.2.3.4]", "sip:a@[]", "sip:2001:db8::10", "<sip:a@b>",
            " sip:a@b",
            "sip:a@b ", "sip:\"a\"@b", "sip:a@b;x=\"y\"", "sip:a@b?x=\u{7f}", "sip:\u{e9}@b", "5ip:a", "s p:a",
            "sip:a@b,c",
        ]
    )
    func malformed(text: String) {
        let bytes = Array(text.utf8)
        #expect(SIPURI.fault(bytes, bytes.indices) == .malformed)
    }

    @Test(
        "another scheme is another matter",
        arguments: ["tel:+1", "mailto:a@b", "http://a", "soap.beep://a", "a+b-c.1:x"]
    )
    func otherScheme(text: String) {
        let bytes = Array(text.utf8)
        #expect(SIPURI.fault(bytes, bytes.indices) == .otherScheme)
    }
}
