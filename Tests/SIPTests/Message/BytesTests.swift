import SIP
import TestSupport
import Testing

@Suite("Bytes")
struct BytesTests {
    @Test(
        "Base64 without padding (RFC 4648 section 10)",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"), ("\u{fb}\u{ff}", "w7vDvw"), (">>>???", "Pj4-Pz8_"),
        ]
    )
    func base64(plain: String, text: String) {
        var encoded: [UInt8] = []
        let bytes = Array(plain.utf8)
        Base64URL.encode(bytes.span, &encoded)
        #expect(String(decoding: encoded, as: UTF8.self) == text)
        #expect(decode(encoded) == bytes)
    }

    @Test("what is no such text is refused", arguments: ["Z", "Zg=", "Z g", "Z+8", "Z/8", "Zh", "Zm9", "\u{e9}A"])
    func notBase64(text: String) {
        #expect(decode(Array(text.utf8)) == nil)
    }

    @Test("more than 32 bytes are refused")
    func tooLong() {
        #expect(decode(Array(repeating: 65, count: 43))?.count == 32)
        #expect(decode(Array(repeating: 65, count: 44)) == nil)
    }

    private func decode(_ text: [UInt8]) -> [UInt8]? {
        var room = InlineArray<32, UInt8>(repeating: 0)
        guard let count = Base64URL.decode(text, text.indices, &room) else { return nil }
        return (0..<count).map { room[$0] }
    }

    @Test("any bytes come back", arguments: 1...8 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for length in 0...32 {
            let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var text: [UInt8] = []
            Base64URL.encode(bytes.span, &text)
            #expect(decode(text) == bytes, "seed \(seed)")
        }
    }

    @Test(
        "numbers are read whole or not at all",
        arguments: [
            ("0", 0), ("007", 7), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil), ("", nil),
            ("-1", nil), ("+1", nil), ("1 ", nil), ("1.0", nil), ("99999999999999999999999", nil),
        ] as [(String, UInt64?)]
    )
    func decimal(text: String, value: UInt64?) {
        let bytes = Array(text.utf8)
        #expect(bytes.decimal(bytes.indices) == value)
    }

    @Test("numbers are written as they are read", arguments: [0, 9, 10, 99, 100, 12_345, .max] as [UInt64])
    func written(value: UInt64) {
        var bytes: [UInt8] = []
        bytes.append(decimal: value)
        #expect(String(decoding: bytes, as: UTF8.self) == "\(value)")
        var big: [UInt8] = [1]
        big.append(bigEndian: value, bytes: 8)
        #expect(big.bigEndian(at: 1, bytes: 8) == value)
        #expect(big.bigEndian(at: 2, bytes: 8) == nil)
    }

    @Test(
        "quoted strings lose quotes and escapes, nothing else",
        arguments: [
            (#""a b""#, "a b"), (#""a\"b\\""#, #"a"b\"#), (#""""#, ""), ("plain", "plain"), (#"""#, #"""#),
            (#""open"#, #""open"#), (#""a\""#, #"a\"#),
        ]
    )
    func unquoted(text: String, content: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.unquoted(bytes.indices).description == content)
    }

    @Test(
        "escapes are undone where they are escapes",
        arguments: [
            ("%41%7a", "Az"), ("100%", "100%"), ("%4", "%4"), ("%zz", "%zz"), ("%%41", "%A"), ("a%00b", "a\0b"),
        ]
    )
    func unescaped(text: String, plain: String) {
        let bytes = Array(text.utf8)
        #expect(bytes.unescaped(bytes.indices).description == plain)
    }
}
