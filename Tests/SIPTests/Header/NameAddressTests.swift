import SIP
import Testing

@Suite("Name-addresses")
struct NameAddressTests {
    @Test(
        "have a name, a URI and parameters, each in its place",
        arguments: [
            ("<sip:a@b>", [nil, "sip:a@b", ""]), ("Alice <sip:a@b>;tag=1", ["Alice", "sip:a@b", ";tag=1"]),
            ("A. B. C <sip:a@b>", ["A. B. C", "sip:a@b", ""]), ("\"A, <B>\"<sip:a@b>", ["\"A, <B>\"", "sip:a@b", ""]),
            (
                "\"\\\"\\\\\" \n <sip:a@b> \n ;\n tag\n =\n 1",
                ["\"\\\"\\\\\"", "sip:a@b", " \r\n ;\r\n tag\r\n =\r\n 1"]
            ),
            ("sip:a@b;tag=1", [nil, "sip:a@b", ";tag=1"]), ("<sip:a@b;lr?x=y>;p", [nil, "sip:a@b;lr?x=y", ";p"]),
            ("tel:+1-201-555-0123;tag=1", [nil, "tel:+1-201-555-0123", ";tag=1"]),
            ("<http://x.example/a?b,c>", [nil, "http://x.example/a?b,c", ""]),
            ("sip:a@b;+sip.instance=\"<urn:uuid:1>\"", [nil, "sip:a@b", ";+sip.instance=\"<urn:uuid:1>\""]),
            ("<sip:a@b>;x=\"a;b,c\"", [nil, "sip:a@b", ";x=\"a;b,c\""]), ("*x <sip:a>", ["*x", "sip:a", ""]),
        ] as [(String, [String?])]
    )
    func good(text: String, expected: [String?]) throws {
        let message = Message(with: "Reply: x\nRefer-To: \(text)")
        let address = try #require(try message.nameAddress(.referTo))
        #expect(
            [message.text(address.displayName), message.text(address.uri), message.text(address.parameters)] == expected
        )
    }

    @Test(
        "are refused where they are none",
        arguments: [
            "", "x", "<>", "<sip:>", "<sip:a", "sip:a@b>", "\"open <sip:a@b>", "\"a\" sip:a@b", "a, b <sip:a@b>",
            "a@b <sip:a@b>", "<sip:a b>", "< sip:a@b>", "sip:a@b?x=y", "<sip:a@b>;", "<sip:a@b>x", "<sip:a@b> tag=1",
            "<sip:a@b>;tag=", "<sip:a@b>;=1", "<sip:a@b>;x=\"open", "\"a\\", "<<sip:a@b>>", "<sip:a\u{7f}b>",
        ]
    )
    func bad(text: String) {
        let message = Message(with: "Refer-To: \(text)")
        #expect(throws: MessageFault.malformed(.referTo)) { try message.nameAddress(.referTo) }
    }

    @Test("absent is not malformed, and lists give all")
    func lists() throws {
        let message = Message(with: "Path: <sip:a;lr>, <sip:b;lr>\nPath: <sip:c;lr>")
        #expect(try message.nameAddress(.referTo) == nil)
        #expect(try message.firstNameAddress(.serviceRoute) == nil)
        #expect(try message.nameAddresses(.path).map { message.text($0.uri) } == ["sip:a;lr", "sip:b;lr", "sip:c;lr"])
        #expect(try message.tag(.from).map { message.text($0) } == "a")
        #expect(try message.tag(.to) == nil)
    }
}

@Suite("Contacts")
struct ContactTests {
    private func read(_ text: String) -> (Message, Contact.Address)? {
        let message = Message(with: "Contact: \(text)")
        guard case .address(let address) = attempt({ try Contact.all(of: message) })?.first else { return nil }
        return (message, address)
    }

    @Test(
        "q is a fraction of three digits at most",
        arguments: [
            ("0", 0), ("1", 1000), ("0.5", 500), ("0.333", 333), ("1.0", 1000), ("1.000", 1000), ("0.05", 50),
            ("0.", 0), ("1.", 1000), ("0.000", 0), ("2", nil), ("1.1", nil), ("1.001", nil), ("0.1234", nil),
            (".5", nil),
            ("-1", nil), ("0,5", nil), ("00", nil), ("0.5x", nil), ("0x5", nil), ("\"0.5\"", nil),
        ] as [(String, UInt16?)]
    )
    func q(text: String, value: UInt16?) {
        #expect(read("<sip:a@b>;q=\(text)")?.1.q == value)
    }

    @Test(
        "expires is a number, the largest where it is larger, and nothing where it is none (RFC 3261 section 20.10)",
        arguments: [
            ("0", 0), ("3600", 3600), ("4294967295", .max), ("4294967296", .max), ("99999999999999999999999", .max),
            ("x", nil), ("-1", nil), ("1.5", nil),
        ] as [(String, UInt32?)]
    )
    func expires(text: String, value: UInt32?) {
        #expect(read("<sip:a@b>;expires=\(text)")?.1.expires == value)
        #expect(read("<sip:a@b>;expires=\(text)") != nil)
    }

    @Test(
        "reg-id counts from 1 (RFC 5626 section 4.2)",
        arguments: [
            ("1", 1), ("2147483647", 2_147_483_647), ("0", nil), ("2147483648", nil), ("x", nil), ("-1", nil),
        ] as [(String, UInt32?)]
    )
    func regID(text: String, value: UInt32?) {
        #expect(read("<sip:a@b>;reg-id=\(text)")?.1.regID == value)
    }

    @Test("an instance is kept as written, and may stand behind a bare URI")
    func instance() throws {
        for text in ["<sip:a@b>;+sip.instance=\"<urn:x>\";reg-id=1", "sip:a@b;reg-id=1;+SIP.Instance=\"<urn:x>\""] {
            let (message, contact) = try #require(read(text))
            #expect(message.text(contact.instance) == "\"<urn:x>\"")
            #expect(contact.regID == 1)
            #expect(contact.q == 1000)
            #expect(contact.expires == nil)
        }
    }

    @Test("a star is all of them")
    func star() throws {
        #expect(try Contact.all(of: Message(with: "m: *")) == [.all])
        let two = try Contact.all(of: Message(with: "m: <sip:a>, \"*\" <sip:b>"))
        #expect(two.count == 2 && !two.contains(.all))
        #expect(try Contact.all(of: Message(with: "X: y")).isEmpty)
    }
}
