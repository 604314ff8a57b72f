import SIP
import TestSupport
import Testing

@testable import PhoneKit

@Suite("The side that is called")
struct AnsweringTests {
    /// A registered phone that rings.
    private func ringing(
        _ lines: [String] = [],
        _ change: (inout PhonePolicy) -> Void = { _ in }
    ) throws -> (
        Bench, FlowID, CallHandle, Message
    ) {
        let (bench, flows) = try Bench.registered(change)
        bench.request(flows[0], "INVITE", branch: "z9hG4bK-invite", lines, body: "offer")
        #expect(bench.takeTold() == ["incoming in-1 from sip:bob@example.test", "audio"])
        return (bench, flows[0], try #require(bench.handles.first), try bench.next("SIP/2.0 180"))
    }

    private func within(
        _ bench: Bench,
        _ flow: FlowID,
        _ method: String,
        _ answer: Message,
        cseq: Int,
        _ lines: [String] = []
    ) {
        bench.request(flow, method, cseq: cseq, to: answer.value(.to) ?? "", lines)
    }

    @Test("a call: 180, 200 until its ACK, BYE")
    func ordinary() throws {
        let (bench, flow, handle, trying) = try ringing()
        #expect(trying.value(.recordRoute) == "<sip:token@192.0.2.1:5060;transport=tcp;lr>")
        bench.act { $0.answer(handle, session: Array("answer".utf8), now: $1) }
        let ok = try bench.next("SIP/2.0 200")
        #expect(ok.value(.to) == trying.value(.to))
        #expect(ok.text(ok.body) == "answer")
        // T1, doubled up to T2 (RFC 3261 section 13.3.1.4).
        for wait in [500, 1000, 2000, 4000, 4000] as [Int64] {
            bench.pass(.milliseconds(wait - 1))
            #expect(bench.isQuiet)
            bench.pass(.milliseconds(1))
            #expect(try bench.next("SIP/2.0 200").bytes == ok.bytes)
        }
        within(bench, flow, "ACK", ok, cseq: 1)
        #expect(bench.takeTold() == ["confirmed "])
        bench.pass(.seconds(60))
        #expect(bench.isQuiet)
        bench.act { $0.hangUp(handle, now: $1) }
        let bye = try bench.next("BYE sip:bob@192.0.2.9:5062;transport=tcp SIP/2.0")
        #expect(bye.value(.route) == "<sip:token@192.0.2.1:5060;transport=tcp;lr>")
        bench.answer(bye, flow, 200)
        #expect(bench.takeTold() == ["no audio", "ended local"])
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("an ACK that never comes ends the call with a BYE after 64*T1")
    func noAck() throws {
        let (bench, flow, handle, _) = try ringing()
        bench.act { $0.answer(handle, session: [], now: $1) }
        bench.pass(.milliseconds(31_999))
        #expect(bench.takeTold() == [])
        bench.forget()
        bench.pass(.milliseconds(1))
        #expect(bench.takeTold() == ["no audio", "ended lost"])
        bench.answer(try bench.next("BYE"), flow, 481)
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test(
        "the caller gives up, or another device answers",
        arguments: [
            ([], "cancelled"), (["Reason: SIP;cause=200;text=\"Call completed elsewhere\""], "answeredElsewhere"),
            (["Reason: Q.850;cause=16", "Reason: sip ; cause=200"], "cancelled"),
            (["Reason: SIP;cause=600"], "cancelled"),
            (["Reason: Q.850;cause=26, SIP;cause=200"], "answeredElsewhere"),
        ] as [([String], String)]
    )
    func cancel(_ reason: [String], _ end: String) throws {
        let (bench, flow, handle, _) = try ringing()
        bench.request(flow, "CANCEL", branch: "z9hG4bK-invite", reason)
        let answers = [try bench.next("SIP/2.0 200"), try bench.next("SIP/2.0 487")]
        #expect(answers.map { $0.value(.cseq) } == ["1 CANCEL", "1 INVITE"])
        #expect(bench.takeTold() == ["no audio", "ended \(end)"])
        // Too late for all of these.
        bench.act { $0.answer(handle, session: [], now: $1) }
        bench.act { $0.reject(handle, status: 486, now: $1) }
        bench.act { $0.hangUp(handle, now: $1) }
        #expect(bench.isQuiet)
        // The same call by another way does not ring again.
        bench.request(flow, "INVITE", branch: "z9hG4bK-other")
        _ = try bench.next("SIP/2.0 487")
        #expect(bench.takeTold() == [])
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a CANCEL that crosses the answer changes nothing; one for nothing is told so")
    func lateCancel() throws {
        let (bench, flow, handle, _) = try ringing()
        bench.act { $0.answer(handle, session: [], now: $1) }
        _ = try bench.next("SIP/2.0 200")
        bench.request(flow, "CANCEL", branch: "z9hG4bK-invite")
        #expect(try bench.next("SIP/2.0 200").value(.cseq) == "1 CANCEL")
        #expect(bench.isQuiet)
        #expect(bench.takeTold() == [])
        bench.request(flow, "CANCEL", branch: "z9hG4bK-nothing")
        _ = try bench.next("SIP/2.0 481")
    }

    @Test(
        "a call is refused, with a status that is a refusal",
        arguments: [(486, 486), (603, 603), (200, 400), (999, 699)]
    )
    func reject(_ asked: UInt16, _ sent: Int) throws {
        let (bench, _, handle, _) = try ringing()
        bench.act { $0.reject(handle, status: asked, now: $1) }
        _ = try bench.next("SIP/2.0 \(sent)")
        #expect(bench.takeTold() == ["no audio", "ended local"])
    }

    @Test("it rings only so long")
    func ringsOnlySoLong() throws {
        let (bench, _, _, _) = try ringing { $0.ringFor = .seconds(30) }
        bench.pass(.seconds(30))
        _ = try bench.next("SIP/2.0 480")
        #expect(bench.takeTold() == ["no audio", "ended unanswered"])
    }

    @Test("a 180 that is to be reliable is sent until its PRACK (RFC 3262 section 3)")
    func reliable() throws {
        let (bench, flow, _, ringing) = try ringing(["Require: 100rel"])
        #expect(ringing.value(.require) == "100rel")
        let rseq = try #require(ringing.value(.rseq))
        bench.pass(.milliseconds(500))
        _ = try bench.next("SIP/2.0 180")
        bench.pass(.milliseconds(1000))
        _ = try bench.next("SIP/2.0 180")
        let wrongs = ["RAck: 0 1 INVITE", "RAck: \(rseq)9 1 INVITE", "RAck: x 1 INVITE", "Subject: none"]
        for (number, wrong) in wrongs.enumerated() {
            within(bench, flow, "PRACK", ringing, cseq: number + 2, [wrong])
            #expect(!bench.isQuiet, "\(wrong)")
            let answer = try bench.next("SIP/2.0 4")
            #expect([400, 481].contains(answer.status), "\(wrong)")
        }
        within(bench, flow, "PRACK", ringing, cseq: 100, ["RAck: \(rseq) 1 INVITE"])
        _ = try bench.next("SIP/2.0 200")
        bench.pass(.seconds(60))
        #expect(bench.isQuiet)
    }

    @Test("100rel is used only where somebody wants it")
    func unreliable() throws {
        #expect(try ringing(["Supported: 100rel"]).3.value(.rseq) == nil)
        #expect(try ringing(["Supported: timer, 100rel"], { $0.ringsReliably = true }).3.value(.rseq) != nil)
    }

    @Test("one call more than there may be is busy, the same call by another way a loop")
    func busy() throws {
        let (bench, flow, _, _) = try ringing { $0.maxCalls = 1 }
        bench.request(flow, "INVITE", callID: "in-2")
        _ = try bench.next("SIP/2.0 486")
        bench.request(flow, "INVITE", branch: "z9hG4bK-fork")
        _ = try bench.next("SIP/2.0 482")
        #expect(bench.takeTold() == [])
    }

    @Test("what rings while its flow breaks can come again by the next")
    func flowLost() throws {
        let (bench, flow, handle, _) = try ringing()
        bench.act { $0.closed(flow, .peer, now: $1) }
        #expect(bench.takeTold() == ["lost 0 peer"])
        bench.act { $0.reachabilityChanged(isReachable: true, network: 2, now: $1) }
        let next = try bench.register()
        bench.forget()
        bench.request(next, "INVITE", branch: "z9hG4bK-again", body: "offer")
        #expect(bench.takeTold() == ["arrived in-1"])
        _ = try bench.next("SIP/2.0 180")
        bench.act { $0.answer(handle, session: [], now: $1) }
        _ = try bench.next("SIP/2.0 200")
    }

    static let requests = """
        OPTIONS - 200
        MESSAGE - 200
        SUBSCRIBE - 405
        REFER - 405
        NOTIFY - 405
        FROBNICATE - 405
        BYE - 481
        PRACK - 481
        OPTIONS Require:foo 420
        INVITE Require:100rel,timer 420
        OPTIONS Require:gruu 200
        """.split(separator: "\n").map(String.init)

    @Test("requests outside of calls are answered", arguments: requests)
    func others(_ row: String) throws {
        let words = row.split(separator: " ").map(String.init)
        let (bench, flows) = try Bench.registered()
        bench.request(flows[0], words[0], words[1] == "-" ? [] : [words[1]])
        let answer = try bench.next("SIP/2.0 \(words[2])")
        switch answer.status {
        case 405: #expect(answer.value(.allow) == "INVITE, ACK, CANCEL, BYE, PRACK, OPTIONS, MESSAGE")
        case 420: #expect(answer.value(.unsupported).map { words[1].hasSuffix($0) } == true)
        default: break
        }
        #expect(bench.phone.unfinished == (0, 0))
    }

    @Test("a message is told once, however often it comes")
    func messageTwice() throws {
        let (bench, flows) = try Bench.registered()
        bench.request(flows[0], "MESSAGE", ["Content-Type: text/plain;charset=utf-8"], body: "hello")
        bench.request(flows[0], "MESSAGE", ["Content-Type: text/plain"], body: "hello")
        bench.request(flows[0], "MESSAGE", cseq: 2, ["Content-Type: text/plain"], body: "more")
        #expect(bench.takeTold() == ["message sip:bob@example.test hello", "message sip:bob@example.test more"])
        _ = try bench.next("SIP/2.0 200")
        _ = try bench.next("SIP/2.0 482")
        _ = try bench.next("SIP/2.0 200")
    }

    @Test("a request within a call that comes late is out of order")
    func order() throws {
        let (bench, flow, handle, _) = try ringing()
        bench.act { $0.answer(handle, session: [], now: $1) }
        let ok = try bench.next("SIP/2.0 200")
        within(bench, flow, "ACK", ok, cseq: 1)
        within(bench, flow, "OPTIONS", ok, cseq: 10)
        _ = try bench.next("SIP/2.0 200")
        within(bench, flow, "OPTIONS", ok, cseq: 9)
        _ = try bench.next("SIP/2.0 500")
    }

    @Test(
        "who cannot be told from whom a request is refuses it",
        arguments: ["INVITE <sip:bob", "MESSAGE \"bob", "INVITE <>;tag=b", "MESSAGE <sip:bob@example.test>;;"]
    )
    func unreadableFrom(_ row: String) throws {
        let words = row.split(separator: " ").map(String.init)
        let (bench, flows) = try Bench.registered()
        bench.request(flows[0], words[0], from: words[1])
        _ = try bench.next("SIP/2.0 400")
        #expect(bench.takeTold().isEmpty && bench.phone.unfinished == (0, 0))
    }

    // MARK: hostile input

    /// A phone that is registered, rings, calls and is in a call.
    private func busyPhone() throws -> (Bench, FlowID) {
        let (bench, flows) = try Bench.registered { $0.maxCalls = 8 }
        bench.request(flows[0], "INVITE", callID: "a", ["Require: 100rel"], body: "offer")
        bench.request(flows[0], "INVITE", callID: "b", body: "offer")
        bench.act { $0.answer(bench.handles[1], session: [], now: $1) }
        bench.act { _ = $0.call("sip:bob@example.test", session: [], now: $1) }
        bench.act { _ = $0.askOptions(of: "sip:bob@example.test", now: $1) }
        return (bench, flows[0])
    }

    @Test("no message of the torture corpus stops a phone, and each request of it is answered or dropped")
    func torture() throws {
        for bytes in try Torture.all() {
            let (bench, flow) = try busyPhone()
            bench.forget()
            bench.act { $0.received(flow, bytes.span, now: $1) }
            for (_, message) in bench.sent { #expect(message.fault == nil) }
            bench.pass(.seconds(300))
            bench.act { $0.stop(now: $1) }
        }
    }

    @Test("what the phone itself writes, broken at random, stops no phone", arguments: 0..<20)
    func mutated(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let (bench, flow) = try busyPhone()
        var corpus = bench.sent.map(\.message.bytes) + (try Torture.all())
        // Answers to its own requests reach further.
        for (_, message) in bench.sent where message.isRequest {
            for status in [180, 200, 401, 407, 423, 482, 491, 503] {
                let text = message.fields.filter { [.via, .from, .to, .callID, .cseq, .contact].contains($0.name) }
                    .map { message.text($0.line) }.joined()
                let challenge =
                    "WWW-Authenticate: Digest realm=\"r\",nonce=\"n\",stale=true\r\nRequire: 100rel\r\nRSeq: 1\r\n"
                corpus.append(Array("SIP/2.0 \(status) X\r\n\(text)\(challenge)Content-Length: 0\r\n\r\n".utf8))
            }
        }
        for _ in 0..<400 {
            var bytes = random.pick(corpus)
            for _ in 0..<random.below(4) where !bytes.isEmpty {
                let place = random.below(bytes.count)
                switch random.below(4) {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(random.pick([0, 10, 13, 32, 34, 44, 59, 60, 62, 255]), at: place)
                default: bytes.insert(contentsOf: "4294967295".utf8, at: place)
                }
            }
            bench.act { $0.received(flow, bytes.span, now: $1) }
            if random.once(in: 40) { bench.pass(.seconds(Int64(random.below(40)))) }
            if bench.phone.isRegistered { continue }
            return
        }
    }
}
