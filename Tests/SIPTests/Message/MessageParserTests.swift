import SIP
import Testing

@Suite("Message parser")
struct MessageParserTests {
    @Test("every part lies where it stands")
    func index() {
        let message = Message(
            text: """
                INVITE sip:bob@example.com SIP/2.0
                v:SIP/2.0/TCP a
                Subject \t:  folded
                  twice\t
                 over \u{20}
                X-Unknown: y
                Empty:
                l: 3

                abcdef
                """
        )
        #expect(message.fault == nil)
        #expect(message.isRequest)
        #expect(message.method == .invite)
        #expect(message.text(message.methodRange) == "INVITE")
        #expect(message.text(message.requestURI) == "sip:bob@example.com")
        #expect(message.text(message.startLine) == "INVITE sip:bob@example.com SIP/2.0\r\n")
        let fields = message.fields.map { "\($0.name) \(message.text($0.nameRange))=\(message.text($0.value))" }
        let expected = [
            "via v=SIP/2.0/TCP a", "subject Subject=folded\r\n  twice\t\r\n over", "other X-Unknown=y", "other Empty=",
            "contentLength l=3",
        ]
        #expect(fields == expected)
        #expect(message.text(message.body) == "abc")
        var at = message.headerStart
        for field in message.fields {
            #expect(field.line.lowerBound == at)
            at = field.line.upperBound
        }
        #expect(message.text(at..<at + 2) == "\r\n")
        #expect(message.body.lowerBound == at + 2)
    }

    @Test("a message that is parsed into again keeps nothing")
    func again() {
        var message = Message(with: "Subject: x", body: "abc")
        message.parse(Array("SIP/2.0 180 Ringing\r\nCSeq: 1 INVITE\r\n\r\n".utf8).span)
        #expect(message.fault == nil)
        #expect(message.status == 180)
        #expect(message.method == .invite)
        #expect(message.methodRange.isEmpty && message.requestURI.isEmpty && message.body.isEmpty)
        #expect(message.fields.count == 1)
    }

    @Test(
        "a start line that is none is told",
        arguments: [
            ("INVITE sip:a@b SIP/2.0", nil), ("INVITE sip:a@b sip/2.0", nil), ("SIP/2.0 200 OK", nil),
            ("sip/2.0 200", nil), ("SIP/2.0 699 ", nil), ("INVITE sip:a@b SIP/2.1", .version),
            ("INVITE sip:a@b SIP/2.00", .version), ("SIP/3.0 200 OK", .version), ("INVITE sip:a@b", .startLine),
            ("INVITE  SIP/2.0", .startLine), ("INVITE", .startLine), ("", .startLine),
            ("INVITE\tsip:a@b SIP/2.0", .startLine), ("SIP/2.0 99 Low", .startLine), ("SIP/2.0 700 High", .startLine),
            ("SIP/2.0 2000 OK", .startLine), ("SIP/2.0  200 OK", .startLine), ("SIP/2.0 2x0 OK", .startLine),
            ("SIP/2.0", .startLine), ("INVITE sip: a@b SIP/2.0", .requestURI),
            ("INVITE sip:a@b\t SIP/2.0", .requestURI),
        ] as [(String, MessageFault?)]
    )
    func startLines(line: String, fault: MessageFault?) {
        #expect(Message(text: line + "\nCSeq: 1 INVITE\n\n").fault == fault)
    }

    @Test(
        "a header section that is none is told, and what is sound is indexed",
        arguments: [
            ("A: b\n\n", nil, 1), ("A : b\n\n", nil, 1), ("A:\n b\n\n", nil, 1), ("A: b\n c: d\n\n", nil, 1),
            ("A b\nC: d\n\n", .headerLine, 1), (": b\nC: d\n\n", .headerLine, 1), (" A: b\nC: d\n\n", .headerLine, 1),
            ("A: b\n", .headerLine, 1), ("A: b", .headerLine, 0), ("", .headerLine, 0),
            ("A: b\rc\n\n", .lineEnd, 1), ("A\u{b}: b\n\n", .headerLine, 0), ("A: \u{0}\n\n", nil, 1),
            ("l: 1\n\n", .bodyTooShort, 1), ("l: x\n\n", .malformed(.contentLength), 1),
            ("l: 99999999999999999999\n\n", .malformed(.contentLength), 1),
            ("l: \n\n", .malformed(.contentLength), 1),
        ] as [(String, MessageFault?, Int)]
    )
    func headerLines(lines: String, fault: MessageFault?, count: Int) {
        let message = Message(text: "INVITE sip:a@b SIP/2.0\n" + lines)
        #expect(message.fault == fault)
        #expect(message.fields.count == count)
    }

    @Test("a bare line feed ends nothing")
    func bareLineFeed() {
        let message = Message(Array("INVITE sip:a@b SIP/2.0\r\nA: b\nTo: c\r\n\r\n".utf8))
        #expect(message.fault == .lineEnd)
        #expect(!message.has(.to))
    }

