import Testing

@testable import SIP

@Suite("Header names")
struct HeaderNameTests {
    private func read(_ text: String) -> HeaderName {
        let bytes = Array(text.utf8)
        return HeaderName(bytes.span, bytes.indices)
    }

    @Test("are read in any case", arguments: HeaderName.allCases.filter { $0 != .other })
    func anyCase(name: HeaderName) {
        let text = name.name.description
        let mixed = String(
            text.enumerated().map { $0 % 2 == 0 ? Character($1.lowercased()) : Character($1.uppercased()) }
        )
        #expect([text, text.lowercased(), text.uppercased(), mixed].map(read) == [name, name, name, name])
    }

    @Test("that are near to one are not it", arguments: HeaderName.allCases.filter { $0 != .other })
    func neighbours(name: HeaderName) {
        let text = name.name.description
        #expect(
            [text + "x", "x" + text, text + "-", String(text.dropLast()) + "_"].map(read) == [
                .other, .other, .other, .other,
            ]
        )
        #expect(text == "To" || read(text.replacing("-", with: "_")) == (text.contains("-") ? .other : name))
    }

    @Test(
        "have compact forms (RFC 3261 section 7.3.3 and its extensions)",
        arguments: [
            ("v", .via), ("f", .from), ("t", .to), ("i", .callID), ("m", .contact), ("l", .contentLength),
            ("c", .contentType), ("e", .contentEncoding), ("k", .supported), ("s", .subject), ("o", .event),
            ("u", .allowEvents), ("r", .referTo), ("b", .referredBy), ("z", .other), ("q", .other),
        ] as [(String, HeaderName)]
    )
    func compact(letter: String, name: HeaderName) {
        #expect(read(letter) == name)
        #expect(read(letter.uppercased()) == name)
    }
}
