import SIP
import TestSupport
import Testing

/// Which layer must object to a torture message, and how.
///
/// What is left to the routing (416, 420, 483, ...) is in SignalingTests/TortureRoutingTests.swift; to these layers those
/// messages are sound.
private struct Verdict: CustomTestStringConvertible {
    /// What the framer makes of it, as the first thing in a stream.
    enum Framing: Equatable {
        /// One message, to the last byte.
        case whole
        /// One message, and more behind it.
        case first
        /// So many bytes are missing.
        case waits(Int)
        case refuses(FramingFault)
    }

    let source: Torture.Source
    let name: String
    let framing: Framing
    /// What validation makes of it, as if it had come in a datagram.
    let fault: MessageFault?

    init(_ source: Torture.Source, _ name: String, _ framing: Framing = .whole, _ fault: MessageFault? = nil) {
        self.source = source
        self.name = name
        self.framing = framing
        self.fault = fault
    }

    var testDescription: String { "\(source) \(name)" }
}

/// RFC 4475, in its order.
private let rfc4475: [Verdict] = [
    // 3.1.1: valid, however odd.
    Verdict(.rfc4475, "wsinv"), Verdict(.rfc4475, "intmeth"), Verdict(.rfc4475, "esc01"),
    Verdict(.rfc4475, "escnull"), Verdict(.rfc4475, "esc02"), Verdict(.rfc4475, "lwsdisp"),
    Verdict(.rfc4475, "longreq"), Verdict(.rfc4475, "dblreq", .first), Verdict(.rfc4475, "semiuri"),
    Verdict(.rfc4475, "transports"), Verdict(.rfc4475, "mpart01"), Verdict(.rfc4475, "unreason"),
    Verdict(.rfc4475, "noreason"),
    // 3.1.2: invalid.
    Verdict(.rfc4475, "badinv01", .whole, .malformed(.via)),
    Verdict(.rfc4475, "clerr", .waits(9845), .bodyTooShort),
    Verdict(.rfc4475, "ncl", .refuses(.contentLengthInvalid), .malformed(.contentLength)),
    Verdict(.rfc4475, "scalar02", .whole, .malformed(.cseq)),
    // The same in a response: to be discarded.
    Verdict(.rfc4475, "scalarlg", .whole, .malformed(.cseq)),
    Verdict(.rfc4475, "quotbal", .whole, .malformed(.to)),
    Verdict(.rfc4475, "ltgtruri", .whole, .requestURI),
    Verdict(.rfc4475, "lwsruri", .whole, .requestURI),
    Verdict(.rfc4475, "lwsstart", .whole, .requestURI),
    Verdict(.rfc4475, "trws", .whole, .requestURI),
    Verdict(.rfc4475, "escruri", .whole, .requestURI),
    // Nobody here reads Date, and who does not may pass it on.
    Verdict(.rfc4475, "baddate"),
    Verdict(.rfc4475, "regbadct", .whole, .malformed(.contact)),
    Verdict(.rfc4475, "badaspec", .whole, .malformed(.to)),
    Verdict(.rfc4475, "baddn", .whole, .malformed(.from)),
    Verdict(.rfc4475, "badvers", .whole, .version),
    Verdict(.rfc4475, "mismatch01", .whole, .methodMismatch),
    Verdict(.rfc4475, "mismatch02", .whole, .methodMismatch),
    Verdict(.rfc4475, "bigcode", .whole, .startLine),
    // 3.2: a matter for transactions.
    Verdict(.rfc4475, "badbranch"),
    // 3.3: a matter for the rules, mostly.
    Verdict(.rfc4475, "insuf", .whole, .missing(.from)),
    Verdict(.rfc4475, "unkscm"), Verdict(.rfc4475, "novelsc"), Verdict(.rfc4475, "unksm2"),
    Verdict(.rfc4475, "bext01"), Verdict(.rfc4475, "invut"), Verdict(.rfc4475, "regaut01"),
    Verdict(.rfc4475, "multi01", .whole, .duplicate(.cseq)),
    Verdict(.rfc4475, "mcl01", .refuses(.contentLengthInvalid), .duplicate(.contentLength)),
    Verdict(.rfc4475, "bcast"), Verdict(.rfc4475, "zeromf"), Verdict(.rfc4475, "cparam01"),
    Verdict(.rfc4475, "cparam02"), Verdict(.rfc4475, "regescrt"), Verdict(.rfc4475, "sdp01"),
    // 3.4: sound in a datagram; a stream needs Content-Length (RFC 3261 section 18.3).
    Verdict(.rfc4475, "inv2543", .refuses(.contentLengthMissing)),
]

