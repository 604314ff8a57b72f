import SIP
import TestSupport
import Testing

@testable import Signaling

/// What becomes of a torture message that comes from a phone everybody trusts, for a phone that is there.
private struct Fate: CustomTestStringConvertible {
    enum Outcome: Equatable {
        /// It went to the callee.
        case forwarded
        /// It was answered, and the flow is still open.
        case answered(UInt16)
        /// It was answered, and the flow closed.
        case closed(UInt16)
        /// Nothing went anywhere, and the flow is still open.
        case dropped
    }

    let source: Torture.Source
    let name: String
    let outcome: Outcome

    init(_ source: Torture.Source, _ name: String, _ outcome: Outcome) {
        self.source = source
        self.name = name
        self.outcome = outcome
    }

    var testDescription: String { "\(source) \(name)" }
}

private let fates: [Fate] = [
    Fate(.rfc4475, "wsinv", .forwarded), Fate(.rfc4475, "intmeth", .forwarded), Fate(.rfc4475, "esc01", .forwarded),
    // Well-formed, and without credentials.
    Fate(.rfc4475, "escnull", .answered(401)), Fate(.rfc4475, "cparam01", .answered(401)),
    Fate(.rfc4475, "cparam02", .answered(401)),
    Fate(.rfc4475, "regescrt", .answered(401)), Fate(.rfc4475, "regaut01", .answered(401)),
    Fate(.rfc4475, "dblreq", .answered(401)),
    // A method nobody knows, for the server itself.
    Fate(.rfc4475, "esc02", .answered(405)),
    Fate(.rfc4475, "lwsdisp", .forwarded), Fate(.rfc4475, "longreq", .forwarded), Fate(.rfc4475, "semiuri", .forwarded),
    Fate(.rfc4475, "transports", .forwarded), Fate(.rfc4475, "mpart01", .forwarded),
    // Responses nobody waits for, and ones that can't be read.
    Fate(.rfc4475, "unreason", .dropped), Fate(.rfc4475, "noreason", .dropped), Fate(.rfc4475, "scalarlg", .dropped),
    Fate(.rfc4475, "bigcode", .dropped),
    Fate(.rfc4475, "bcast", .dropped),
    Fate(.rfc4475, "badinv01", .answered(400)), Fate(.rfc4475, "clerr", .dropped), Fate(.rfc4475, "ncl", .closed(400)),
    Fate(.rfc4475, "scalar02", .answered(400)), Fate(.rfc4475, "quotbal", .answered(400)),
    Fate(.rfc4475, "ltgtruri", .answered(400)),
    Fate(.rfc4475, "lwsruri", .answered(400)), Fate(.rfc4475, "lwsstart", .answered(400)),
    Fate(.rfc4475, "trws", .answered(400)),
    Fate(.rfc4475, "escruri", .answered(400)), Fate(.rfc4475, "baddate", .forwarded),
    Fate(.rfc4475, "regbadct", .answered(400)),
    Fate(.rfc4475, "badaspec", .answered(400)), Fate(.rfc4475, "baddn", .answered(400)),
    Fate(.rfc4475, "badvers", .answered(505)),
    Fate(.rfc4475, "mismatch01", .answered(400)), Fate(.rfc4475, "mismatch02", .answered(400)),
    // No branch to speak of: matched as RFC 2543 did, and forwarded.
    Fate(.rfc4475, "badbranch", .forwarded),
    Fate(.rfc4475, "insuf", .answered(400)),
    Fate(.rfc4475, "unkscm", .answered(416)), Fate(.rfc4475, "novelsc", .answered(416)),
    // Nobody registers books here.
    Fate(.rfc4475, "unksm2", .answered(404)),
    Fate(.rfc4475, "bext01", .answered(420)),
    // For the phone to judge: a body of an unknown type, an answer of an unknown type.
    Fate(.rfc4475, "invut", .forwarded), Fate(.rfc4475, "sdp01", .forwarded),
    Fate(.rfc4475, "multi01", .answered(400)), Fate(.rfc4475, "mcl01", .closed(400)),
    Fate(.rfc4475, "zeromf", .answered(483)),
    // Over a stream nobody knows where it ends.
    Fate(.rfc4475, "inv2543", .closed(400)),

    Fate(.rfc5118, "ipv6-good", .answered(401)), Fate(.rfc5118, "ipv6-bad", .answered(400)),
    // Another address than this server's.
    Fate(.rfc5118, "port-ambiguous", .answered(403)),
    Fate(.rfc5118, "port-unambiguous", .answered(401)),
    // To the server itself.
    Fate(.rfc5118, "via-received-param-with-delim", .answered(405)),
    Fate(.rfc5118, "via-received-param-no-delim", .answered(200)),
    Fate(.rfc5118, "ipv6-in-sdp", .forwarded), Fate(.rfc5118, "mult-ip-in-header", .forwarded),
    Fate(.rfc5118, "mult-ip-in-sdp", .forwarded), Fate(.rfc5118, "ipv4-mapped-ipv6", .forwarded),
    Fate(.rfc5118, "ipv6-bug-abnf-3-colons", .forwarded), Fate(.rfc5118, "ipv6-correct-abnf-2-colons", .forwarded),
]

