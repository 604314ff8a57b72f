import SIP
import Testing

@testable import PhoneKit

@Suite("The side that calls")
struct CallingTests {
    private let bob: ByteString = "sip:bob@example.test"
    private let contact = ["Contact: <sip:bob@192.0.2.9:5062>", "Record-Route: <sip:r1;lr>, <sip:r2;lr>"]

    /// A registered phone whose INVITE is out.
    private func calling(
        lines: Int = 1,
        _ change: (inout PhonePolicy) -> Void = { _ in }
    ) throws -> (
        Bench, [FlowID], CallHandle, Message
    ) {
        let (bench, flows) = try Bench.registered(lines: lines, change)
        let handle = bench.act { $0.call(bob, session: Array("offer".utf8), now: $1) }
        let invite = try bench.next("INVITE sip:bob@example.test SIP/2.0")
        #expect(bench.takeTold() == ["audio"])
        return (bench, flows, handle, invite)
    }

    /// A call that stands.
    private func established() throws -> (Bench, FlowID, CallHandle, Message) {
        let (bench, flows, handle, invite) = try calling()
        bench.answer(invite, flows[0], 200, tag: "bob", contact, body: "answer")
        _ = try bench.next("ACK")
        bench.forget()
        return (bench, flows[0], handle, invite)
    }

    /// From the other side of a call that stands.
    private func within(
        _ bench: Bench,
        _ flow: FlowID,
        _ method: String,
        _ invite: Message,
        cseq: Int,
        body: String = ""
    ) {
        bench.request(
            flow,
            method,
            callID: invite.value(.callID) ?? "",
            cseq: cseq,
            from: "<sip:bob@example.test>;tag=bob",
            to: invite.value(.from) ?? "",
            body: body
        )
    }

