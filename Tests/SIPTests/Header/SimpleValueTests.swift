import SIP
import Testing

@Suite("Simple header values")
struct SimpleValueTests {
    private func sequence(_ text: String) -> (UInt32, String)? {
        let message = Message(text: "OPTIONS sip:a SIP/2.0\nCSeq: \(text)\n\n")
        return attempt { try message.cseq() }.map { ($0.number, message.text($0.methodRange)) }
    }

    @Test(
        "CSeq is a number below 2^31 and a method",
        arguments: [
            ("1 INVITE", 1), ("0009\n  INVITE", 9), ("2147483647 invite!", 2_147_483_647), ("0\tX", 0),
            ("2147483648 X", nil),
            ("99999999999999999999 X", nil), ("1", nil), ("1 ", nil), ("INVITE", nil), ("INVITE 1", nil),
            ("1INVITE", nil),
            ("-1 X", nil), ("1 X Y", nil), ("1 X/Y", nil), ("", nil),
        ] as [(String, UInt32?)]
    )
    func cseq(text: String, number: UInt32?) {
        #expect(sequence(text)?.0 == number)
    }

    @Test("a method is case-sensitive")
    func methods() {
        for method in Method.allCases where method != .other {
            let name = method.name.description
            #expect(Message(text: "\(name) sip:a SIP/2.0\n\n").method == method)
            #expect(Message(text: "\(name.lowercased()) sip:a SIP/2.0\n\n").method == .other)
            #expect(Message(text: "\(name)X sip:a SIP/2.0\n\n").method == .other)
        }
    }

    @Test(
        "numbers too large count as the largest; what is no number is malformed",
        arguments: [
            ("Expires: 3600", .expires, 3600), ("Expires: 00", .expires, 0), ("Expires: 4294967295", .expires, .max),
            ("Expires: 4294967296", .expires, .max), ("Min-Expires: 99999999999999999999", .minExpires, .max),
            ("Flow-Timer: 120", .flowTimer, 120), ("Max-Breadth: 60", .maxBreadth, 60),
            ("Retry-After: 18 (in a while);duration=3", .retryAfter, 18), ("Retry-After: 7", .retryAfter, 7),
            ("Expires: -1", .expires, nil), ("Expires: 1 2", .expires, nil), ("Expires:", .expires, nil),
            ("Expires: 0x1", .expires, nil), ("Retry-After: soon", .retryAfter, nil),
        ] as [(String, HeaderName, UInt32?)]
    )
    func numbers(line: String, name: HeaderName, value: UInt32?) {
        let message = Message(with: line)
        #expect(attempt { try message.number(name) } == value.map { .some($0) })
    }

    @Test("a number that is absent is nil")
    func absent() throws {
        #expect(try Message(with: "X: y").number(.expires) == nil)
        #expect(try Message(with: "X: y").token(.event) == nil)
    }

    @Test(
        "tokens with parameters",
        arguments: [
            ("Event: presence", .event, "presence", ""), ("o: dialog ; id=7", .event, "dialog", "; id=7"),
            ("Subscription-State: active;expires=5", .subscriptionState, "active", ";expires=5"),
            ("Reason: SIP;cause=200;text=\"a;b\"", .reason, "SIP", ";cause=200;text=\"a;b\""),
            ("Content-Type: application / sdp", .contentType, "application / sdp", ""),
            ("c: multipart/mixed;boundary=\"x\"", .contentType, "multipart/mixed", ";boundary=\"x\""),
            ("Event:", .event, nil, ""), ("Event: a b", .event, nil, ""), ("Event: ;id=7", .event, nil, ""),
            ("Event: a;", .event, nil, ""), ("Event: \"a\"", .event, nil, ""), ("Event: a;x=\"open", .event, nil, ""),
        ] as [(String, HeaderName, String?, String)]
    )
    func tokens(line: String, name: HeaderName, token: String?, parameters: String) {
        let message = Message(with: line)
        let value = attempt { try message.token(name) } ?? nil
        #expect(message.text(value?.token) == token)
        if let value { #expect(message.text(value.parameters) == parameters) }
    }

    @Test(
        "a Call-ID is a word, or two with one @",
        arguments: [
            ("a", true), ("a@b", true), ("%.!-_*+`'~()<>:\\\"/[]?{}@x", true), ("a@b@c", false), ("a b", false),
            ("", false),
            ("a;b", false), ("a,b", false), ("\u{e9}", false),
        ]
    )
    func callID(text: String, isGood: Bool) {
        let message = Message(text: "OPTIONS sip:a SIP/2.0\nCall-ID: \(text)\n\n")
        #expect((attempt { try message.callID() } != nil) == isGood)
    }

    @Test(
        "privacy is asked for by name (RFC 3325 section 9.3)",
        arguments: [
            ("Privacy: id", true), ("Privacy: ID", true), ("Privacy: header; id ;critical", true),
            ("Privacy: none", false),
            ("Privacy: user\nPrivacy: id", true), ("Privacy: identity", false), ("Privacy:", false),
            ("Subject: id", false),
        ]
    )
    func privacy(line: String, isAsked: Bool) {
        #expect(Message(with: line).asksForIdentityPrivacy == isAsked)
    }
}
