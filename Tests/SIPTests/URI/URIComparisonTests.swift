import SIP
import Testing

@Suite("Comparing URIs")
struct URIComparisonTests {
    private func areEqual(_ left: String, _ right: String) -> Bool {
        let one = Array(left.utf8)
        let other = Array(right.utf8)
        let forth = URIComparison.areEqual(one, one.indices, other, other.indices)
        let back = URIComparison.areEqual(other, other.indices, one, one.indices)
        #expect(forth == back, "it goes both ways")
        return forth
    }

    @Test(
        "these are the same (RFC 3261 section 19.1.4, RFC 5954 section 4.2)",
        arguments: [
            ("sip:%61lice@atlanta.com;transport=TCP", "sip:alice@AtLanTa.CoM;Transport=tcp"),
            ("sip:carol@chicago.com", "sip:carol@chicago.com;newparam=5"),
            ("sip:carol@chicago.com", "sip:carol@chicago.com;security=on"),
            ("sip:carol@chicago.com;newparam=5", "sip:carol@chicago.com;security=on"),
            (
                "sip:biloxi.com;transport=tcp;method=REGISTER?to=sip:bob%40biloxi.com",
                "sip:biloxi.com;method=REGISTER;transport=tcp?to=sip:bob%40biloxi.com"
            ),
            (
                "sip:alice@atlanta.com?subject=project%20x&priority=urgent",
                "sip:alice@atlanta.com?priority=urgent&subject=project%20x"
            ),
            ("sip:bob@[::ffff:192.0.2.128]", "sip:bob@[::ffff:c000:280]"),
            ("sip:bob@[2001:db8::9:1]", "sip:bob@[2001:db8::9:01]"),
            ("sip:bob@[0:0:0:0:0:FFFF:129.144.52.38]", "sip:bob@[::ffff:129.144.52.38]"),
            ("SIP:a@b", "sip:a@b"), ("sip:a@b;x=%41", "sip:a@b;X=a"), ("sip:a%2db@c", "sip:a-b@c"),
            ("sip:a%3ab@c", "sip:a%3Ab@c"), ("sip:a:p%61ss@b", "sip:a:pass@b"), ("http://a/B", "http://a/B"),
        ]
    )
    func same(left: String, right: String) {
        #expect(areEqual(left, right))
    }

    @Test(
        "these are not",
        arguments: [
            ("SIP:ALICE@AtLanTa.CoM;Transport=udp", "sip:alice@AtLanTa.CoM;Transport=UDP"),
            ("sip:bob@biloxi.com", "sip:bob@biloxi.com:5060"),
            ("sip:bob@biloxi.com", "sip:bob@biloxi.com;transport=udp"),
            ("sip:bob@biloxi.com", "sip:bob@biloxi.com:6000;transport=tcp"),
            ("sip:carol@chicago.com", "sip:carol@chicago.com?Subject=next%20meeting"),
            ("sip:bob@phone21.boxesbybob.com", "sip:bob@192.0.2.4"),
            ("sip:carol@chicago.com;security=on", "sip:carol@chicago.com;security=off"),
            ("sip:a@b", "sips:a@b"), ("sip:a@b", "sip:b"), ("sip:a:p@b", "sip:a@b"), ("sip:a:p@b", "sip:a:P@b"),
            ("sip:a@b;user=phone", "sip:a@b"), ("sip:a@b;ttl=1", "sip:a@b"), ("sip:a@b;maddr=x", "sip:a@b"),
            ("sip:a@b;method=INVITE", "sip:a@b"), ("sip:a@b;lr", "sip:a@b;lr=on"), ("sip:a@b?x=1", "sip:a@b?x=2"),
            // A reserved character is not its escape.
            ("sip:a%3Bb@c", "sip:a;b@c"), ("sip:a@[::1]", "sip:a@[::2]"),
            // An IPv4 address is another host than the IPv6 address it is mapped to.
            ("sip:a@192.0.2.1", "sip:a@[::ffff:192.0.2.1]"), ("http://a/b", "http://A/b"), ("sip:a@b", "tel:+1"),
        ]
    )
    func different(left: String, right: String) {
        #expect(!areEqual(left, right))
    }

    @Test(
        "tel URIs by number and parameters (RFC 3966 section 4)",
        arguments: [
            ("tel:+1-201-555-0123", "tel:+12015550123", true), ("TEL:+1(201)555.0123", "tel:+12015550123", true),
            ("tel:+1;ext=12-3;isub=4", "tel:+1;isub=4;ext=123", true), ("tel:+1;A=B", "tel:+1;a=b", true),
            ("tel:7042;phone-context=example.com", "tel:70-42;phone-context=EXAMPLE.com", true),
            ("tel:863;phone-context=+1-914-555", "tel:863;phone-context=+1914555", true),
            ("tel:*A#;phone-context=x", "tel:*a#;phone-context=x", true), ("tel:+1", "tel:+2", false),
            ("tel:+1", "tel:+1;ext=1", false), ("tel:+1;ext=1", "tel:+1;ext=2", false),
            ("tel:863;phone-context=+1914555", "tel:863;phone-context=+1914556", false),
            ("tel:+1;x=a-b", "tel:+1;x=ab", false), ("tel:1;phone-context=+44", "tel:+441", false),
        ]
    )
    func tel(left: String, right: String, isSame: Bool) {
        #expect(areEqual(left, right) == isSame)
    }

    @Test(
        "what is no tel URI is none",
        arguments: [
            "tel:", "tel:+", "tel:+-.", "tel:123", "tel:+1 2", "tel:1+2;phone-context=x", "tel:+A", "tel:+1;",
            "tel:+1;=", "sip:+1", "te",
        ]
    )
    func notTel(text: String) {
        let bytes = Array(text.utf8)
        #expect(TelURI(bytes, bytes.indices) == nil)
    }
}
