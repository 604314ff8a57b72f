import SIP
import Testing

@Suite("Response builder")
struct ResponseBuilderTests {
    private let source = SocketAddress(ipv4: 0xc000_0263, port: 40_000)

    private func answer(
        _ via: String,
        _ status: UInt16 = 200,
        tag: UInt64? = 0xab,
        keepAlive: UInt64? = nil,
        to: String = "<sip:bob@example.com>"
    ) -> String {
        let request = Message(
            text: """
                OPTIONS sip:bob@example.com SIP/2.0
                \(via)
                v: SIP/2.0/UDP second.example;branch=z9hG4bK2
                Max-Forwards: 70
                f : Alice <sip:alice@example.com>
                  ;tag=a
                TO: \(to)
                i:1@192.0.2.1
                CSeq:  7 OPTIONS
                Timestamp: 54
                Subject: none of its business
                Content-Length: 0


                """
        )
        var out: [UInt8] = []
        var edits = MessageEdits()
        ResponseBuilder.begin(
            status,
            reason: { $0.append(text: "Fine") },
            to: request,
            toTag: tag,
            source: source,
            keepAlive: keepAlive,
            edits: &edits,
            &out
        )
        ResponseBuilder.end(&out)
        return String(decoding: out, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test("takes over what the request is matched by, as it stands")
    func takesOver() {
        let expected = """
            SIP/2.0 200 Fine
            Via : SIP / 2.0/ TCP 192.0.2.99 ;branch = z9
            v: SIP/2.0/UDP second.example;branch=z9hG4bK2
            f : Alice <sip:alice@example.com>
              ;tag=a
            TO: <sip:bob@example.com>;tag=00000000000000ab
            i:1@192.0.2.1
            CSeq:  7 OPTIONS
            Content-Length: 0


            """
        #expect(answer("Via : SIP / 2.0/ TCP 192.0.2.99 ;branch = z9") == expected)
    }

    @Test("leaves a tag alone, adds none to a 100, and gives Timestamp back there")
    func tags() {
        #expect(
            answer("Via: SIP/2.0/TCP a", to: "<sip:bob@example.com>;tag=own").contains(
                "TO: <sip:bob@example.com>;tag=own\n"
            )
        )
        let trying = answer("Via: SIP/2.0/TCP a", 100, tag: nil)
        #expect(trying.contains("TO: <sip:bob@example.com>\n"))
        #expect(trying.contains("Timestamp: 54\n"))
    }

    @Test(
        "tells the client where it was seen (RFC 3261 section 18.2.1, RFC 3581 section 4, RFC 6223 section 4.3)",
        arguments: [
            ("192.0.2.99;branch=z", "192.0.2.99;branch=z"),
            ("192.0.2.99:1;branch=z", "192.0.2.99:1;branch=z"),
            ("192.0.2.1;branch=z", "192.0.2.1;branch=z;received=192.0.2.99"),
            ("phone.example;branch=z", "phone.example;branch=z;received=192.0.2.99"),
            ("192.0.2.99;rport;branch=z", "192.0.2.99;rport=40000;branch=z;received=192.0.2.99"),
            ("192.0.2.1;branch=z;rport", "192.0.2.1;branch=z;rport=40000;received=192.0.2.99"),
            ("192.0.2.1;RPORT ;branch=z", "192.0.2.1;RPORT=40000 ;branch=z;received=192.0.2.99"),
            ("192.0.2.1;rport=7", "192.0.2.1;rport=7;received=192.0.2.99"),
            ("192.0.2.1;received=forged;rport", "192.0.2.1;received=192.0.2.99;rport=40000"),
            ("192.0.2.99;keep;branch=z", "192.0.2.99;keep=30;branch=z"),
            ("192.0.2.99;keep=5", "192.0.2.99;keep=5"),
            ("192.0.2.1;branch=z;keep", "192.0.2.1;branch=z;keep=30;received=192.0.2.99"),
            ("[2001:db8::1];branch=z, SIP/2.0/UDP b", "[2001:db8::1];branch=z;received=192.0.2.99, SIP/2.0/UDP b"),
        ]
    )
    func received(via: String, expected: String) {
        let text = answer("Via: SIP/2.0/TCP \(via)", keepAlive: 30)
        let lines = text.split(separator: "\n")
        #expect(lines[1] == "Via: SIP/2.0/TCP \(expected)")
    }

    @Test("an IPv6 source stands without brackets")
    func ipv6() {
        let request = Message(with: "Subject: x")
        var out: [UInt8] = []
        let address = SocketAddress(high: 0x2001_0db8_0000_0000, low: 1, port: 5)
        var edits = MessageEdits()
        ResponseBuilder.begin(
            200,
            reason: { $0.append(text: "OK") },
            to: request,
            toTag: nil,
            source: address,
            edits: &edits,
            &out
        )
        ResponseBuilder.end(&out)
        #expect(String(decoding: out, as: UTF8.self).contains(";rport=5;received=2001:db8::1\r\n"))
        #expect(Message(out).validate() == nil)
    }
}