    @Test("a CR or LF that ends no line can't be answered where an answer would take it over")
    func bareLineEndsInAnswers() {
        let sound = "OPTIONS sip:a SIP/2.0\r\nVia: SIP/2.0/TCP a;branch=z9hG4bK1\r\nCSeq: 1 OPTIONS\r\n"
        let rows: [(fields: String, isAnswerable: Bool)] = [
            ("Subject: a\rb\r\n", true), ("To: a\r\n b\r\n", true), ("To: a\rb\r\n", false), ("From: a\nb\r\n", false),
            ("Call-ID: a\r\r\n", false), ("Via:\n a\r\n", false),
        ]
        for (fields, isAnswerable) in rows {
            #expect(Message(Array("\(sound)\(fields)\r\n".utf8)).isAnswerable == isAnswerable, "\(fields)")
        }
    }

    @Test("no more header fields are kept than the limits allow")
    func tooMany() {
        var limits = Limits()
        limits.headerFields = 3
        let lines = String(repeating: "A: b\r\n", count: 3)
        #expect(Message(Array("OPTIONS sip:a SIP/2.0\r\n\(lines)\r\n".utf8), limits: limits).fault == nil)
        let message = Message(Array("OPTIONS sip:a SIP/2.0\r\n\(lines)A: b\r\n\r\n".utf8), limits: limits)
        #expect(message.fault == .tooManyHeaderFields)
        #expect(message.fields.count == 3)
        #expect(message.fault?.status == 513)
    }

    @Test(
        "what must be there is missed, once and no more",
        arguments: [
            ("Via", .missing(.via)), ("From", .missing(.from)), ("To", .missing(.to)), ("Call-ID", .missing(.callID)),
            ("CSeq", .missing(.cseq)),
        ] as [(String, MessageFault)]
    )
    func mandatory(name: String, fault: MessageFault) {
        let sound = Message(with: "Subject: x")
        #expect(sound.validate() == nil)
        let lines = sound.text(0..<sound.bytes.count).split(separator: "\r\n", omittingEmptySubsequences: false)
        let line = lines.first { $0.hasPrefix("\(name):") } ?? ""
        let without = lines.filter { $0 != line }.joined(separator: "\r\n")
        #expect(Message(Array(without.utf8)).validate() == fault)
        let twice = Message(with: String(line)).validate()
        #expect(
            twice
                == (name == "Via"
                    ? nil : HeaderName.allCases.first { $0.name.description == name }.map { .duplicate($0) })
        )
    }

    @Test(
        "values that anybody must understand are read before anything is done",
        arguments: [
            ("Route: <sip:a.example;lr>, \"x\" <sip:b>", nil), ("Route: sip:a b", .malformed(.route)),
            ("Contact: *", nil), ("Contact: <sip:a@b>;q=2", .malformed(.contact)), ("Contact: <mailto:a@b>", nil),
            ("Contact: <sip:@b>", .malformed(.contact)), ("Record-Route: nonsense", nil), ("Via: x", .malformed(.via)),
            ("Max-Forwards: 3", .duplicate(.maxForwards)), ("Content-Length: 0", .duplicate(.contentLength)),
        ] as [(String, MessageFault?)]
    )
    func values(line: String, fault: MessageFault?) {
        #expect(Message(with: line).validate() == fault)
    }

    @Test(
        "a proxy wants all of a response that must be there, and leaves its values to the client",
        arguments: [
            ("", "", nil), ("Via", "", .missing(.via)), ("From", "", .missing(.from)), ("To", "", .missing(.to)),
            ("Call-ID", "", .missing(.callID)), ("CSeq", "", .missing(.cseq)), ("CSeq", "CSeq: x", .malformed(.cseq)),
            ("", "To: <sip:b@b>", .duplicate(.to)), ("", "Subject", .headerLine), ("From", "From: <", nil),
            ("To", "To: <sip:@>;;", nil), ("Call-ID", "Call-ID: @@", nil), ("", "Contact: <sip:@b>", nil),
        ] as [(String, String, MessageFault?)]
    )
    func relayed(without: String, with line: String, fault: MessageFault?) {
        let lines = [
            "Via: SIP/2.0/TCP a;branch=z9hG4bK1", "From: <sip:a@b>;tag=1", "To: <sip:b@b>;tag=2", "Call-ID: 1",
            "CSeq: 1 INVITE", line,
        ]
        let left = lines.filter { !$0.isEmpty && (without.isEmpty || $0 == line || !$0.hasPrefix("\(without):")) }
        let response = Message(Array("SIP/2.0 200 OK\r\n\(left.joined(separator: "\r\n"))\r\n\r\n".utf8))
        #expect(response.outlineFault() == fault)
        let request = Message(Array("INVITE sip:b@b SIP/2.0\r\n\(left.joined(separator: "\r\n"))\r\n\r\n".utf8))
        #expect(request.outlineFault() == fault)
        let bye = Message(Array("BYE sip:b@b SIP/2.0\r\n\(left.joined(separator: "\r\n"))\r\n\r\n".utf8))
        #expect(bye.outlineFault() == fault ?? .methodMismatch)
    }
}