/// A server for all domains the messages name, with their callers and callees registered.
private struct Stage {
    let world: World
    let caller: FlowID
    let callee: FlowID

    init(_ bytes: [UInt8]) throws {
        world = World { settings in
            settings.domains = [
                "example.com", "example.net", "example.org", "company.com", "chair-dnrc.example.com",
                "services.example.com", "registrar.example.com", "host.example.net", "east.example.com",
            ]
        }
        // 2001:db8::10, or 2001:db8::192.0.2.1 for the messages that call that.
        let isMapped = String(decoding: bytes, as: UTF8.self).contains(":192.0.2.1]")
        let local = SocketAddress(high: 0x2001_0db8_0000_0000, low: isMapped ? 0xc000_0201 : 0x10, port: 5060)
        let isIPv6 = String(decoding: bytes, as: UTF8.self).contains("[2001:db8:")
        caller = isIPv6 ? world.open(local: local) : world.open()
        callee = world.open()
        let message = Message(bytes)
        if let from = try? message.nameAddress(.from), let address = address(message, from.uri) {
            world.core.flows.update(caller) { $0.addresses.append(address) }
        }
        guard let address = address(message, message.requestURI) else { return }
        world.core.flows.update(callee) { $0.addresses.append(address) }
        var texts = Binding.Texts()
        texts.contact = "sip:callee@192.0.2.99;transport=tcp"
        texts.callID = "1"
        guard var binding = Binding(texts) else { return }
        binding.cseq = 1
        binding.expires = .max
        binding.lease = .max
        binding.flow = callee
        world.core.location.set([binding], of: address)
    }

    private func address(_ message: Message, _ range: Range<Int>) -> AddressOfRecord? {
        guard let uri = try? SIPURI(message.bytes, range), let user = uri.user,
            let domain = world.core.servedDomain(message.bytes, uri, on: caller)
        else { return nil }
        return AddressOfRecord(user: message.bytes.unescaped(user), domain: domain)
    }
}

@Suite("Torture messages on their way")
struct TortureRoutingTests {
    @Test("every message has its fate", arguments: Torture.Source.allCases)
    func complete(source: Torture.Source) throws {
        #expect(try fates.filter { $0.source == source }.map(\.name).sorted() == Torture.names(of: source))
    }