/// RFC 5118, in its order: all but one are to be taken.
private let rfc5118: [Verdict] = [
    Verdict(.rfc5118, "ipv6-good"), Verdict(.rfc5118, "ipv6-bad", .whole, .requestURI),
    Verdict(.rfc5118, "port-ambiguous"), Verdict(.rfc5118, "port-unambiguous"),
    Verdict(.rfc5118, "via-received-param-with-delim"), Verdict(.rfc5118, "via-received-param-no-delim"),
    Verdict(.rfc5118, "ipv6-in-sdp"), Verdict(.rfc5118, "mult-ip-in-header"), Verdict(.rfc5118, "mult-ip-in-sdp"),
    Verdict(.rfc5118, "ipv4-mapped-ipv6"), Verdict(.rfc5118, "ipv6-bug-abnf-3-colons"),
    Verdict(.rfc5118, "ipv6-correct-abnf-2-colons"),
]

@Suite("Torture messages")
struct TortureTests {
    @Test("every message has its verdict", arguments: Torture.Source.allCases)
    func complete(source: Torture.Source) throws {
        let judged = (source == .rfc4475 ? rfc4475 : rfc5118).map(\.name)
        #expect(try judged.sorted() == Torture.names(of: source))
    }

    @Test("the framer objects where it must, and nowhere else", arguments: rfc4475 + rfc5118)
    private func framing(verdict: Verdict) throws {
        let bytes = try Torture.message(verdict.name, of: verdict.source)
        var framer = StreamFramer()
        let found: Verdict.Framing =
            switch framer.next(bytes.span, limits: Limits()) {
            case .message(let length): length == bytes.count ? .whole : .first
            case .incomplete(let missing): .waits(missing)
            case .fault(let fault): .refuses(fault)
            case .ping, .blankLine: .refuses(.notSIP)
            }
        #expect(found == verdict.framing)
    }

    @Test("validation objects where it must, and nowhere else", arguments: rfc4475 + rfc5118)
    private func validation(verdict: Verdict) throws {
        let message = try torture(verdict.name, of: verdict.source)
        #expect(message.validate() == verdict.fault)
        #expect(message.isAnswerable == message.isRequest, "no request of these is beyond an answer")
        if let fault = verdict.fault, message.isRequest { #expect(fault.status == (fault == .version ? 505 : 400)) }
    }

    @Test("forwarded without edits, every message leaves byte for byte", arguments: rfc4475 + rfc5118)
    private func untouched(verdict: Verdict) throws {
        let message = try torture(verdict.name, of: verdict.source)
        var out: [UInt8] = []
        MessageEdits().apply(to: message, &out)
        #expect(out == Array(message.bytes[..<message.body.upperBound]))
    }
}

/// A message, cut off where the framer would cut it.
private func torture(_ name: String, of source: Torture.Source = .rfc4475) throws -> Message {
    let bytes = try Torture.message(name, of: source)
    var framer = StreamFramer()
    guard case .message(let length) = framer.next(bytes.span, limits: Limits()) else { return Message(bytes) }
    return Message(Array(bytes[..<length]))
}

@Suite("What torture messages say")
struct TortureMeaningTests {
    @Test("white space, folds and case change nothing (wsinv)")
    func whiteSpace() throws {
        let message = try torture("wsinv")
        #expect(try message.number(.maxForwards) == 68)
        let sequence = try message.cseq()
        #expect(sequence.number == 9)
        #expect(sequence.method == .invite)
        let vias = try message.values(.via).map { try Via(message.bytes, $0) }
        let hops = vias.map {
            "\(message.text($0.transport)) \(message.text($0.sentBy)) \(message.text($0.branch ?? 0..<0))"
        }
        let expected = [
            "UDP 192.0.2.2 390skdjuw", "TCP spindle.example.com z9hG4bK9ikj8", "UDP 192.168.255.111 z9hG4bK30239",
        ]
        #expect(hops == expected)
        #expect(try message.tag(.to).map { message.text($0) } == "1918181833n")
        #expect(try message.tag(.from).map { message.text($0) } == "98asjd8")
        let from = try #require(try message.nameAddress(.from))
        #expect(from.displayName.map { message.bytes.unquoted($0) } == "J Rosenberg \\\"")
        #expect(message.first(.subject)?.value.isEmpty == true)
        guard case .address(let contact) = try Contact.all(of: message).first else {
            Issue.record("no contact")
            return
        }
        #expect(contact.q == 330)
        #expect(message.bytes.unquoted(contact.nameAddress.displayName ?? 0..<0) == "Quoted string \"\"")
    }

