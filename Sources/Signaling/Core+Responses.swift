import SIP

/// Answers of this server's own.
extension Core {
    /// Answers a request in its transaction.
    ///
    /// - Parameters:
    ///   - request: what is answered.
    ///   - status: code and reason phrase.
    ///   - extra: appends further header fields.
    func respond(_ request: Request, _ status: Status, extra: (inout [UInt8]) -> Void = { _ in }) {
        let effects = serverSends(request.server, status: status.code)
        guard effects.deliver, let origin = transactions.source(server: request.server) else {
            apply(effects, server: request.server)
            return
        }
        let flow = succession.current(origin.flow)
        let source = flows[flow]?.info.remote
        let tag = status.code == 100 ? nil : random.next()
        let start = outbox.arena.count
        outbox.send(flow) { out in
            ResponseBuilder.begin(
                status.code,
                reason: { $0.append(text: status.reason) },
                to: request.message,
                toTag: tag,
                source: source,
                keepAlive: keepAlive(for: flow),
                edits: &edits,
                &out
            )
            extra(&out)
            ResponseBuilder.end(&out)
        }
        if !origin.isReliable { keepForRetransmission(server: request.server, from: start) }
        apply(effects, server: request.server)
    }

    /// Turns a request down.
    func reject(_ request: Request, _ status: Status) {
        if request.message.method == .invite {
            record(
                request.message,
                .received(method: "INVITE", from: fromText(request), to: toText(request)),
                request.flow
            )
            recordVerdict(request, status.code, status.reason)
        }
        respond(request, status)
    }

    func reject(_ request: Request, _ fault: RoutingFault) { reject(request, fault.status) }

    /// Answers a request that has no transaction: malformed ones, CANCEL.
    func answerStatelessly(
        _ message: Message,
        from flow: FlowID,
        _ status: UInt16,
        reason: (inout [UInt8]) -> Void,
        extra: (inout [UInt8]) -> Void = { _ in }
    ) {
        let source = flows[flow]?.info.remote
        let tag = random.next()
        outbox.send(flow) { out in
            ResponseBuilder.begin(
                status,
                reason: reason,
                to: message,
                toTag: tag,
                source: source,
                edits: &edits,
                &out
            )
            extra(&out)
            ResponseBuilder.end(&out)
        }
    }

    func answerStatelessly(_ message: Message, from flow: FlowID, _ status: Status) {
        answerStatelessly(message, from: flow, status.code) { $0.append(text: status.reason) }
    }

    /// Host and port of this server as the peer of a flow knows it.
    func appendSentBy(for flow: FlowID, to out: inout [UInt8]) {
        if let advertised = settings.advertise {
            out.append(advertised)
        } else if let local = flows[flow]?.info.local {
            local.appendHost(to: &out)
            out.append(UInt8(ascii: ":"))
            out.append(decimal: UInt64(local.port))
        }
    }
}