    @Test("is forwarded, answered or dropped as the RFCs have it", arguments: fates)
    private func fate(fate: Fate) throws {
        let bytes = try Torture.message(fate.name, of: fate.source)
        let stage = try Stage(bytes)
        stage.world.feed(stage.caller, bytes)
        let answer = stage.world.sent[stage.caller]?.first
        let isClosed = stage.world.closedByCore[stage.caller] != nil
        let found: Fate.Outcome
        if let forwarded = stage.world.sent[stage.callee]?.first {
            found = .forwarded
            checkUntouched(Message(bytes), forwarded)
        } else if let answer {
            found = isClosed ? .closed(answer.status) : .answered(answer.status)
            checkAnswer(Message(bytes), answer)
        } else {
            found = .dropped
        }
        #expect(found == fate.outcome)
        #expect(isClosed == (found == .closed(answer?.status ?? 0)))
        stage.world.pass(.seconds(600))
        #expect(stage.world.core.counts.serverTransactions == 0)
        #expect(stage.world.core.counts.clientTransactions == 0)
    }

    /// All that a proxy has no business with leaves as it came, in the same order; so does the body.
    private func checkUntouched(_ message: Message, _ forwarded: Message) {
        func rest(_ message: Message) -> [[UInt8]] {
            let changed: [HeaderName] = [.via, .maxForwards, .route, .recordRoute, .maxBreadth, .pAssertedIdentity]
            return message.fields.filter { !changed.contains($0.name) }.map { Array(message.bytes[$0.line]) }
        }
        #expect(rest(forwarded) == rest(message))
        #expect(forwarded.bytes[forwarded.body] == message.bytes[message.body])
        #expect(forwarded.validate() == nil)
        let vias = message.values(.via).map { $0 }.count
        #expect(forwarded.values(.via).map { $0 }.count == vias + 1)
    }

    /// An answer gives back what its request is matched by.
    private func checkAnswer(_ message: Message, _ answer: Message) {
        for name in [HeaderName.cseq, .callID, .from] {
            #expect(answer.value(name) == message.value(name))
        }
        #expect(answer.fields.count { $0.name == .via } == message.fields.count { $0.name == .via })
        #expect(answer.value(.contentLength) == "0")
    }

    @Test("420 names what is not understood, 405 what is")
    func details() throws {
        let bytes = try Torture.message("bext01", of: .rfc4475)
        let stage = try Stage(bytes)
        stage.world.feed(stage.caller, bytes)
        #expect(
            try stage.world.next(stage.caller).values(.unsupported) == [
                "noProxiesSupportThis", "norDoAnyProxiesSupportThis",
            ]
        )
        let method = try Torture.message("esc02", of: .rfc4475)
        let other = try Stage(method)
        other.world.feed(other.caller, method)
        #expect(try other.world.next(other.caller).values(.allow).contains("REGISTER"))
    }

    @Test("a reused branch without content does not make two requests one (RFC 4475 section 3.2.1)")
    func emptyBranch() throws {
        let bytes = try Torture.message("badbranch", of: .rfc4475)
        let stage = try Stage(bytes)
        stage.world.feed(stage.caller, bytes)
        let other = String(decoding: bytes, as: UTF8.self).replacing("Call-ID: badbranch.", with: "Call-ID: other.")
        stage.world.feed(stage.caller, Array(other.utf8))
        #expect(stage.world.sent[stage.callee]?.count == 2)
    }

    @Test(
        "contacts are bound as they stand",
        arguments: [
            ("cparam01", ["sip:+19725552222@gw1.example.net"], ";unknownparam"),
            ("cparam02", ["sip:+19725552222@gw1.example.net;unknownparam"], ""),
            ("regescrt", ["sip:user@example.com?Route=%3Csip:sip.example.com%3E"], ""),
            ("escnull", ["sip:%00@host5.example.com", "sip:%00%00@host5.example.com"], ""),
        ] as [(String, [String], String)]
    )
    func contacts(name: String, contacts: [String], parameters: String) throws {
        let message = Message(try Torture.message(name, of: .rfc4475))
        let world = World()
        var plan = RegistrationPlan(
            bindings: [],
            settings: world.core.settings,
            now: world.now,
            flow: world.open(),
            jitter: 0,
            newSerial: 1
        )
        try plan.apply(message)
        #expect(plan.bindings.map(\.contact.description) == contacts)
        #expect(plan.bindings.allSatisfy { $0.parameters.description == parameters })
    }
}
