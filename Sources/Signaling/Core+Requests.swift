import SIP

/// A request on its way through the rules.
struct Request {
    let message: Message
    /// Where it came from.
    let flow: FlowID
    /// The transaction that owes it an answer.
    let server: TransactionTable.ServerID
    /// Whose request it is, once that is known.
    var identity: AddressOfRecord?
}

/// What waits for an errand to be answered.
enum Waiting {
    /// A request that needs an account.
    case account(Request)
    /// A request for somebody who has no binding: does the account exist?
    case callee(Request)
    /// A REGISTER whose bindings are being stored.
    case registration(PendingRegistration)
}

extension Core {
    func receive(request message: Message, _ fault: MessageFault?, from flow: FlowID) {
        guard message.method == .ack || admits(message, from: flow) else { return }
        if let fault {
            guard message.isAnswerable else {
                // An ACK is never answered; anything else without Via or CSeq was not written by a SIP element.
                if message.method != .ack { outbox.append(.close(flow, .garbage)) }
                return
            }
            answerStatelessly(message, from: flow, fault.status) { fault.appendReason(to: &$0) }
            return
        }
        guard let via = try? message.topVia() else { return }
        switch message.method {
        case .ack: receive(ack: message, via, from: flow)
        case .cancel: receive(cancel: message, via, from: flow)
        default:
            let key = TransactionKey(message, via, flow: flow, method: message.method, hashKey)
            if let known = transactions.server(key) {
                receiveRetransmission(of: known)
                return
            }
            let server = startServerTransaction(message, key: key, flow: flow)
            dispatch(Request(message: message, flow: flow, server: server))
        }
    }

    /// Validates and routes a request (RFC 3261 sections 16.3 to 16.5).
    ///
    /// Done again from the start when an account that was missing is there.
    func dispatch(_ request: Request) {
        let message = request.message
        if let hops = try? message.number(.maxForwards), hops == 0 { return reject(request, .tooManyHops) }
        if isLoop(message) { return reject(request, .loopDetected) }
        if isDraining, ((try? message.tag(.to)) ?? nil) == nil {
            return respond(request, .serviceUnavailable) { $0.append(text: "Retry-After: 5\r\n") }
        }
        if message.has(.proxyRequire) { return rejectExtensions(request, listedIn: .proxyRequire) }
        switch route(message, on: request.flow) {
        case .failure(let status):
            reportForeignDomain(of: request)
            reject(request, status)
        case .success(.dialog(let token, let count)): forwardInDialog(request, token, ownRoutes: count)
        case .success(.server(let domain)): serve(request, domain: domain)
        case .success(.registrar(let domain)): register(request, domain: domain)
        case .success(.user(let address, let uri)): call(request, address, uri)
        case .success(.rewritten(let bytes)):
            dispatch(Request(message: Message(bytes), flow: request.flow, server: request.server))
        }
    }

    /// Answers a request addressed to the server itself (RFC 3261 section 8.2).
    private func serve(_ request: Request, domain: ByteString) {
        if request.message.has(.require) {
            return rejectExtensions(request, listedIn: .require)
        }
        guard request.message.method == .options else {
            return respond(request, .methodNotAllowed) { $0.append(text: "Allow: REGISTER, OPTIONS\r\n") }
        }
        respond(request, .ok) { out in
            out.append(text: "Allow: REGISTER, OPTIONS\r\nAccept: */*\r\nSupported: path, outbound, gruu\r\n")
        }
    }

    /// 420, with the names of all that is asked for: this server understands no such extension on the way through.
    private func rejectExtensions(_ request: Request, listedIn name: HeaderName) {
        let message = request.message
        respond(request, .badExtension) { out in
            out.append(text: "Unsupported: ")
            var isFirst = true
            for value in message.values(name) {
                if !isFirst { out.append(text: ", ") }
                isFirst = false
                out.append(message.bytes, value)
            }
            out.append(text: "\r\n")
        }
    }

    /// An ACK: absorbed where it ends a transaction here, sent on where it acknowledges a 2xx (RFC 3261 section 17.1.1.3).
    private func receive(ack message: Message, _ via: Via, from flow: FlowID) {
        if let server = findServer(message, via, from: flow, method: .invite) {
            let effects = change(server: server) { $0.receiveACK() }
            apply(effects, server: server)
            if !effects.deliver { return }
        }
        forward(ack: message, from: flow)
    }

    /// A CANCEL (RFC 3261 section 9.2 and 16.10).
    private func receive(cancel message: Message, _ via: Via, from flow: FlowID) {
        guard let server = findServer(message, via, from: flow, method: .invite) else {
            return answerStatelessly(message, from: flow, .noSuchTransaction)
        }
        answerStatelessly(message, from: flow, .ok)
        guard let transaction = transactions[server: server] else { return }
        if let context = transaction.context {
            cancelledByCaller(context)
        } else if let request = waiting.removeValue(forKey: transaction.ticket)?.request {
            reject(request, .requestTerminated)
        }
    }

    /// The server transaction an ACK or CANCEL belongs to: of this flow, or of the one whose place it took.
    private func findServer(
        _ message: Message,
        _ via: Via,
        from flow: FlowID,
        method: Method
    ) -> TransactionTable.ServerID? {
        let key = TransactionKey(message, via, flow: flow, method: method, hashKey)
        if let server = transactions.server(key) { return server }
        guard let predecessor = flows[flow]?.predecessor, predecessor != FlowTable.Flow.vacant else { return nil }
        return transactions.server(TransactionKey(message, via, flow: predecessor, method: method, hashKey))
    }
}

extension Waiting {
    /// The request that waits for an account.
    var request: Request? {
        switch self {
        case .account(let request), .callee(let request): request
        case .registration: nil
        }
    }
}
