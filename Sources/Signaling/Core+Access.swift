public import SIP

/// Who may do what.
extension Core {
    /// Challenges a request: 401 by the registrar, 407 by the proxy (RFC 3261 section 22).
    func challenge(_ request: Request, realm: ByteString, account: AddressOfRecord?, isStale: Bool) {
        let isRegister = request.message.method == .register
        let algorithms = authenticator.algorithms(for: account, request.message)
        scratch.removeAll(keepingCapacity: true)
        authenticator.appendNonce(now: now, random: random.next(), to: &scratch)
        respond(request, isRegister ? .unauthorized : .proxyAuthenticationRequired) { out in
            Challenge.append(
                isRegister ? .wwwAuthenticate : .proxyAuthenticate,
                realm: realm,
                nonce: scratch,
                algorithms: algorithms,
                isStale: isStale,
                &out
            )
        }
    }

    /// Sends for an account and lets the request wait for it.
    func lookUp(_ address: AddressOfRecord, _ reason: Waiting) {
        guard let request = reason.request else { return }
        guard waiting.count < settings.maxWaiting else {
            return respond(request, .serviceUnavailable) { $0.append(text: "Retry-After: 5\r\n") }
        }
        let ticket = takeTicket()
        waiting[ticket] = reason
        transactions.update(server: request.server) { $0.ticket = ticket }
        errands.append(.lookUp(ticket: ticket, address: address))
    }

    func takeTicket() -> UInt64 {
        defer { nextTicket += 1 }
        return nextTicket
    }

    /// The answer to a `lookUp`.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of the errand.
    ///   - address: the account that was looked up.
    ///   - account: nil where there is none.
    ///   - now: the time.
    public func account(_ ticket: UInt64, _ address: AddressOfRecord, _ account: Account?, now: Now) {
        self.now = now
        authenticator.accounts.remember(address, account)
        switch waiting.removeValue(forKey: ticket) {
        case .account(let request):
            transactions.update(server: request.server) { $0.ticket = 0 }
            dispatch(request)
        case .callee(let request):
            transactions.update(server: request.server) { $0.ticket = 0 }
            reject(request, account == nil ? .notFound : .temporarilyUnavailable)
        case .registration, nil: break
        }
    }

    /// A `lookUp` could not be answered: the store is out of reach.
    public func accountFailed(_ ticket: UInt64, now: Now) {
        self.now = now
        guard let request = waiting.removeValue(forKey: ticket)?.request else { return }
        respond(request, .serviceUnavailable) { $0.append(text: "Retry-After: 5\r\n") }
    }

    /// Accounts were changed from outside: forget what is remembered of them.
    ///
    /// - Parameters:
    ///   - exceptions: accounts with a list of digest algorithms of their own.
    ///   - now: the time.
    public func accountsChanged(_ exceptions: [AddressOfRecord: [DigestAlgorithm]], now: Now) {
        self.now = now
        authenticator.accounts.removeAll()
        authenticator.exceptions = exceptions
    }

    /// Finds out whose request this is, or answers it.
    ///
    /// A registered flow vouches for the addresses-of-record that registered over it; anybody else is challenged. From must
    /// belong to whoever it is.
    ///
    /// - Returns: the identity; nil where the request was answered or waits.
    func identify(_ request: Request) -> AddressOfRecord? {
        let message = request.message
        guard let uri = try? message.fromURI() else {
            reject(request, Status(403, "From Is Not a SIP URI"))
            return nil
        }
        let domain = servedDomain(message.bytes, uri, on: request.flow)
        if !settings.challengesEveryRequest, let addresses = flows[request.flow]?.addresses, !addresses.isEmpty {
            if let domain, let user = uri.user,
                let own = addresses.first(where: { $0.matches(message.bytes, user: user, domain: domain) })
            {
                return admits(request, of: own) ? own : nil
            }
            reject(request, Status(403, "From Does Not Belong to This Account"))
            return nil
        }
        let claimed = uri.user.flatMap { user in
            domain.map { AddressOfRecord(message.bytes, user: user, domain: $0) }
        }
        guard let realm = domain ?? settings.domains.first else {
            reject(request, .forbidden)
            return nil
        }
        if message.has(.proxyAuthorization), !maySay(request, who: claimed) { return nil }
        switch authenticator.check(message, .proxyAuthorization, realm: realm, now: now) {
        case .identity(let address):
            outbox.append(.keepAlive(request.flow, settings.idleLimit))
            guard address == claimed else {
                reject(request, Status(403, "From Does Not Belong to This Account"))
                return nil
            }
            return admits(request, of: address) ? address : nil
        case .wrong(let account):
            noteWrongPassword(request, of: account)
            challenge(request, realm: realm, account: claimed, isStale: false)
        case .challenge(let isStale): challenge(request, realm: realm, account: claimed, isStale: isStale)
        case .unknownAccount(let address): lookUp(address, .account(request))
        case .malformed: reject(request, Status(400, "Malformed Proxy-Authorization"))
        }
        return nil
    }
}
