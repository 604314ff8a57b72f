import Testing

@testable import SIP

/// What looks at many bytes at a time finds what looking at each byte finds: every byte, at every place of a block and behind it.
@Suite("Many bytes at a time")
struct WordwiseTests {
    private static let places = 0..<41

    /// Text with one byte replaced, at every place, by every byte there is.
    private func forEach(_ body: ([UInt8], _ place: Int, _ byte: UInt8) -> Bool) -> [String] {
        var wrong: [String] = []
        for place in Self.places {
            for byte in UInt8.min...UInt8.max {
                var bytes = Array("abcdefghIJKLM/.-~}!0abcdefghIJKLM/.-~}!0@".utf8)
                bytes[place] = byte
                if !body(bytes, place, byte) { wrong.append("\(byte) at \(place)") }
            }
        }
        return wrong
    }

    @Test("white space and controls are seen")
    func visible() {
        #expect(forEach { bytes, _, byte in bytes.span.isVisible == (byte > 0x20 && byte != 0x7f) } == [])
    }

    @Test("a start line is passed over up to its first control character")
    func text() {
        let wrong = forEach { bytes, place, byte in
            let end = bytes.span.endOfText(from: 1, to: bytes.count)
            let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7f
            return end == (isControl && place > 0 ? place : bytes.count)
        }
        #expect(wrong == [])
    }

    @Test("a byte is found in a range of any length at any place, and none beside it")
    func ranges() {
        let bytes = Array(1...41) as [UInt8]
        for start in 0...bytes.count {
            for end in start...bytes.count {
                for (place, byte) in bytes.enumerated() {
                    let found = bytes.first(byte, in: start..<end)
                    #expect(found == ((start..<end).contains(place) ? place : nil), "\(place) in \(start)..<\(end)")
                }
                #expect(bytes.first(0, in: start..<end) == nil)
                #expect(bytes.first(0xff, in: start..<end) == nil)
            }
        }
    }

    @Test("a line ends at its first CR or LF, whatever other control characters it holds")
    func lineBreaks() {
        let wrong = forEach { bytes, place, byte in
            let end = bytes.span.firstLineBreak(from: 0)
            return end == (byte == 0x0d || byte == 0x0a ? place : bytes.count)
        }
        #expect(wrong == [])
        let controls = [0x09, 0x0b, 0x0c, 0x41, 0x0d, 0x0a] as [UInt8]
        #expect(controls.span.firstLineBreak(from: 0) == 4)
    }

    @Test("the value of a parameter ends at a semicolon or white space")
    func parameters() {
        let wrong = forEach { bytes, place, byte in
            var parameters = Parameters(Array(";n=".utf8) + bytes, 0..<(bytes.count + 3))
            let value = parameters.next()?.value
            let isEnd = byte == UInt8(ascii: ";") || byte.isLWS
            // A quote at the start begins a string that never ends, and white space there comes before the value.
            if place == 0, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ";") { return value == nil }
            if place == 0, isEnd { return value == 4..<(bytes.count + 3) }
            return value == 3..<(3 + (isEnd ? place : bytes.count))
        }
        #expect(wrong == [])
    }

    @Test("two spans are equal or not")
    func equality() {
        let whole = Array("abcdefghIJKLM/.-~}!0abcdefghIJKLM/.-~}!0@".utf8)
        let wrong = forEach { bytes, place, byte in
            bytes.isEqual(0..<bytes.count, to: whole, 0..<whole.count) == (byte == whole[place])
                && bytes.isEqual(place..<bytes.count, to: whole, place..<whole.count) == (byte == whole[place])
        }
        #expect(wrong == [])
    }

    @Test(
        "a word in any case is it or not",
        arguments: [
            "nc", "qop", "keep", "realm", "branch", "reg-id", "expires", "received", "+sip.instance", "sip/2.0",
        ]
            as [StaticString]
    )
    func words(word: StaticString) {
        let known = Array(word.description.utf8)
        for place in known.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = known.enumerated().map {
                    $0 % 2 == 0 ? UInt8($1) : Character(UnicodeScalar($1)).uppercased().utf8.first ?? 0
                }
                bytes[place] = byte
                let isEqual = byte.lowercased == known[place]
                #expect(bytes.isEqualIgnoringCase(bytes.indices, word) == isEqual, "\(byte) at \(place) of \(word)")
            }
        }
        #expect(!(known + known).isEqualIgnoringCase(0..<(known.count * 2), word))
    }

    @Test("a quoted string ends at its quote, and a value of a list at the comma behind its brackets")
    func lists() {
        let wrong = forEach { bytes, place, byte in
            let quoted = Array("\"".utf8) + bytes
            let list = Array("<".utf8) + bytes + Array(">x,y".utf8)
            return quoted.quotedStringEnd(quoted.indices) == (byte == UInt8(ascii: "\"") ? place + 2 : nil)
                && list.listValueEnd(list.indices) == bytes.count + 3
        }
        #expect(wrong == [])
    }

    @Test("a header field's name is the known one or not", arguments: HeaderName.allCases.filter { $0 != .other })
    func names(name: HeaderName) {
        let known = Array(name.name.description.utf8)
        for place in known.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = known
                bytes[place] = byte
                let read = HeaderName(bytes.span, bytes.indices)
                let isKnown = byte.lowercased == known[place].lowercased
                #expect((read == name) == isKnown, "\(byte) at \(place) of \(name)")
            }
        }
    }

    @Test("Base64 of any length is read again, and nothing that does not belong there", arguments: 0...32)
    func base64(count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + 7 ^ $0 << 3) }
        var text: [UInt8] = []
        Base64URL.encode(bytes.span, &text)
        #expect(text.count == (count * 4 + 2) / 3)
        func read(_ text: [UInt8]) -> [UInt8]? {
            var raw = InlineArray<32, UInt8>(repeating: 0)
            let padded = [0x3d] + text + [0x3d]
            return Base64URL.decode(padded, 1..<(text.count + 1), &raw).map { length in (0..<length).map { raw[$0] } }
        }
        #expect(read(text) == bytes)
        for place in text.indices {
            for byte in UInt8.min...UInt8.max where byte != text[place] {
                var other = text
                other[place] = byte
                // Another text stands for other bytes, or for none.
                let value = read(other)
                #expect(value == nil || value != bytes)
                let isOfAlphabet = byte.isIn(.token) && !Array(".!%*+`'~".utf8).contains(byte)
                if !isOfAlphabet { #expect(value == nil) }
            }
        }
        #expect(read(text + Array(repeating: UInt8(ascii: "A"), count: 45 - text.count)) == nil)
    }
}
