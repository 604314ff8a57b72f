import Media
import PhoneKit
import SIP
import TestSupport
import Testing

@testable import Softphone

@Suite("What a phone is told, and tells")
struct TextTests {
    @Test(
        "servers as people write them",
        arguments: [
            ("tcp://127.0.0.1", "127.0.0.1:5060"), ("tcp://sip.example.test:5070", "sip.example.test:5070"),
            ("TCP://[::1]:1", "[::1]:1"), ("tcp://[2001:db8::1]", "[2001:db8::1]:5060"),
            ("127.0.0.1:5060", nil), ("udp://127.0.0.1", nil), ("tcp://", nil), ("tcp://:5060", nil),
            ("tcp://a:0", nil), ("tcp://a:70000", nil), ("tcp://[::1", nil), ("tcp://[::1]x", nil), ("tcp://::1", nil),
            ("tcp://a b", nil), ("tcp://a/b", nil), ("tcp://a:", nil),
        ]
    )
    func server(_ text: String, _ expected: String?) {
        #expect((try? ServerAddress(text))?.description == expected)
    }

    @Test("a device is the same for an address on a host, and another one elsewhere")
    func instance() {
        let alice = AddressOfRecord(user: "alice", domain: "example.test")
        let bob = AddressOfRecord(user: "bob", domain: "example.test")
        let first = InstanceURN.derived(from: alice, host: "here", .openSSL)
        #expect(first == InstanceURN.derived(from: alice, host: "here", .openSSL))
        #expect(first != InstanceURN.derived(from: alice, host: "there", .openSSL))
        #expect(first != InstanceURN.derived(from: bob, host: "here", .openSSL))
        let text = Array(first.description)
        #expect(text.count == 45)
        // Version and variant of RFC 9562.
        #expect(text[23] == "8")
        #expect("89ab".contains(text[28]))
        #expect(InstanceURN.isValid(first.description))
        for bad in ["", "urn:", "uuid:1", "urn:uuid:1>", "urn:uuid:\"", "urn:a b"] {
            #expect(!InstanceURN.isValid(bad), "\(bad)")
        }
    }

    @Test(
        "push parameters as people write them",
        arguments: [
            ("apns:TEAM.app:aa", "apns TEAM.app aa -"), ("apns:TEAM.app:aa:bb", "apns TEAM.app aa bb"),
            ("fcm:project:abc:APA91b:x", "fcm project abc:APA91b:x -"),
            ("webpush::https://push.example/1", "webpush - https://push.example/1 -"),
            ("apns:TEAM.app:aa:bb:cc", nil), ("apns::aa", nil), ("apns:TEAM.app:", nil), ("apns:TEAM.app", nil),
            ("apns:TEAM.app:aa:", nil), ("gcm:project:x", nil), ("", nil),
        ]
    )
    func push(_ text: String, _ expected: String?) {
        let read = PushParameters(text).map {
            "\($0.provider) \($0.parameter ?? "-") \($0.token) \($0.alertToken ?? "-")"
        }
        #expect(read == expected)
    }

    @Test(
        "times for people",
        arguments: [
            (0, "0 ms"), (-5, "0 ms"), (42, "42 ms"), (1_000, "1.0 s"), (1_290, "1.2 s"), (99_999, "99.9 s"),
            (3_312_000, "3312 s"),
        ]
    )
    func time(_ milliseconds: Int64, _ expected: String) {
        #expect(Interval(milliseconds: milliseconds).text == expected)
    }

    @Test("secrets are left out of what is shown, folded ones too")
    func secrets() {
        let text = """
            REGISTER sip:example.test;PN-PRID=0a1b SIP/2.0\r
            Contact: <sip:alice@192.0.2.1;pn-provider=apns;pn-prid=0a1b:voip&2c3d:remote;x>;reg-id=1\r
            authorization : Digest username="alice",\r
             response="beef"\r
            Proxy-Authenticate: Digest nonce="cafe"\r
            Authentication-Info: nextnonce="f00d"\r
            Subject: \u{1b}[31mred\r
            \r
            Authorization: what stands in a body is the user's own\r
            """
        let shown = TracedMessage(phone: 0, flow: FlowID(rawValue: 1), isSent: true, bytes: Array(text.utf8)).shown
        for secret in ["0a1b", "2c3d", "beef", "cafe", "f00d", "\u{1b}", "\r"] {
            #expect(!shown.contains(secret), "\(secret) in \(shown)")
        }
        for kept in ["pn-provider=apns", ";x>;reg-id=1", "authorization : (left out)", "the user's own"] {
            #expect(shown.contains(kept), "\(kept) in \(shown)")
        }
        let ping = TracedMessage(phone: 0, flow: FlowID(rawValue: 1), isSent: false, bytes: Array("\r\n".utf8))
        #expect(ping.shown == "<<< ping")
    }

    @Test("a call is good when it was answered and heard")
    func goodness() {
        var summary = CallSummary(
            number: 1,
            isIncoming: false,
            peer: "sip:bob@example.test",
            callID: "1",
            end: .remote,
            talked: .seconds(1),
            audio: nil
        )
        #expect(summary.isGood)
        #expect(summary.hearing == nil)
        summary.audio = AudioReport()
        #expect(summary.hearing == .nothing)
        #expect(!summary.isGood)
        summary.audio = nil
        summary.talked = nil
        #expect(!summary.isGood)
        summary.talked = .seconds(1)
        for end in [CallEnd.cancelled, .answeredElsewhere, .rejected(486), .unanswered, .missed, .lost] {
            summary.end = end
            #expect(!summary.isGood, "\(end)")
        }
    }

    @Test("every failure names a mend or a reason, without an end")
    func mends() {
        let teller = EventTeller(servers: ["here:5060"], address: "alice@example.test")
        var failures: [Failure] = [401, 403, 404, 407, 423, 500, 503, 699].map { .status($0) }
        failures += CloseReason.allCases.map { .flow($0) }
        failures.append(.timeout)
        for failure in failures {
            let text = teller.record(.registrationFailed(line: 0, failure, retry: .seconds(3))).text
            #expect(text.hasPrefix("could not register: "), "\(text)")
            #expect(text.hasSuffix("; trying again in 3.0 s"), "\(text)")
            #expect(text.contains("here:5060") || text.contains("alice@example.test"), "\(text)")
        }
    }
}
