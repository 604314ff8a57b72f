import SIP
import Testing

@testable import WakelineServer

@Suite("Configuration values")
struct ValueTests {
    @Test(
        "durations",
        arguments: [
            ("0", 0), ("30", 30_000), ("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("1h", 3_600_000),
            ("2 d", 172_800_000), ("", nil), ("s", nil), ("-1s", nil), ("1.5s", nil), ("1w", nil), ("5m30s", nil),
            ("9223372036854775807d", nil), ("99999999999999999999", nil), ("٣s", nil),
        ] as [(String, Int64?)]
    )
    func durations(text: String, expected: Int64?) {
        #expect((try? Units.duration(text))?.milliseconds == expected)
    }

    @Test(
        "sizes",
        arguments: [
            ("0", 0), ("512", 512), ("512B", 512), ("64KB", 65_536), ("1mb", 1_048_576), ("2 GB", 2_147_483_648),
            ("1K", nil), ("KB", nil), ("-1", nil), ("9223372036854775807KB", nil),
        ] as [(String, Int?)]
    )
    func sizes(text: String, expected: Int?) {
        #expect((try? Units.size(text)) == expected)
    }

    @Test("what is shown says the same and no more")
    func shown() {
        #expect(
            [0, 500, 1_500, 60_000, 185_000, 3_600_000].map { Units.text(.milliseconds($0)) }
                == ["0s", "500ms", "1500ms", "1m", "185s", "1h"]
        )
        #expect(
            [0, 100, 1_024, 1_500, 1 << 20, 3 << 30].map { Units.text(size: $0) }
                == ["0", "100", "1KB", "1500", "1MB", "3GB"]
        )
    }

    @Test(
        "advertised addresses",
        arguments: [
            ("sip.example.com", true), ("sip.example.com:5060", true), ("192.0.2.1:5060", true), ("[::1]:5060", true),
            ("", false), ("a b", false), ("host:", false), ("host:0", false), ("host:x", false), ("::1", false),
            ("-a.example", false), ("a..b", false),
        ]
    )
    func advertised(text: String, isRight: Bool) {
        #expect(((try? Configuration.AdvertisedAddress(text))?.description == text) == isRight)
    }

    @Test(
        "suggestions are near or not made",
        arguments: [
            ("domian", "domains"), ("listen-on", "listen"), ("lisen", "listen"), ("x", nil), ("", nil),
            ("TRUST", "trust"),
            (String(repeating: "a", count: 10_000), nil),
        ] as [(String, String?)]
    )
    func suggestions(word: String, expected: String?) {
        #expect(Suggestion.closest(to: word, among: ["listen", "domains", "trust", "data"]) == expected)
    }
}