    @Test("every character that may stand somewhere is taken there (intmeth)")
    func characters() throws {
        let message = try torture("intmeth")
        #expect(message.method == .other)
        #expect(message.text(message.methodRange) == "!interesting-Method0123456789_*+`.%indeed'~")
        let uri = try SIPURI(message.bytes, message.requestURI)
        #expect(uri.user.map { message.text($0) } == "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*")
        #expect(uri.password.map { message.text($0) } == "&it+has=1,weird!*pas$wo~d_too.(doesn't-it)")
        #expect(message.text(uri.host) == "example.com")
        #expect(try message.text(message.callID()) == "intmeth.word%ZK-!.*_+'@word`~)(><:\\/\"][?}{")
        #expect(try message.tag(.from).map { message.text($0) } == "_token~1'+`*%!-.")
        let to = try #require(try message.nameAddress(.to))
        #expect(message.bytes.unquoted(to.displayName ?? 0..<0) == "BEL:\u{7} NUL:\0 DEL:\u{7f}")
        let named = message.fields.filter { $0.name == .other }.map { message.text($0.value) }
        #expect(named == ["\u{feff}\u{5927}\u{505c}\u{96fb}"])
    }

    @Test("escapes stand for characters in URIs (esc01, escnull)")
    func escapes() throws {
        let message = try torture("esc01")
        let uri = try SIPURI(message.bytes, message.requestURI)
        #expect(uri.user.map { message.bytes.unescaped($0) } == "sips:user@example.com")
        let to = try #require(try message.nameAddress(.to))
        let plain = Array("sip:user@example.com".utf8)
        #expect(URIComparison.areEqual(message.bytes, to.uri, plain, plain.indices))

        let null = try torture("escnull")
        let contacts = try null.nameAddresses(.contact)
        #expect(contacts.map { null.text($0.uri) } == ["sip:%00@host5.example.com", "sip:%00%00@host5.example.com"])
        #expect(!URIComparison.areEqual(null.bytes, contacts[0].uri, null.bytes, contacts[1].uri))
    }

    @Test("escapes mean nothing outside of URIs (esc02)")
    func notEscapes() throws {
        let message = try torture("esc02")
        #expect(message.method == .other)
        #expect(message.text(message.methodRange) == "RE%47IST%45R")
        #expect(try message.nameAddresses(.contact).count == 2)
    }

    @Test("no white space is needed between a display name and <, and ; may stand in a user (lwsdisp, semiuri)")
    func users() throws {
        let spaced = try torture("lwsdisp")
        #expect(try spaced.nameAddress(.from)?.displayName.map { spaced.text($0) } == "caller")
        let message = try torture("semiuri")
        let uri = try SIPURI(message.bytes, message.requestURI)
        #expect(uri.user.map { message.bytes.unescaped($0) } == "user;par=u@example.net")
        #expect(uri.parameters.isEmpty)
    }

    @Test("what is long is whole (longreq, transports, mpart01)")
    func long() throws {
        let message = try torture("longreq")
        #expect(message.values(.via).map { $0 }.count == 34)
        #expect(try message.topVia().map { message.text($0.sentBy) } == "sip33.example.com")
        let transports = try torture("transports")
        let names = try transports.values(.via).map { transports.text(try Via(transports.bytes, $0).transport) }
        #expect(names == ["UDP", "SCTP", "TLS", "UNKNOWN", "TCP"])
        let multipart = try torture("mpart01")
        #expect(multipart.body.count == 553)
        #expect(multipart.bytes[multipart.body].contains(0))
    }

