public import SIP

extension Phone {
    /// One whole message came down a flow.
    ///
    /// What of it is needed is read when it is needed: it comes from a server this phone chose.
    public func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now) {
        guard let line = line(of: flow) else { return }
        let message = host.parse(bytes)
        turn(now) {
            if message.isRequest {
                receive(request: message, message.outlineFault(), line)
            } else if message.fault == nil {
                heard(line)
                receive(response: message, line)
            }
        }
        host.reuse(message)
    }

    private func receive(response: Message, _ line: Int) {
        guard let branch = response.topBranch(),
            let number = response.bytes.branchNumber(branch), let sequence = try? response.cseq(),
            // A CANCEL has the branch of its INVITE (RFC 3261 section 17.1.3).
            let index = exchanges.indices.first(where: {
                exchanges[$0].branch == number && exchanges[$0].method == sequence.method
            })
        else { return }
        guard response.status >= 200 else {
            provisional(index, response)
            return
        }
        let isInvite = exchanges[index].isInvite
        if isInvite, response.status < 300 {
            // Forks may answer too, and an answer may be repeated (RFC 6026 section 7.2).
            if !exchanges[index].isAccepted {
                exchanges[index].isAccepted = true
                exchanges[index].deadline = now.monotonic + host.policy.transactionTime
            }
            return accepted(exchanges[index], response, line)
        }
        let exchange = exchanges.remove(at: index)
        if isInvite { acknowledgeRefusal(exchange, response, line) }
        if exchange.isAccepted { return }
        if response.status == 401 || response.status == 407, authenticate(exchange, response, line) { return }
        finished(exchange, response, line)
    }

    private func provisional(_ index: Int, _ response: Message) {
        guard !exchanges[index].isAccepted else { return }
        exchanges[index].isProceeding = true
        exchanges[index].signOfLifeBy = nil
        switch exchanges[index].purpose {
        case .invite(let call):
            // From now on only the caller's patience ends it (RFC 3261 section 13.3.1.1).
            exchanges[index].deadline = .distantFuture
            // Where nobody waits any more, it is to end.
            if self.call(call) == nil { sendCancel(call) } else { inviteProgressed(call, response) }
        case .offer: exchanges[index].deadline = .distantFuture
        case .register, .bye, .cancel, .acknowledgeProvisional, .request: break
        }
    }

    private func accepted(_ exchange: Exchange, _ response: Message, _ line: Int) {
        switch exchange.purpose {
        case .invite(let call): inviteAccepted(call, exchange, response, line)
        case .offer(let call): offerAccepted(call, response, line)
        case .register, .bye, .cancel, .acknowledgeProvisional, .request: break
        }
    }

    private func finished(_ exchange: Exchange, _ response: Message, _ line: Int) {
        switch exchange.purpose {
        case .register(let line): registerAnswered(line, response)
        case .invite(let call): inviteRefused(call, response.status)
        case .offer(let call): offerRefused(call, response.status)
        case .bye(let call): remove(call)
        case .cancel, .acknowledgeProvisional: break
        case .request(let id): report(.answered(id, .answered(response.status)))
        }
    }

    /// Sends a request again with credentials (RFC 3261 section 22.2): the same but for branch, CSeq and proof.
    ///
    /// - Returns: whether it was sent.
    private func authenticate(_ exchange: Exchange, _ response: Message, _ line: Int) -> Bool {
        guard exchange.attempts < 2, let challenge = takeUp(response), let flow = lines[line].flow,
            flow == exchange.flow
        else { return false }
        // Asked again, though only a stale nonce could have been wrong: it is the password.
        if exchange.attempts > 0, !challenge.isStale { return false }
        let request = Message(exchange.bytes, limits: host.policy.limits)
        guard let via = (try? request.topVia()) ?? nil, let oldBranch = via.branch, let sequence = try? request.cseq(),
            let field = request.first(.cseq)
        else { return false }
        let branch = host.random.next()
        let (cseq, overflow) = sequence.number.addingReportingOverflow(1)
        guard !overflow else { return false }
        host.edits.removeAll()
        host.edits.replace(oldBranch) {
            $0.append(text: "z9hG4bK")
            $0.append(hex: branch, digits: 16)
        }
        host.edits.replace(field.value.lowerBound..<sequence.methodRange.lowerBound) {
            $0.append(decimal: UInt64(cseq))
            $0.append(UInt8(ascii: " "))
        }
        for old in request.fields where old.name == .authorization || old.name == .proxyAuthorization {
            host.edits.remove(old.line)
        }
        var credentials: [UInt8] = []
        for index in digests.indices where digests[index].isProxy == (response.status == 407) {
            appendCredentials(
                index,
                method: request.method.name,
                uri: Array(request.bytes[request.requestURI]),
                to: &credentials
            )
        }
        host.edits.insert(at: field.line.upperBound) { $0.append(contentsOf: credentials) }
        var bytes: [UInt8] = []
        host.edits.apply(to: request, &bytes)
        advanceCSeq(exchange.purpose, to: cseq)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
        exchanges.append(
            Exchange(
                branch: branch,
                flow: flow,
                purpose: exchange.purpose,
                bytes: bytes,
                deadline: now.monotonic + host.policy.transactionTime,
                attempts: exchange.attempts + 1
            )
        )
        if case .invite(let call) = exchange.purpose { inviteSentAgain(call) }
        return true
    }

    private func advanceCSeq(_ purpose: Exchange.Purpose, to number: UInt32) {
        switch purpose {
        case .register(let line): lines[line].cseq = max(lines[line].cseq, number)
        case .invite(let handle), .offer(let handle), .bye(let handle), .acknowledgeProvisional(let handle):
            if let call = call(handle) { call.localCSeq = max(call.localCSeq, number) }
        case .cancel, .request: break
        }
    }

    /// Acknowledges a refusal: part of the transaction, so with the branch and the routes of the INVITE (RFC 3261
    /// section 17.1.1.3).
    private func acknowledgeRefusal(_ exchange: Exchange, _ response: Message, _ line: Int) {
        guard let flow = lines[line].flow, flow == exchange.flow else { return }
        let bytes = sibling(of: exchange.bytes, method: "ACK", to: response)
        host.outbox.send(flow) { $0.append(contentsOf: bytes) }
    }

    /// A request that belongs to another one: ACK to a refusal, and CANCEL (RFC 3261 sections 9.1 and 17.1.1.3).
    ///
    /// - Parameters:
    ///   - bytes: the other request.
    ///   - method: its own method.
    ///   - response: whose To it takes; nil to take the request's.
    /// - Returns: the request.
    func sibling(of bytes: [UInt8], method: StaticString, to response: Message?) -> [UInt8] {
        let request = Message(bytes, limits: host.policy.limits)
        var out: [UInt8] = []
        out.reserveCapacity(512)
        out.append(text: method)
        out.append(UInt8(ascii: " "))
        out.append(bytes, request.requestURI)
        out.append(text: " SIP/2.0\r\n")
        for field in request.fields {
            switch field.name {
            case .via, .maxForwards, .route, .from, .callID: out.append(bytes, field.line)
            case .to:
                if let response, let other = response.first(.to) {
                    out.append(response.bytes, other.line)
                } else {
                    out.append(bytes, field.line)
                }
            case .cseq:
                out.append(text: "CSeq: ")
                out.append(decimal: UInt64((try? request.cseq())?.number ?? 0))
                out.append(UInt8(ascii: " "))
                out.append(text: method)
                out.append(text: "\r\n")
            default: break
            }
        }
        out.append(body: nil)
        return out
    }

    func exchangeTimers() {
        for index in exchanges.indices {
            guard let moment = exchanges[index].signOfLifeBy, moment <= now.monotonic else { continue }
            exchanges[index].signOfLifeBy = nil
            if case .invite(let call) = exchanges[index].purpose {
                inviteByOtherLine(call, than: exchanges[index].flow)
            }
        }
        while let index = exchanges.firstIndex(where: { $0.deadline <= now.monotonic }) {
            let exchange = exchanges.remove(at: index)
            if !exchange.isAccepted { failed(exchange, .timeout) }
        }
    }

    /// What went over a flow that is gone has no answer any more, but for a call that rings: the server knows the phone by
    /// its instance, and answers down its next flow.
    func flowGone(_ flow: FlowID) {
        for index in exchanges.indices where exchanges[index].flow == flow && exchanges[index].isKeptWithoutFlow {
            exchanges[index].flow = FlowID(rawValue: 0)
            exchanges[index].deadline = min(
                exchanges[index].deadline,
                now.monotonic + host.policy.reconnectWithin
            )
        }
        while let index = exchanges.firstIndex(where: { $0.flow == flow }) {
            let exchange = exchanges.remove(at: index)
            if !exchange.isAccepted { failed(exchange, .flow(.error)) }
        }
        callsLost(flow)
    }

    /// A flow is registered: calls that were waiting for one go on over it.
    func adoptExchanges(_ flow: FlowID) {
        for index in exchanges.indices where exchanges[index].flow.rawValue == 0 {
            exchanges[index].flow = flow
            guard case .invite(let handle) = exchanges[index].purpose else { continue }
            exchanges[index].deadline = .distantFuture
            if call(handle).map({ $0.phase == .cancelling }) ?? true { sendCancel(handle) }
        }
    }

    private func failed(_ exchange: Exchange, _ failure: Failure) {
        switch exchange.purpose {
        case .register(let line):
            // Where the flow went, its line knows already.
            if failure == .timeout { loseFlow(line, .silence) }
        case .invite(let call): inviteFailed(call, failure)
        case .offer(let call): offerFailed(call, failure)
        case .bye(let call): remove(call)
        case .cancel, .acknowledgeProvisional: break
        case .request(let id): report(.answered(id, .failed(failure)))
        }
    }
}

extension Exchange {
    /// Whether it outlives its flow: an INVITE that rings.
    var isKeptWithoutFlow: Bool {
        guard case .invite = purpose else { return false }
        return isProceeding && !isAccepted
    }

    var isInvite: Bool {
        switch purpose {
        case .invite, .offer: true
        case .register, .bye, .cancel, .acknowledgeProvisional, .request: false
        }
    }

    /// The method that an answer's CSeq must name.
    var method: Method {
        switch purpose {
        case .register: .register
        case .invite, .offer: .invite
        case .bye: .bye
        // A fork that answered too late is hung up without a call to keep.
        case .cancel: bytes.first == UInt8(ascii: "B") ? .bye : .cancel
        case .acknowledgeProvisional: .prack
        case .request: bytes.first == UInt8(ascii: "M") ? .message : .options
        }
    }
}

extension [UInt8] {
    /// The number in a branch of ours.
    func branchNumber(_ range: Range<Int>) -> UInt64? {
        guard range.count == 23, isEqual(range.lowerBound..<(range.lowerBound + 7), "z9hG4bK") else { return nil }
        return hexNumber((range.lowerBound + 7)..<range.upperBound)
    }
}