    @Test("a call: progress, answer, ACK along the route, BYE")
    func ordinary() throws {
        let (bench, flows, handle, invite) = try calling()
        #expect(invite.text(invite.body) == "offer")
        bench.answer(invite, flows[0], 100)
        bench.answer(invite, flows[0], 180, tag: "bob")
        bench.answer(invite, flows[0], 200, tag: "bob", contact, body: "answer")
        #expect(bench.takeTold() == ["progress 180", "accepted answer"])
        let ack = try bench.next("ACK sip:bob@192.0.2.9:5062 SIP/2.0")
        #expect(ack.value(.cseq) == "1 ACK")
        #expect(ack.value(.to)?.hasSuffix(";tag=bob") == true)
        #expect(ack.fields.filter { $0.name == .route }.map { ack.text($0.value) } == ["<sip:r2;lr>", "<sip:r1;lr>"])
        // A repeated 2xx is acknowledged again (RFC 3261 section 13.2.2.4).
        bench.answer(invite, flows[0], 200, tag: "bob", contact, body: "answer")
        _ = try bench.next("ACK")
        #expect(bench.takeTold() == [])
        bench.act { $0.hangUp(handle, now: $1) }
        #expect(bench.takeTold() == ["no audio", "ended local"])
        let bye = try bench.next("BYE sip:bob@192.0.2.9:5062 SIP/2.0")
        #expect(bye.value(.cseq) == "2 BYE")
        bench.answer(bye, flows[0], 200)
        #expect(bench.phone.unfinished.calls == 0)
        bench.pass(.seconds(32))
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a call is refused: acknowledged, told once", arguments: [302, 404, 480, 486, 487, 503, 603])
    func refused(_ status: Int) throws {
        let (bench, flows, _, invite) = try calling()
        bench.answer(invite, flows[0], status)
        let ack = try bench.next("ACK sip:bob@example.test SIP/2.0")
        // Part of the INVITE's transaction (RFC 3261 section 17.1.1.3).
        #expect(ack.value(.via) == invite.value(.via))
        #expect(bench.takeTold() == ["no audio", "ended rejected(\(status))"])
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a proxy's challenge is answered, after an ACK, with the next CSeq and another branch")
    func challenged() throws {
        let (bench, flows, _, invite) = try calling()
        let challenge = "Proxy-Authenticate: Digest realm=\"example.test\",nonce=\"n\",qop=\"auth\""
        bench.answer(invite, flows[0], 407, [challenge])
        _ = try bench.next("ACK")
        let second = try bench.next("INVITE")
        #expect(second.value(.cseq) == "2 INVITE")
        #expect(second.value(.via) != invite.value(.via))
        #expect(second.digest(.proxyAuthorization, "nc") == "00000001")
        bench.answer(second, flows[0], 200, tag: "bob", contact)
        #expect(try bench.next("ACK").value(.cseq) == "2 ACK")
        #expect(bench.takeTold() == ["accepted "])
        // What follows has the next CSeq, and shows its credentials without being asked.
        bench.act { _ = $0.askOptions(of: bob, now: $1) }
        #expect(try bench.next("OPTIONS").digest(.proxyAuthorization, "nc") == "00000002")
    }

    @Test("no CANCEL before a provisional answer; after one, CANCEL and the 487 it brings")
    func cancelEarly() throws {
        let (bench, flows, handle, invite) = try calling()
        bench.act { $0.hangUp(handle, now: $1) }
        #expect(bench.takeTold() == ["no audio", "ended local"])
        #expect(bench.isQuiet)
        bench.answer(invite, flows[0], 180, tag: "bob")
        let cancel = try bench.next("CANCEL sip:bob@example.test SIP/2.0")
        #expect(cancel.value(.via) == invite.value(.via))
        #expect(cancel.value(.cseq) == "1 CANCEL")
        bench.answer(invite, flows[0], 183, tag: "bob")
        #expect(bench.isQuiet, "one CANCEL is enough")
        bench.answer(cancel, flows[0], 200)
        bench.answer(invite, flows[0], 487, tag: "bob")
        _ = try bench.next("ACK")
        #expect(bench.takeTold() == [])
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a call that rings is cancelled at once")
    func cancelLate() throws {
        let (bench, flows, handle, invite) = try calling()
        bench.answer(invite, flows[0], 180, tag: "bob")
        bench.act { $0.hangUp(handle, now: $1) }
        bench.answer(try bench.next("CANCEL"), flows[0], 200)
        bench.answer(invite, flows[0], 487, tag: "bob")
        _ = try bench.next("ACK")
        #expect(bench.takeTold() == ["progress 180", "no audio", "ended local"])
    }

    @Test("a 2xx that crosses the CANCEL is acknowledged and hung up")
    func crossed() throws {
        let (bench, flows, handle, invite) = try calling()
        bench.answer(invite, flows[0], 180, tag: "bob")
        bench.act { $0.hangUp(handle, now: $1) }
        _ = try bench.next("CANCEL")
        bench.answer(invite, flows[0], 200, tag: "bob", contact)
        _ = try bench.next("ACK")
        let bye = try bench.next("BYE")
        bench.answer(bye, flows[0], 200)
        #expect(bench.takeTold() == ["progress 180", "no audio", "ended local"])
        bench.pass(.seconds(32))
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("the first of two forks that answer makes the call, the other is hung up")
    func forks() throws {
        let (bench, flows, _, invite) = try calling()
        bench.answer(invite, flows[0], 200, tag: "bob", contact, body: "answer")
        _ = try bench.next("ACK")
        bench.answer(invite, flows[0], 200, tag: "other", ["Contact: <sip:other@192.0.2.10>"])
        let ack = try bench.next("ACK sip:other@192.0.2.10")
        #expect(ack.value(.to)?.hasSuffix(";tag=other") == true)
        let bye = try bench.next("BYE sip:other@192.0.2.10")
        bench.answer(bye, flows[0], 200)
        #expect(bench.takeTold() == ["accepted answer"])
        bench.pass(.seconds(32))
        #expect(bench.phone.unfinished == (0, 1))
    }

    @Test("nobody answers: cancelled after the caller's patience; nothing comes back: over after 64*T1")
    func patience() throws {
        let (bench, flows, _, invite) = try calling { $0.callFor = .seconds(20) }
        bench.answer(invite, flows[0], 180, tag: "bob")
        bench.pass(.seconds(20))
        _ = try bench.next("CANCEL")
        #expect(bench.takeTold() == ["progress 180", "no audio", "ended unanswered"])
        bench.pass(.seconds(32))
        #expect(bench.phone.unfinished == (0, 0))
        bench.act { _ = $0.call(bob, session: [], now: $1) }
        bench.pass(.seconds(32))
        #expect(bench.takeTold() == ["audio", "no audio", "ended unanswered"])
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a call without a line waits for one, and hurries it")
    func queued() throws {
        let (bench, flows) = try Bench.registered()
        bench.act { $0.closed(flows[0], .peer, now: $1) }
        bench.forget()
        bench.act { _ = $0.call(bob, session: [], now: $1) }
        #expect(bench.connects.count == 1)
        let flow = try bench.open()
        bench.accept(try bench.next("REGISTER"), flow)
        _ = try bench.next("INVITE")
        // One for which no line comes in time is lost.
        bench.act { $0.closed(flow, .peer, now: $1) }
        bench.forget()
        bench.act { _ = $0.call(bob, session: [], now: $1) }
        bench.refuseConnection()
        bench.pass(.seconds(32))
        #expect(bench.takeTold().contains("ended lost"))
    }

    @Test("a flow that shows no sign of life is tried beside another")
    func signOfLife() throws {
        let (bench, flows, _, invite) = try calling(lines: 2)
        bench.pass(.seconds(2))
        let second = try bench.next("INVITE")
        #expect(second.value(.callID) == invite.value(.callID))
        bench.answer(second, flows[1], 180, tag: "bob")
        // The first came through after all; who has it twice refuses the second (RFC 3261 section 8.2.2.2).
        bench.answer(invite, flows[0], 482)
        _ = try bench.next("ACK")
        #expect(bench.takeTold() == ["progress 180"])
        bench.answer(second, flows[1], 200, tag: "bob", contact)
        #expect(bench.takeTold() == ["accepted "])
    }

    @Test("reliable provisional answers are acknowledged in their order, once (RFC 3262 section 4)")
    func prack() throws {
        let (bench, flows, _, invite) = try calling()
        let reliable = { (rseq: Int) in contact + ["Require: 100rel", "RSeq: \(rseq)"] }
        bench.answer(invite, flows[0], 180, tag: "bob", reliable(7))
        let first = try bench.next("PRACK sip:bob@192.0.2.9:5062")
        #expect(first.value(.rack) == "7 1 INVITE")
        #expect(first.value(.cseq) == "2 PRACK")
        bench.answer(invite, flows[0], 180, tag: "bob", reliable(7))
        bench.answer(invite, flows[0], 183, tag: "bob", reliable(9))
        #expect(bench.isQuiet)
        bench.answer(invite, flows[0], 183, tag: "bob", reliable(8))
        #expect(try bench.next("PRACK").value(.rack) == "8 1 INVITE")
        // Another fork counts by itself.
        bench.answer(invite, flows[0], 180, tag: "other", reliable(1))
        #expect(try bench.next("PRACK").value(.rack) == "1 1 INVITE")
        bench.answer(invite, flows[0], 200, tag: "bob", contact)
        #expect(try bench.next("ACK").value(.cseq) == "1 ACK")
    }

    @Test("an offer within a call: answered, refused, or glare")
    func offers() throws {
        let (bench, flow, handle, invite) = try established()
        #expect(bench.act { $0.offer(Array("hold".utf8), in: handle, now: $1) })
        #expect(!bench.act { $0.offer([], in: handle, now: $1) })
        let second = try bench.next("INVITE sip:bob@192.0.2.9:5062")
        // Their offer crosses ours.
        within(bench, flow, "INVITE", invite, cseq: 1, body: "theirs")
        _ = try bench.next("SIP/2.0 491")
        bench.answer(second, flow, 491)
        _ = try bench.next("ACK")
        #expect(bench.takeTold() == [])
        // The side that made the call asks again after 2.1 to 4 s (RFC 3261 section 14.1).
        bench.pass(.milliseconds(2_099))
        #expect(bench.isQuiet)
        bench.pass(.milliseconds(1_901))
        let third = try bench.next("INVITE")
        #expect(third.text(third.body) == "hold")
        bench.answer(third, flow, 200, tag: "bob", ["Contact: <sip:bob@192.0.2.99>"], body: "held")
        #expect(try bench.next("ACK sip:bob@192.0.2.99").value(.cseq) == "3 ACK")
        #expect(bench.takeTold() == ["offer answered 200"])
        bench.act { _ = $0.offer([], in: handle, now: $1) }
        bench.answer(try bench.next("INVITE"), flow, 488)
        #expect(bench.takeTold() == ["offer answered 488"])
        // The dialog is gone at the other side.
        bench.act { _ = $0.offer([], in: handle, now: $1) }
        _ = try bench.next("ACK")
        bench.answer(try bench.next("INVITE"), flow, 481)
        #expect(bench.takeTold() == ["no audio", "ended lost"])
    }

    @Test("their offer within a call: answered until confirmed, or refused")
    func theirOffers() throws {
        let (bench, flow, handle, invite) = try established()
        within(bench, flow, "INVITE", invite, cseq: 1, body: "theirs")
        #expect(bench.takeTold() == ["offered theirs"])
        bench.act { $0.accept(offerIn: handle, session: Array("ours".utf8), now: $1) }
        let ok = try bench.next("SIP/2.0 200")
        #expect(ok.text(ok.body) == "ours")
        bench.pass(.milliseconds(500))
        _ = try bench.next("SIP/2.0 200")
        within(bench, flow, "ACK", invite, cseq: 1)
        #expect(bench.takeTold() == ["confirmed "])
        bench.pass(.seconds(10))
        #expect(bench.isQuiet)
        within(bench, flow, "INVITE", invite, cseq: 2, body: "bad")
        bench.act { $0.refuse(offerIn: handle, now: $1) }
        _ = try bench.next("SIP/2.0 488")
        // The call stands, and the next offer is as good as the first.
        within(bench, flow, "INVITE", invite, cseq: 3, body: "good")
        #expect(bench.takeTold() == ["offered bad", "offered good"])
    }

    @Test("an offer whose flow is gone can be made again on the next")
    func offerLost() throws {
        let (bench, flow, handle, invite) = try established()
        within(bench, flow, "INVITE", invite, cseq: 1, body: "theirs")
        bench.act { $0.closed(flow, .peer, now: $1) }
        bench.act { $0.accept(offerIn: handle, session: [], now: $1) }
        #expect(bench.isQuiet)
        bench.pass(atMost: .seconds(60)) { !bench.connects.isEmpty }
        let next = try bench.register()
        bench.forget()
        within(bench, next, "INVITE", invite, cseq: 2, body: "again")
        #expect(bench.takeTold() == ["offered again"])
    }

    @Test("a call outlives its flow; its BYE waits for the next one")
    func byeWithoutFlow() throws {
        let (bench, flow, handle, _) = try established()
        bench.act { $0.closed(flow, .peer, now: $1) }
        #expect(bench.takeTold() == ["lost 0 peer"])
        bench.act { $0.hangUp(handle, now: $1) }
        #expect(bench.takeTold() == ["no audio", "ended local"])
        let next = try bench.register()
        let bye = try bench.next("BYE sip:bob@192.0.2.9:5062")
        bench.answer(bye, next, 200)
        #expect(bench.phone.unfinished.calls == 0)
    }

    @Test("the other side hangs up; what it sends late or twice is answered as it must be")
    func remoteBye() throws {
        let (bench, flow, _, invite) = try established()
        within(bench, flow, "BYE", invite, cseq: 5)
        _ = try bench.next("SIP/2.0 200")
        #expect(bench.takeTold() == ["no audio", "ended remote"])
        within(bench, flow, "BYE", invite, cseq: 5)
        _ = try bench.next("SIP/2.0 481")
        within(bench, flow, "INVITE", invite, cseq: 6)
        _ = try bench.next("SIP/2.0 481")
        bench.pass(.seconds(32))
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("messages and questions end with their answers", arguments: [200, 202, 404, 480])
    func requests(_ status: Int) throws {
        let (bench, flows) = try Bench.registered()
        let payload = Payload(type: "text/plain", bytes: Array("hello".utf8))
        #expect(bench.act { $0.send(payload, to: bob, now: $1) } != nil)
        let message = try bench.next("MESSAGE sip:bob@example.test")
        #expect(message.value(.contentType) == "text/plain")
        #expect(message.text(message.body) == "hello")
        bench.answer(message, flows[0], status)
        #expect(bench.takeTold() == ["answered \(status)"])
        bench.act { _ = $0.askOptions(of: bob, now: $1) }
        bench.pass(.seconds(32))
        #expect(bench.takeTold() == ["unanswered timeout"])
        bench.act { _ = $0.askOptions(of: bob, now: $1) }
        bench.act { $0.closed(flows[0], .peer, now: $1) }
        #expect(bench.takeTold().contains("unanswered error"))
        #expect(bench.act { $0.send(payload, to: bob, now: $1) } == nil)
    }
}
