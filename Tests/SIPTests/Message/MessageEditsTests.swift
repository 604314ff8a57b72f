import SIP
import Testing

@Suite("Message edits")
struct MessageEditsTests {
    private let text = """
        INVITE sip:bob@example.com SIP/2.0
        Route: <sip:one.example;lr>
        v  : SIP/2.0/TCP a.example ,  SIP/2.0/UDP b.example
        X-Odd:   ;;,,  <\t>
          folded\t
        m:<sip:a@b>
        l : 4

        a\u{0}\u{1}b
        """

    private func edited(_ change: (inout MessageEdits, Message) -> Void) -> String {
        let message = Message(text: text)
        var edits = MessageEdits()
        change(&edits, message)
        var out: [UInt8] = []
        edits.apply(to: message, &out)
        return String(decoding: out, as: UTF8.self).replacing("\r\n", with: "\n")
    }

    @Test("what is not touched leaves byte for byte")
    func untouched() {
        #expect(edited { _, _ in } == text)
        let changed = edited { edits, message in
            edits.replace(message.requestURI) { $0.append(text: "sip:c") }
            if let field = message.first(.contact) { edits.replace(field.value) { $0.append(text: "<sip:d>") } }
        }
        #expect(
            changed == text.replacing("sip:bob@example.com", with: "sip:c").replacing("m:<sip:a@b>", with: "m:<sip:d>")
        )
    }

    @Test("insertions at one place stand in the order they were made in")
    func order() {
        let changed = edited { edits, message in
            edits.insert(at: message.headerStart) { $0.append(text: "A: 1\r\n") }
            edits.insert(at: message.headerStart) { $0.append(text: "B: 2\r\n") }
        }
        #expect(changed == text.replacing("Route:", with: "A: 1\nB: 2\nRoute:"))
    }

    @Test("an insertion where something is removed is not lost, whichever came first", arguments: [true, false])
    func insertAndRemove(removesFirst: Bool) {
        let changed = edited { edits, message in
            guard let route = message.first(.route) else { return }
            if removesFirst { edits.remove(route.line) }
            edits.insert(at: message.headerStart) { $0.append(text: "A: 1\r\n") }
            if !removesFirst { edits.remove(route.line) }
            edits.insert(at: message.headerStart) { $0.append(text: "B: 2\r\n") }
        }
        #expect(changed == text.replacing("Route: <sip:one.example;lr>\n", with: "A: 1\nB: 2\n"))
    }

    @Test("edits may be made in any order of place")
    func anyOrder() {
        let changed = edited { edits, message in
            if let field = message.first(.contact) { edits.remove(field.line) }
            if let field = message.first(.route) { edits.remove(field.line) }
            edits.replace(message.requestURI) { $0.append(text: "sip:c") }
        }
        let expected = text.replacing("sip:bob@example.com", with: "sip:c").replacing("m:<sip:a@b>\n", with: "")
            .replacing("Route: <sip:one.example;lr>\n", with: "")
        #expect(changed == expected)
    }

    @Test("the first value of a list goes, and its line with the last")
    func firstValue() {
        let one = edited { edits, message in
            if let field = message.first(.via) { edits.removeFirstValue(field, of: message) }
            if let field = message.first(.route) { edits.removeFirstValue(field, of: message) }
        }
        let expected = text.replacing("SIP/2.0/TCP a.example ,", with: "")
            .replacing("Route: <sip:one.example;lr>\n", with: "")
        #expect(one == expected)
    }

    @Test("edits that are removed change nothing")
    func removeAll() {
        let changed = edited { edits, message in
            edits.remove(message.requestURI)
            edits.removeAll()
        }
        #expect(changed == text)
    }

    @Test("what stands behind the body stays behind")
    func afterBody() {
        let message = Message(Array("OPTIONS sip:a SIP/2.0\r\nl: 1\r\n\r\nabc".utf8))
        var out: [UInt8] = []
        MessageEdits().apply(to: message, &out)
        #expect(out == Array("OPTIONS sip:a SIP/2.0\r\nl: 1\r\n\r\na".utf8))
    }
}
