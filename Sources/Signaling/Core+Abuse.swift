import SIP

/// Limits against abuse: what one flow, account or source may ask of everybody's server.
extension Core {
    /// What was refused since the start.
    public struct Refusals: Equatable, Sendable {
        /// Requests that were too many for their flow.
        public internal(set) var flowRequests: UInt64 = 0
        /// Flows closed since they went on with it.
        public internal(set) var flows: UInt64 = 0
        /// Requests that were too many for their account.
        public internal(set) var accountRequests: UInt64 = 0
        /// Wrong passwords.
        public internal(set) var wrongPasswords: UInt64 = 0
        /// Requests that came before their account or source might try again.
        public internal(set) var delayed: UInt64 = 0
    }

    /// Whether a flow may bring one more request; else it is answered.
    func admits(_ message: Message, from flow: FlowID) -> Bool {
        guard let excess = flows.countRequest(on: flow, settings.requestsPerFlow, at: now.monotonic) else {
            return true
        }
        turnAway(message, from: flow, excess)
        return false
    }

    @inline(never)
    private func turnAway(_ message: Message, from flow: FlowID, _ excess: UInt16) {
        refusals.flowRequests &+= 1
        if message.isAnswerable {
            answerStatelessly(
                message,
                from: flow,
                503,
                reason: { $0.append(text: "Too Many Requests") },
                extra: { $0.append(text: "Retry-After: 5\r\n") }
            )
        }
        guard excess >= settings.excessPerFlow else { return }
        if excess == settings.excessPerFlow { refusals.flows &+= 1 }
        outbox.append(.close(flow, .limit))
    }

    /// Whether an account may make one more request; else it is answered.
    func admits(_ request: Request, of address: AddressOfRecord) -> Bool {
        guard flows[request.flow]?.info.isTrusted == false,
            !abuse.admits(address, settings.requestsPerAccount, at: now.monotonic)
        else { return true }
        refusals.accountRequests &+= 1
        refuse(request, Status(503, "Too Many Requests"), retryAfter: 5)
        return false
    }

    /// Whether a password may be looked at; else the request is answered.
    ///
    /// A phone that has a binding on this flow is never delayed, and what others do to its account does not delay it on a
    /// new connection from where it is.
    func maySay(_ request: Request, who address: AddressOfRecord?) -> Bool {
        guard let flow = flows[request.flow], !flow.info.isTrusted else { return true }
        let ofSource = abuse.delay(flow.info.remote, at: now.monotonic)
        let ofAccount = address.map { abuse.delay($0, at: now.monotonic) } ?? 0
        guard ofSource > 0 || ofAccount > 0 else { return true }
        if let address {
            if flow.addresses.contains(address) { return true }
            if ofSource == 0, isAtHome(address, flow.info.remote) { return true }
        }
        refusals.delayed &+= 1
        refuse(request, Status(503, "Too Many Wrong Passwords"), retryAfter: max(ofSource, ofAccount))
        return false
    }

    /// A password was wrong.
    func noteWrongPassword(_ request: Request, of address: AddressOfRecord) {
        refusals.wrongPasswords &+= 1
        guard let flow = flows[request.flow], !flow.info.isTrusted, !flow.addresses.contains(address) else { return }
        abuse.noteFailure(address, from: flow.info.remote, settings, at: now.monotonic)
    }

    /// Whether an account has a phone where a request comes from.
    private func isAtHome(_ address: AddressOfRecord, _ source: SocketAddress) -> Bool {
        location.bindings(of: address).contains { binding in
            guard let remote = binding.flow.flatMap({ flows[$0]?.info.remote }), remote.high == source.high else {
                return false
            }
            return remote.ipv4 == source.ipv4
        }
    }

    private func refuse(_ request: Request, _ status: Status, retryAfter seconds: Int64) {
        if request.message.method == .invite {
            record(
                request.message,
                .received(method: "INVITE", from: fromText(request), to: toText(request)),
                request.flow
            )
            recordVerdict(request, status.code, status.reason)
        }
        respond(request, status) { out in
            out.append(text: "Retry-After: ")
            out.append(decimal: UInt64(clamping: seconds))
            out.append(text: "\r\n")
        }
    }
}
