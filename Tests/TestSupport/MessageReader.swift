public import SIP

/// Reads all that can be read of a message, and gathers what lies outside of it or of its header value.
public struct MessageReader {
    private let message: Message
    /// What lies where it should not; empty when all is well.
    public private(set) var strays: [String] = []

    /// Reads a message at once.
    public init(_ message: Message) {
        self.message = message
        readAll()
    }

    private mutating func check(_ range: Range<Int>?, within bounds: Range<Int>, _ what: String) {
        guard let range, range.lowerBound < bounds.lowerBound || range.upperBound > bounds.upperBound else { return }
        strays.append("\(what) \(range) outside of \(bounds)")
    }

    private mutating func readAll() {
        let all = message.bytes.indices
        for (what, range) in [
            ("method", message.methodRange), ("URI", message.requestURI), ("reason", message.reason),
            ("start line", message.startLine), ("body", message.body),
        ] {
            check(range, within: all, what)
        }
        for field in message.fields {
            check(field.line, within: message.startLine.upperBound..<message.body.lowerBound, "line")
            check(field.nameRange, within: field.line, "name")
            check(field.value, within: field.line, "value")
            _ = try? Credentials.parse(message, field)
            readValue(field.value, field.name)
        }
        for name in HeaderName.allCases {
            for value in message.values(name) { check(value, within: all, "\(name) value") }
            _ = message.lists("outbound", in: name)
            _ = try? message.number(name)
            _ = try? message.nameAddress(name)
            _ = try? message.firstNameAddress(name)
            _ = try? message.nameAddresses(name)
            _ = try? message.tag(name)
            if let value = attempt({ try message.token(name) }) ?? nil {
                check(value.token, within: all, "token")
                check(value.parameters, within: all, "token parameters")
            }
        }
        _ = message.validate()
        _ = message.isAnswerable
        _ = message.asksForIdentityPrivacy
        _ = try? message.callID()
        _ = try? message.cseq()
        _ = try? message.topVia()
        _ = try? Contact.all(of: message)
        readURI(message.requestURI)
        answer()
    }

    private mutating func readValue(_ range: Range<Int>, _ name: HeaderName) {
        for value in message.values(name) {
            if let via = attempt({ try Via(message.bytes, value) }) {
                for part in [via.transport, via.host, via.sentBy, via.parameters] { check(part, within: value, "Via") }
                for part in [via.branch, via.received, via.rport?.name, via.rport?.value, via.keep?.value] {
                    check(part, within: via.parameters, "Via parameter")
                }
                _ = SocketAddress(host: message.bytes, via.host, port: via.port ?? 0)
            }
            if let contact = attempt({ try Contact.Address(message.bytes, value) }) {
                check(contact.instance, within: value, "instance")
            }
            guard let address = attempt({ try NameAddress(message.bytes, value, of: name) }) else { continue }
            check(address.displayName, within: value, "display name")
            check(address.uri, within: value, "URI")
            check(address.parameters, within: value, "parameters")
            for parameter in Parameters(message.bytes, address.parameters) {
                check(parameter.name, within: address.parameters, "parameter")
                check(parameter.value, within: address.parameters, "parameter value")
            }
            _ = message.bytes.unquoted(address.displayName ?? value)
            readURI(address.uri)
        }
    }

    private mutating func readURI(_ range: Range<Int>) {
        let bytes = message.bytes
        if let uri = attempt({ try SIPURI(bytes, range) }) {
            for part in [uri.user, uri.password, uri.host, uri.parameters, uri.headers] {
                check(part, within: range, "URI")
            }
            _ = bytes.parameter("gr", in: uri.parameters)
        }
        let isItself = URIComparison.areEqual(bytes, range, bytes, range)
        let isRequest = URIComparison.areEqual(bytes, range, bytes, message.requestURI)
        let isRequestBack = URIComparison.areEqual(bytes, message.requestURI, bytes, range)
        if !isItself { strays.append("a URI is not itself") }
        if isRequest != isRequestBack { strays.append("a comparison has a direction") }
        _ = TelURI(bytes, range)
    }

    /// Whatever can be answered is answered with something that can be read.
    private mutating func answer() {
        guard message.isAnswerable, message.fault == nil else { return }
        var out: [UInt8] = []
        let source = SocketAddress(ipv4: 0x7f00_0001, port: 1)
        var edits = MessageEdits()
        ResponseBuilder.begin(
            400,
            reason: { $0.append(text: "Bad Request") },
            to: message,
            toTag: 7,
            source: source,
            edits: &edits,
            &out
        )
        ResponseBuilder.end(&out)
        let answer = Message(out)
        if answer.fault != nil || answer.status != 400 { strays.append("an answer that is none") }
    }
}

private func attempt<Value, Failure: Error>(_ body: () throws(Failure) -> Value) -> Value? {
    do { return try body() } catch { return nil }
}
