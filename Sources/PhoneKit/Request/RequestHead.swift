import SIP

/// What makes a request, but for its branch and its CSeq.
struct RequestHead {
    var method: StaticString
    /// The Request-URI.
    var uri: [UInt8]
    /// The tag of From, which is this phone.
    var tag: UInt64
    /// To, with its tag within a dialog.
    var to: [UInt8]
    var callID: [UInt8]
    var cseq: UInt32
    /// Lines of Route.
    var routes: [UInt8]
    /// Whether it names where it can be reached: what makes or moves a dialog does.
    var hasContact: Bool
    /// Further lines.
    var fields: [UInt8] = []
    var body: Payload?
}

extension Phone {
    /// Sends a request down a line's flow, and waits for its answer.
    ///
    /// - Returns: the number in its branch.
    @discardableResult
    func send(_ head: RequestHead, _ line: Int, for purpose: Exchange.Purpose) -> UInt64? {
        guard let flow = lines[line].flow else { return nil }
        let branch = host.random.next()
        let sent = host.outbox.send(flow) { serialize(head, line, branch: branch, to: &$0) }
        exchanges.append(
            Exchange(
                branch: branch,
                flow: flow,
                purpose: purpose,
                bytes: Array(host.outbox.arena[sent]),
                deadline: now.monotonic + host.policy.transactionTime
            )
        )
        return branch
    }

    /// Writes a request.
    func serialize(_ head: RequestHead, _ line: Int, branch: UInt64, to out: inout [UInt8]) {
        out.append(text: head.method)
        out.append(UInt8(ascii: " "))
        out.append(contentsOf: head.uri)
        out.append(text: " SIP/2.0\r\n")
        appendVia(line, branch: branch, to: &out)
        out.append(text: "Max-Forwards: 70\r\n")
        out.append(contentsOf: head.routes)
        out.append(text: "From: ")
        appendOwnValue(tag: head.tag, to: &out)
        out.append(text: "\r\nTo: ")
        out.append(contentsOf: head.to)
        out.append(text: "\r\nCall-ID: ")
        out.append(contentsOf: head.callID)
        out.append(text: "\r\nCSeq: ")
        out.append(decimal: UInt64(head.cseq))
        out.append(UInt8(ascii: " "))
        out.append(text: head.method)
        out.append(text: "\r\n")
        if head.hasContact { appendContact(line, to: &out) }
        out.append(contentsOf: head.fields)
        appendUserAgent(to: &out)
        out.append(body: head.body)
    }

    func appendVia(_ line: Int, branch: UInt64, to out: inout [UInt8]) {
        out.append(text: "Via: SIP/2.0/")
        out.append(text: lines[line].target.transport.viaName)
        out.append(UInt8(ascii: " "))
        appendHostAndPort(line, to: &out)
        out.append(text: ";branch=z9hG4bK")
        out.append(hex: branch, digits: 16)
        out.append(text: ";rport\r\n")
    }

    /// Appends the address others see in Via and Contact; a browser knows none (RFC 7118 section 5).
    func appendHostAndPort(_ line: Int, to out: inout [UInt8]) {
        switch lines[line].target.transport {
        case .ws, .wss:
            out.append(hex: lines[line].callID, digits: 12)
            out.append(text: ".invalid")
        case .udp, .tcp, .tls:
            lines[line].local.appendHost(to: &out)
            out.append(UInt8(ascii: ":"))
            out.append(decimal: UInt64(lines[line].local.port))
        }
    }

    /// Appends Contact for a dialog: the GRUU, or this flow with `ob` (RFC 5626 section 4.3).
    func appendContact(_ line: Int, to out: inout [UInt8]) {
        out.append(text: "Contact: <")
        if gruu.isEmpty {
            appendContactURI(line, to: &out)
            if lines[line].usesOutbound { out.append(text: ";ob") }
        } else {
            out.append(contentsOf: gruu)
        }
        out.append(text: ">\r\n")
    }

    func appendContactURI(_ line: Int, to out: inout [UInt8]) {
        identity.address.appendURI(to: &out)
        // Only `sip:user@`, escaped, is wanted of it.
        out.removeLast(identity.address.domain.count)
        appendHostAndPort(line, to: &out)
        out.append(text: ";transport=")
        out.append(text: lines[line].target.transport.uriName)
    }

    func appendUserAgent(to out: inout [UInt8]) {
        guard !host.policy.userAgent.isEmpty else { return }
        out.append(text: "User-Agent: ")
        out.append(host.policy.userAgent)
        out.append(text: "\r\n")
    }

    /// Appends this phone as From, with a tag.
    private func appendOwnValue(tag: UInt64, to out: inout [UInt8]) {
        if let name = identity.displayName {
            out.append(UInt8(ascii: "\""))
            out.append(quoted: name)
            out.append(text: "\" ")
        }
        out.append(UInt8(ascii: "<"))
        identity.address.appendURI(to: &out)
        out.append(text: ">;tag=")
        out.append(hex: tag, digits: 16)
    }
}

extension ByteString {
    /// The type of a session description.
    static let sdp: ByteString = "application/sdp"
}

extension [UInt8] {
    /// Appends Content-Type, Content-Length, the empty line and a body.
    mutating func append(body: Payload?) {
        guard let body, !body.bytes.isEmpty else {
            append(text: "Content-Length: 0\r\n\r\n")
            return
        }
        append(text: "Content-Type: ")
        append(body.type)
        append(text: "\r\nContent-Length: ")
        append(decimal: UInt64(body.bytes.count))
        append(text: "\r\n\r\n")
        append(contentsOf: body.bytes)
    }
}
