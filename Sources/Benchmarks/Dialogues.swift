import SIP
import Signaling

/// What two phones say to each other.
///
/// Templates with a number of fixed width in them, so that a round costs no text work.
enum Dialogues {
    static let message = Template(
        """
        MESSAGE sip:bob@example.test SIP/2.0
        Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKm########;rport
        Max-Forwards: 70
        From: "Alice" <sip:alice@example.test>;tag=f########
        To: <sip:bob@example.test>
        Call-ID: c########@192.0.2.1
        CSeq: 1 MESSAGE
        User-Agent: benchmark
        Content-Type: text/plain
        Content-Length: 11

        hello there
        """
    )

    private static let invite = Template(
        """
        INVITE sip:bob@example.test SIP/2.0
        Via: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKi########;rport
        Max-Forwards: 70
        From: "Alice" <sip:alice@example.test>;tag=f########
        To: <sip:bob@example.test>
        Call-ID: c########@192.0.2.1
        CSeq: 1 INVITE
        Contact: <sip:alice@192.0.2.1:5060;transport=tcp;ob>
        Allow: INVITE, ACK, CANCEL, BYE, OPTIONS, UPDATE
        Supported: outbound
        User-Agent: benchmark
        Content-Type: application/sdp
        Content-Length: 4

        v=0

        """
    )

    /// One request from alice to bob and bob's 200.
    ///
    /// - Returns: bytes sent.
    static func exchange(_ node: Node, _ template: Template) -> Int {
        let forwarded = node.send(node.alice, template.next())
        let answered = node.send(node.bob, response("200 OK", to: node.last))
        verify(node)
        return forwarded + answered
    }

    /// A benchmark of wrong answers would be worth nothing.
    private static func verify(_ node: Node) {
        guard Message(node.last).status == 200 else {
            fatalError("not answered with 200: \(String(decoding: node.last, as: UTF8.self))")
        }
    }

    /// A call with all its messages.
    ///
    /// - Returns: bytes sent.
    static func call(_ node: Node) -> Int {
        var sum = node.send(node.alice, invite.next())
        let request = node.last
        sum += node.send(node.bob, response("180 Ringing", to: request))
        sum += node.send(node.bob, response("200 OK", to: request))
        let answer = Message(node.last)
        sum += node.send(node.alice, inDialog("ACK", 1, answer))
        sum += node.send(node.alice, inDialog("BYE", 2, answer))
        sum += node.send(node.bob, response("200 OK", to: node.last))
        verify(node)
        return sum
    }

    /// A request of the caller within the dialog.
    private static func inDialog(_ method: StaticString, _ cseq: UInt64, _ answer: Message) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        out.append(text: method)
        out.append(
            text: " sip:bob@192.0.2.1:5060;transport=tcp SIP/2.0\r\nVia: SIP/2.0/TCP 192.0.2.1:5060;branch=z9hG4bKd"
        )
        if let field = answer.first(.callID) {
            out.append(answer.bytes, field.value.lowerBound..<field.value.lowerBound + 9)
        }
        out.append(text: method)
        out.append(text: "\r\nMax-Forwards: 70\r\n")
        for field in answer.fields {
            switch field.name {
            case .recordRoute:
                out.append(text: "Route: ")
                out.append(answer.bytes, field.value)
                out.append(text: "\r\n")
            case .from, .to, .callID: out.append(answer.bytes, field.line)
            default: break
            }
        }
        out.append(text: "CSeq: ")
        out.append(decimal: cseq)
        out.append(text: " ")
        out.append(text: method)
        out.append(text: "\r\nContent-Length: 0\r\n\r\n")
        return out
    }

    /// The callee's answer.
    private static func response(_ line: StaticString, to bytes: [UInt8]) -> [UInt8] {
        let request = Message(bytes)
        var out: [UInt8] = []
        out.reserveCapacity(1024)
        out.append(text: "SIP/2.0 ")
        out.append(text: line)
        out.append(text: "\r\n")
        for field in request.fields {
            switch field.name {
            case .via, .from, .callID, .cseq, .recordRoute: out.append(request.bytes, field.line)
            case .to:
                out.append(request.bytes, field.line.lowerBound..<field.value.upperBound)
                out.append(text: request.bytes[field.value].contains(UInt8(ascii: "=")) ? "\r\n" : ";tag=b\r\n")
            default: break
            }
        }
        out.append(text: "Contact: <sip:bob@192.0.2.1:5060;transport=tcp>\r\nContent-Length: 0\r\n\r\n")
        return out
    }
}

/// A message with `########` in it, which becomes another number each time.
final class Template: Sendable {
    private let bytes: [UInt8]
    private let places: [Int]
    nonisolated(unsafe) private var count: UInt64 = 0  // Benchmarks run on one thread.

    init(_ text: String) {
        bytes = Samples.lines(text)
        var places: [Int] = []
        var at = 0
        while at < bytes.count {
            if bytes[at] == UInt8(ascii: "#") {
                places.append(at)
                at += 8
            } else {
                at += 1
            }
        }
        self.places = places
    }

    func next() -> [UInt8] {
        count += 1
        var copy = bytes
        var digits: [UInt8] = []
        digits.append(hex: count, digits: 8)
        for place in places { copy.replaceSubrange(place..<(place + 8), with: digits) }
        return copy
    }
}