    @Test("a reason may be anything, or nothing (unreason, noreason)")
    func reasons() throws {
        let message = try torture("unreason")
        #expect(message.status == 200)
        #expect(message.text(message.reason).hasPrefix("= 2**3 * 5**2 \u{43d}\u{43e} "))
        let empty = try torture("noreason")
        #expect(empty.status == 100)
        #expect(empty.reason.isEmpty)
    }

    @Test("numbers too large to hold count as the largest (scalar02, scalarlg)")
    func numbers() throws {
        let message = try torture("scalar02")
        #expect(try message.number(.expires) == .max)
        let contacts = try Contact.all(of: message)
        guard case .address(let contact) = contacts.first else {
            Issue.record("no contact")
            return
        }
        #expect(contact.expires == .max)
        #expect(try torture("scalarlg").number(.retryAfter) == .max)
    }

    @Test("a parameter belongs to the URI only within brackets (cparam01, cparam02, regescrt)")
    func ownership() throws {
        let outside = try torture("cparam01")
        let bare = try #require(try outside.firstNameAddress(.contact))
        #expect(outside.text(bare.uri) == "sip:+19725552222@gw1.example.net")
        #expect(outside.text(bare.parameters) == ";unknownparam")
        let inside = try torture("cparam02")
        let bracketed = try #require(try inside.firstNameAddress(.contact))
        #expect(inside.text(bracketed.uri) == "sip:+19725552222@gw1.example.net;unknownparam")
        #expect(bracketed.parameters.isEmpty)
        let escaped = try torture("regescrt")
        let contact = try #require(try escaped.firstNameAddress(.contact))
        let uri = try SIPURI(escaped.bytes, contact.uri)
        #expect(uri.headers.map { escaped.text($0) } == "Route=%3Csip:sip.example.com%3E")
    }

    @Test(
        "where an IPv6 address ends and a port begins (RFC 5118 sections 4.1, 4.3, 4.4)",
        arguments: [
            ("ipv6-good", "[2001:db8::10]", nil), ("port-ambiguous", "[2001:db8::10:5070]", nil),
            ("port-unambiguous", "[2001:db8::10]", 5070),
        ] as [(String, String, UInt16?)]
    )
    func ports(name: String, host: String, port: UInt16?) throws {
        let message = try torture(name, of: .rfc5118)
        let uri = try SIPURI(message.bytes, message.requestURI)
        #expect(message.text(uri.host) == host)
        #expect(uri.port == port)
    }

    @Test("IPv6 addresses in Via, with and without brackets (RFC 5118 sections 4.5, 4.7, 4.9)")
    func viaAddresses() throws {
        var found: [String] = []
        for name in [
            "via-received-param-with-delim", "via-received-param-no-delim", "mult-ip-in-header", "ipv4-mapped-ipv6",
        ] {
            let message = try torture(name, of: .rfc5118)
            for value in message.values(.via) {
                let via = try Via(message.bytes, value)
                found.append("\(message.text(via.sentBy)) \(message.text(via.received ?? 0..<0))")
            }
        }
        let expected = [
            "[2001:db8::9:1] [2001:db8::9:255]", "[2001:db8::9:1] 2001:db8::9:255", "[2001:db8::9:1]:6050 ",
            "192.0.2.1 ", "[2001:db8::9:255] 192.0.2.200", "[::ffff:192.0.2.10]:19823 ", "[::ffff:192.0.2.2] ",
        ]
        #expect(found == expected)
    }

    @Test("a third colon before an IPv4 tail changes nothing (RFC 5118 section 4.10)")
    func thirdColon() throws {
        let odd = try torture("ipv6-bug-abnf-3-colons", of: .rfc5118)
        let right = try torture("ipv6-correct-abnf-2-colons", of: .rfc5118)
        #expect(URIComparison.areEqual(odd.bytes, odd.requestURI, right.bytes, right.requestURI))
    }
}
