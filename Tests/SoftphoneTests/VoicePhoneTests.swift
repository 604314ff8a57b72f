import Media
import PhoneKit
import SIP
import Testing

@testable import Softphone

@Suite("Phones with a voice")
struct VoicePhoneTests {
    /// Alice and Bob, registered.
    private func pair(
        _ settings: VoiceSettings = VoiceSettings()
    ) throws -> (Loopback, VoicePhone, Notes, VoicePhone, Notes) {
        let world = try Loopback()
        let alice = world.phone("alice", settings: settings)
        let bob = world.phone("bob", settings: settings)
        let (told, heard) = (Notes(alice), Notes(bob))
        alice.start()
        bob.start()
        try world.run(until: { told.has("registered") && heard.has("registered") }, "both register")
        return (world, alice, told, bob, heard)
    }

    @Test("the caller hears that it is heard, and both count what was lost")
    func bothWays() throws {
        let (world, alice, told, bob, heard) = try pair()
        heard.onEvent = { if case .incoming(let call, _, _, _) = $0 { bob.answer(call) } }
        let call = try alice.call("sip:bob@example.test")
        try world.run(until: { told.has("heard") && heard.has("heard") }, "both hear")
        guard
            case .heard(_, CallTone.callee)? = told.events.first(where: { if case .heard = $0 { true } else { false } })
        else {
            Issue.record("alice heard something else: \(told.events)")
            return
        }
        alice.hangUp(call)
        try world.run(until: { !told.summaries.isEmpty && !heard.summaries.isEmpty }, "both hang up")
        #expect(told.summaries[0].isGood)
        #expect(heard.summaries[0].isGood)
        #expect(told.summaries[0].end == .local)
        #expect(heard.summaries[0].end == .remote)
        #expect(heard.summaries[0].callID == told.summaries[0].callID)
        #expect((heard.summaries[0].audio?.packetsReceived ?? 0) > 5)
        try world.run(until: { !alice.isBusy && !bob.isBusy }, "nothing is left")
    }

    @Test("hold stops the other side's sound, and what follows brings it back")
    func hold() throws {
        let (world, alice, told, bob, heard) = try pair()
        heard.onEvent = { if case .incoming(let call, _, _, _) = $0 { bob.answer(call) } }
        let call = try alice.call("sip:bob@example.test")
        try world.run(until: { told.has("heard") }, "alice hears")
        #expect(alice.hold(call, true))
        #expect(!alice.hold(call, false), "one offer at a time")
        try world.run(until: { heard.has("held") && told.has("changed") }, "bob is held")
        #expect(alice.hold(call, false))
        try world.run(until: { heard.has("resumed") }, "bob is taken back")
        // From the other side as well.
        let other = try #require(bob.calls.first?.number)
        try world.run(until: { bob.hold(other, true) }, "bob may ask once his answer is confirmed")
        try world.run(until: { told.has("held") }, "alice is held")
        alice.hangUp(call)
        try world.run(until: { !heard.summaries.isEmpty }, "the call ends")
        #expect(heard.summaries[0].isGood)
    }

    @Test("an offer without a stream that can be had is refused with 488, and costs no port")
    func noCommonCodec() throws {
        let (world, alice, told, bob, heard) = try pair()
        heard.onEvent = { if case .incoming(let call, _, _, _) = $0 { bob.answer(call) } }
        let text = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 9\r\n"
        alice.perform { _ = $0.call("sip:bob@example.test", session: Array(text.utf8), now: $1) }
        try world.run(until: { heard.has("trouble") && heard.has("ended") }, "bob refuses")
        #expect(heard.summaries[0].end == .local)
        #expect(heard.summaries[0].talked == nil)
        #expect(told.summaries.isEmpty, "the call was made past the voice")
    }

    @Test("an INVITE without an offer is answered with one, and its ACK brings the answer")
    func lateOffer() throws {
        let (world, alice, _, bob, heard) = try pair()
        heard.onEvent = { if case .incoming(let call, _, _, _) = $0 { bob.answer(call) } }
        var answered: [UInt8] = []
        let before = alice.driver.observer
        alice.driver.observer = { report, now in
            if case .callAccepted(_, let session) = report.event { answered = session }
            before?(report, now)
        }
        alice.perform { _ = $0.call("sip:bob@example.test", session: [], now: $1) }
        try world.run(until: { !answered.isEmpty }, "bob answers")
        let offer = try SessionDescription(answered)
        #expect(offer.media.count == 1)
        #expect(offer.media.first?.formats == ["0", "8", "101"])
        bob.hangUpAll()
        try world.run(until: { heard.has("ended") }, "the call ends")
    }

    @Test("no call without a registration")
    func notRegistered() throws {
        let world = try Loopback()
        let alice = world.phone("alice")
        #expect(throws: VoiceError.self) { try alice.call("sip:bob@example.test") }
    }
}
