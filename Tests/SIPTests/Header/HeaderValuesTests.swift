import SIP
import Testing

@Suite("Comma lists")
struct HeaderValuesTests {
    @Test(
        "are taken apart where a comma separates, and nowhere else",
        arguments: [
            ("Route: a", ["a"]), ("Route: a,b , c", ["a", "b", "c"]), ("Route: a\nRoute: b, c", ["a", "b", "c"]),
            ("Route: \"a,b\" <sip:x>, c", ["\"a,b\" <sip:x>", "c"]), ("Route: <sip:a,b>,c", ["<sip:a,b>", "c"]),
            ("Route: \"a\\\",b\", c", ["\"a\\\",b\"", "c"]), ("Route: \"open, c", ["\"open, c"]),
            ("Route: <sip:a\"b>, c", ["<sip:a\"b>", "c"]), ("Route: a;x=\"<\", c", ["a;x=\"<\"", "c"]),
            ("Route: a,\n b,\n\tc", ["a", "b", "c"]), ("Route:", [""]), ("Route: ,a,,", ["", "a", "", ""]),
            ("Subject: a,b", []),
        ] as [(String, [String])]
    )
    func values(lines: String, expected: [String]) {
        let message = Message(with: lines)
        #expect(message.values(.route).map { message.text($0) } == expected)
        #expect(message.text(message.firstValue(.route)) == expected.first)
    }

    @Test(
        "option tags are found in any case",
        arguments: [
            ("Supported: path, outbound", true), ("k: OUTBOUND", true), ("Supported: outbound2", false),
            ("Supported: a\nSupported: b,\n outbound", true), ("Supported:", false), ("Require: outbound", false),
        ]
    )
    func lists(line: String, found: Bool) {
        #expect(Message(with: line).lists("outbound", in: .supported) == found)
    }
}

@Suite("Via")
struct ViaTests {
    /// Host, port, transport, branch, received, rport, keep, one after the other; nil where it is malformed.
    private func read(_ text: String) -> [String]? {
        let message = Message(with: "Via: \(text)")
        guard let via = attempt({ try message.topVia() }) ?? nil else { return nil }
        #expect(message.topBranch() == via.branch)
        return [
            message.text(via.transport), message.text(via.sentBy), message.text(via.host), "\(via.port ?? 0)",
            message.text(via.branch) ?? "-", message.text(via.received) ?? "-",
            via.rport.map { message.text($0.value) ?? "" } ?? "-", via.keep.map { message.text($0.value) ?? "" } ?? "-",
        ]
    }

    @Test(
        "is read with any white space",
        arguments: [
            (
                "SIP/2.0/TCP a.example:5061;branch=z",
                ["TCP", "a.example:5061", "a.example", "5061", "z", "-", "-", "-"]
            ),
            (
                "sip / 2.0\t/ udp  192.0.2.1 : 7 ;\n branch = z",
                ["udp", "192.0.2.1 : 7", "192.0.2.1", "7", "z", "-", "-", "-"]
            ),
            ("SIP/2.0/TLS [2001:db8::1]", ["TLS", "[2001:db8::1]", "[2001:db8::1]", "0", "-", "-", "-", "-"]),
            (
                "SIP/2.0/WSS [::ffff:192.0.2.1]:0;rport",
                ["WSS", "[::ffff:192.0.2.1]:0", "[::ffff:192.0.2.1]", "0", "-", "-", "", "-"]
            ),
            ("SIP/2.0/X-Y h;RPORT=9;Keep;received=1.2.3.4", ["X-Y", "h", "h", "0", "-", "1.2.3.4", "9", ""]),
            ("SIP/2.0/TCP h;keep=30;branch=a;branch=b", ["TCP", "h", "h", "0", "a", "-", "-", "30"]),
            ("SIP/2.0/TCP h;branch=\"q;r\"", ["TCP", "h", "h", "0", "\"q;r\"", "-", "-", "-"]),
            ("SIP/2.0/TCP a, SIP/2.0/TCP b", ["TCP", "a", "a", "0", "-", "-", "-", "-"]),
        ] as [(String, [String])]
    )
    func good(text: String, expected: [String]) {
        #expect(read(text) == expected)
    }

    @Test(
        "is refused where it is none",
        arguments: [
            "", "SIP/2.0/TCP", "SIP/2.0/TCP ", "SIP/2.0 h", "SIP/3.0/TCP h", "SIPS/2.0/TCP h", "SIP//TCP h",
            "SIP/2.0/ h",
            "SIP/2.0/TCP h:", "SIP/2.0/TCP h:65536", "SIP/2.0/TCP h:-1", "SIP/2.0/TCP h:5060x", "SIP/2.0/TCP [::1",
            "SIP/2.0/TCP [1.2.3.4]", "SIP/2.0/TCP 2001:db8::1", "SIP/2.0/TCP h;", "SIP/2.0/TCP h;;a",
            "SIP/2.0/TCP h;branch=",
            "SIP/2.0/TCP h branch=z", "SIP/2.0/TCP h;a=\"open", "SIP/2.0/TCP h;a b", "SIP/2.0/TCP ;branch=z",
            "SIP/2.0/TCP <h>",
        ]
    )
    func bad(text: String) {
        #expect(read(text) == nil)
    }
}
