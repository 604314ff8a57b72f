public import SIP

extension Phone {
    /// Sends a message (RFC 3428).
    ///
    /// - Parameters:
    ///   - payload: what to send.
    ///   - uri: whom to.
    ///   - now: the time.
    /// - Returns: the request, which ends with `answered`; nil where no line is registered.
    public func send(_ payload: Payload, to uri: ByteString, now: Now) -> RequestID? {
        turn(now) { request("MESSAGE", uri, payload) }
    }

    /// Asks what somebody can do, or whether they are there (RFC 3261 section 11).
    ///
    /// - Returns: the request, which ends with `answered`; nil where no line is registered.
    public func askOptions(of uri: ByteString, now: Now) -> RequestID? {
        turn(now) { request("OPTIONS", uri, nil) }
    }

    private func request(_ method: StaticString, _ uri: ByteString, _ payload: Payload?) -> RequestID? {
        guard let line = usableLine else {
            hurry()
            return nil
        }
        let id = RequestID(number: newNumber())
        var to: [UInt8] = [UInt8(ascii: "<")]
        to.append(uri)
        to.append(UInt8(ascii: ">"))
        let callID = newCallID()
        var fields: [UInt8] = []
        if payload == nil { fields.append(text: "Accept: application/sdp\r\n") }
        appendCredentials(isRegister: false, method: method, uri: uri.bytes, to: &fields)
        let head = RequestHead(
            method: method,
            uri: uri.bytes,
            tag: host.random.next(),
            to: to,
            callID: callID,
            cseq: 1,
            routes: serviceRoute,
            hasContact: false,
            fields: fields,
            body: payload
        )
        send(head, line, for: .request(id))
        return id
    }

    /// A request came.
    func receive(request: Message, _ fault: MessageFault?, _ line: Int) {
        if let fault {
            if request.isAnswerable { answer(request, line, Status(fault.status, "Bad Request")) }
            return
        }
        let isWithin = ((try? request.tag(.to)) ?? nil) != nil
        let call = isWithin ? callWithin(request) : nil
        if request.method == .ack { return receiveAck(request, call) }
        if request.method == .cancel { return receiveCancel(request, line) }
        if let option = unsupportedOption(request) {
            var fields: [UInt8] = []
            fields.append(text: "Unsupported: ")
            fields.append(option)
            fields.append(text: "\r\n")
            return answer(request, line, .badExtension, fields: fields)
        }
        if let call {
            let number = (try? request.cseq())?.number ?? 0
            // An old request, late (RFC 3261 section 12.2.2).
            guard number > call.remoteCSeq else { return answer(request, line, Status(500, "Out of Order")) }
            call.remoteCSeq = number
        }
        switch request.method {
        case .invite:
            guard isWithin else { return receiveInvite(request, line) }
            guard let call else { return answer(request, line, .noSuchTransaction) }
            receiveOffer(request, call, line)
        case .bye: receiveBye(request, call, line)
        case .prack: receivePrack(request, call, line)
        case .options:
            var fields = Self.abilities
            fields.append(text: "Accept: application/sdp, text/plain\r\n")
            answer(request, line, .ok, fields: fields)
        case .message: receiveMessage(request, line)
        case .ack, .cancel, .register, .subscribe, .notify, .refer, .info, .update, .publish, .other:
            answer(request, line, .methodNotAllowed, fields: Self.abilities)
        }
    }

    private func receiveMessage(_ request: Message, _ line: Int) {
        guard let from = (try? request.nameAddress(.from)) ?? nil else { return answer(request, line, .badRequest) }
        let type = (try? request.token(.contentType)) ?? nil
        // The same request by another way (RFC 3261 section 8.2.2.2).
        if let callID = request.first(.callID), let sequence = request.first(.cseq) {
            let identity = Array(request.bytes[callID.value]) + Array(request.bytes[sequence.value])
            guard !messages.has(identity, now: now.monotonic) else { return answer(request, line, .loopDetected) }
            messages.note(identity, for: host.policy.transactionTime, now: now.monotonic)
        }
        answer(request, line, .ok)
        report(
            .message(
                from: request.string(from.uri),
                Payload(
                    type: type.map { request.string($0.token) } ?? "text/plain",
                    bytes: Array(request.bytes[request.body])
                )
            )
        )
    }

    /// The first option tag that is required and not known here.
    private func unsupportedOption(_ request: Message) -> ByteString? {
        for value in request.values(.require) {
            let isKnown =
                request.bytes.isEqualIgnoringCase(value, "100rel")
                || request.bytes.isEqualIgnoringCase(value, "outbound")
                || request.bytes.isEqualIgnoringCase(value, "gruu")
            if !isKnown { return request.string(value) }
        }
        return nil
    }

    /// Answers a request that makes no call.
    func answer(_ request: Message, _ line: Int, _ status: Status, fields: [UInt8] = []) {
        guard let flow = lines[line].flow else { return }
        respond(to: request, flow, line, status, tag: host.random.next(), fields: fields)
    }

    /// Sends an answer.
    ///
    /// - Returns: where it lies in the outbox.
    @discardableResult
    func respond(
        to request: Message,
        _ flow: FlowID,
        _ line: Int,
        _ status: Status,
        tag: UInt64,
        hasContact: Bool = false,
        fields: [UInt8] = [],
        session: [UInt8] = []
    ) -> Range<Int> {
        host.outbox.send(flow) { out in
            ResponseBuilder.begin(
                status.code,
                reason: { $0.append(text: status.reason) },
                to: request,
                toTag: tag,
                source: nil,
                edits: &host.edits,
                &out
            )
            if hasContact {
                // What makes a dialog hands the route on (RFC 3261 section 12.1.1).
                for field in request.fields where field.name == .recordRoute { out.append(request.bytes, field.line) }
                appendContact(line, to: &out)
            }
            out.append(contentsOf: fields)
            appendUserAgent(to: &out)
            out.append(body: session.isEmpty ? nil : Payload(type: .sdp, bytes: session))
        }
    }
}
