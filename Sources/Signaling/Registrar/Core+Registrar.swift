public import SIP

/// A REGISTER that was accepted in memory, and whose 200 waits for the store.
struct PendingRegistration {
    let request: Request
    let address: AddressOfRecord
    /// What was there before, to go back to where nothing could be stored.
    let before: [Binding]
    let after: [Binding]
    let usesOutbound: Bool
    let supportsGRUU: Bool
}

/// The registrar (RFC 3261 section 10.3, RFC 3327, RFC 3608, RFC 5626 section 6, RFC 5627 section 5).
extension Core {
    func register(_ request: Request, domain: ByteString) {
        let message = request.message
        if message.has(.require),
            let value = message.values(.require).first(where: { !isRegistrarExtension(message, $0) })
        {
            return respond(request, .badExtension) { out in
                out.append(text: "Unsupported: ")
                out.append(message.bytes, value)
                out.append(text: "\r\n")
            }
        }
        guard let uri = try? message.toURI(), let user = uri.user
        else { return respond(request, Status(404, "No Address-of-Record")) }
        guard let toDomain = servedDomain(message.bytes, uri, on: request.flow) else {
            reportForeignDomain(uri, of: request)
            return respond(request, Status(404, "Address-of-Record Not in a Domain Served Here"))
        }
        let address = AddressOfRecord(message.bytes, user: user, domain: toDomain)
        if message.has(.authorization), !maySay(request, who: address) { return }
        switch authenticator.check(message, .authorization, realm: toDomain, now: now) {
        case .identity(let identity):
            guard identity == address else {
                return respond(request, Status(403, "Address-of-Record Belongs to Another Account"))
            }
            if admits(request, of: identity) { update(request, identity) }
        case .wrong(let account):
            noteWrongPassword(request, of: account)
            challenge(request, realm: toDomain, account: address, isStale: false)
        case .challenge(let isStale): challenge(request, realm: toDomain, account: address, isStale: isStale)
        case .unknownAccount(let account): lookUp(account, .account(request))
        case .malformed: respond(request, Status(400, "Malformed Authorization"))
        }
    }

    private func isRegistrarExtension(_ message: Message, _ value: Range<Int>) -> Bool {
        for known: StaticString in ["path", "outbound", "gruu"]
        where message.bytes.isEqualIgnoringCase(value, known) { return true }
        return false
    }

    /// Works out the new bindings, all or nothing, and has them stored.
    private func update(_ request: Request, _ address: AddressOfRecord) {
        var before = location.bindings(of: address)
        // Nearly always all of them, and then the array is not made anew.
        if before.indices.contains(where: { before[$0].expires <= now.wall && before[$0].flow == nil }) {
            before.removeAll { $0.expires <= now.wall && $0.flow == nil }
        }
        var plan = RegistrationPlan(
            bindings: before,
            settings: settings,
            now: now,
            flow: request.flow,
            jitter: random.fraction(),
            newSerial: random.next() | 1
        )
        do {
            try plan.apply(request.message)
        } catch {
            return refuse(request, address, error)
        }
        let after = plan.bindings
        guard plan.hasChanges else {
            if request.message.has(.authorization) { flows[request.flow].map { admit($0.id, plan) } }
            return accept(
                PendingRegistration(
                    request: request,
                    address: address,
                    before: before,
                    after: after,
                    usesOutbound: plan.usesOutbound,
                    supportsGRUU: plan.supportsGRUU
                )
            )
        }
        install(after, over: before, of: address, on: request.flow, plan)
        let pending = PendingRegistration(
            request: request,
            address: address,
            before: before,
            after: after,
            usesOutbound: plan.usesOutbound,
            supportsGRUU: plan.supportsGRUU
        )
        guard plan.needsWrite else { return accept(pending) }
        guard waiting.count < settings.maxWaiting else {
            return persistFailed(pending)
        }
        let ticket = takeTicket()
        waiting[ticket] = .registration(pending)
        errands.append(
            .persist(ticket: ticket, key: address.text, value: after.isEmpty ? nil : BindingCodec.encode(after))
        )
    }

    /// The answer to `persist`: it is on disk.
    public func persisted(_ ticket: UInt64, now: Now) {
        self.now = now
        guard case .registration(let pending) = waiting.removeValue(forKey: ticket) else { return }
        accept(pending)
    }

    /// The answer to `persist`: it could not be stored, so it is not acknowledged.
    public func persistFailed(_ ticket: UInt64, now: Now) {
        self.now = now
        guard case .registration(let pending) = waiting.removeValue(forKey: ticket) else { return }
        persistFailed(pending)
    }

    private func persistFailed(_ pending: PendingRegistration) {
        // Where a later REGISTER has changed it again, that one's answer decides.
        if location.bindings(of: pending.address) == pending.after {
            install(pending.before, over: pending.after, of: pending.address, on: pending.request.flow, nil)
        }
        respond(pending.request, .serviceUnavailable) { $0.append(text: "Retry-After: 10\r\n") }
    }

    /// Restores a stored binding at the start: parked, since its flow ended with the last process.
    ///
    /// - Parameters:
    ///   - key: the address-of-record.
    ///   - value: as `persist` gave it.
    ///   - now: the time.
    /// - Returns: false where the bytes are not of a form this build knows.
    public func restore(_ key: ByteString, _ value: [UInt8], now: Now) -> Bool {
        self.now = now
        guard let address = AddressOfRecord(key), let stored = BindingCodec.decode(value) else { return false }
        let parked = stored.filter { $0.isWakeable && $0.expires > now.wall }
        guard !parked.isEmpty else { return true }
        location.set(parked, of: address)
        schedule(address, parked)
        return true
    }

    private func refuse(_ request: Request, _ address: AddressOfRecord, _ fault: RegistrationFault) {
        log(.rejected, address, nil, reason: fault.status.reason)
        respond(request, fault.status) { out in
            switch fault {
            case .tooBrief(let least):
                out.append(text: "Min-Expires: ")
                out.append(decimal: UInt64(clamping: least.seconds))
                out.append(text: "\r\n")
            case .firstHopLacksOutbound, .malformed, .outOfOrder, .tooLong, .tooManyContacts: break
            }
        }
    }

    /// Puts new bindings in force: flows change hands, and what waited for the device goes down its new flow.
    private func install(
        _ after: [Binding],
        over before: [Binding],
        of address: AddressOfRecord,
        on flow: FlowID,
        _ plan: RegistrationPlan?
    ) {
        location.set(after, of: address)
        schedule(address, after)
        for old in before.indices {
            guard let oldFlow = before[old].flow, !after.indices.contains(where: { after[$0].flow == oldFlow }) else {
                continue
            }
            release(oldFlow, from: address)
        }
        for place in after.indices where after[place].flow == flow {
            if flows[flow]?.addresses.contains(address) == false { flows.update(flow) { $0.addresses.append(address) } }
            let tag = FlowTag(addressOfRecord: address.text, instance: after[place].instance, regID: after[place].regID)
            outbox.append(.tag(flow, tag))
        }
        if let plan {
            admit(flow, plan)
            for old in before.indices where !after.indices.contains(where: { after[$0].isSameWay(as: before[old]) }) {
                log(.unregistered, address, before[old])
            }
            for place in after.indices where after[place].flow == flow {
                guard let old = before.indices.first(where: { before[$0].isSameWay(as: after[place]) }) else {
                    log(.registered, address, after[place])
                    continue
                }
                guard before[old].cseq != after[place].cseq || before[old] != after[place] else { continue }
                log(before[old].flow == flow ? .refreshed : .replaced, address, after[place])
            }
        }
    }

    /// A device is on a new flow: the old one has nothing left to do.
    func takeOver(_ binding: Binding, of address: AddressOfRecord, from before: [Binding]) {
        guard let instance = binding.instance, let flow = binding.flow else { return }
        // The new flow may have closed while its binding was being stored. The old one has no binding any more either: it is
        // closed, so that the phone knows, unless it may still be answering something.
        let isOpen = flows.isOpen(flow)
        if isOpen {
            let gone = succession.arrive(
                flow,
                of: FlowSuccession.Way(address: address, instance: instance.string, regID: binding.regID)
            )
            if let gone { flows.update(flow) { $0.predecessor = gone } }
        }
        for old in before.indices where before[old].isSameWay(as: binding) {
            guard let oldFlow = before[old].flow, oldFlow != flow else { continue }
            let waiting = flows[oldFlow].map { transactions.clients(waitingOn: $0) } ?? []
            if !isOpen, !waiting.isEmpty { continue }
            succession.succeed(oldFlow, by: flow)
            if isOpen {
                flows.update(flow) { $0.predecessor = oldFlow }
                for client in waiting { moveToNewFlow(client, flow) }
            }
            if flows[oldFlow]?.addresses.isEmpty ?? false { outbox.append(.close(oldFlow, .replaced)) }
        }
    }

    /// Tells the carrier how long the flow may be silent (RFC 5626 section 4.4.1, RFC 6223).
    private func admit(_ flow: FlowID, _ plan: RegistrationPlan) {
        guard let known = flows[flow] else { return }
        guard !known.addresses.isEmpty else {
            outbox.append(.keepAlive(flow, settings.idleLimit))
            return
        }
        let hasTimer = (plan.usesOutbound || plan.asksForKeepAlive) && settings.flowTimer > .zero
        if hasTimer { flows.update(flow) { $0.hasFlowTimer = true } }
        let isTimed = flows[flow]?.hasFlowTimer ?? false
        outbox.append(
            .keepAlive(
                flow,
                isTimed
                    ? Interval(milliseconds: settings.flowTimer.milliseconds + settings.flowGrace.milliseconds) : nil
            )
        )
    }

    /// An address-of-record has no binding over a flow any more.
    private func release(_ flow: FlowID, from address: AddressOfRecord) {
        guard flows.isOpen(flow) else { return }
        flows.update(flow) { $0.addresses.remove(address) }
        if flows[flow]?.addresses.isEmpty ?? false { outbox.append(.keepAlive(flow, settings.idleLimit)) }
    }

    /// Has an address-of-record looked at when its first binding expires.
    func schedule(_ address: AddressOfRecord, _ bindings: [Binding]) {
        guard let earliest = bindings.indices.lazy.map({ bindings[$0].expires }).min() else { return }
        let second = earliest / 1000 + 1
        if let earlier = location.scheduled(address), earlier <= second { return }
        if expiry.isEmpty { armExpiry() }
        location.schedule(address, second: expiry.schedule(address, second: second))
    }

    /// One timer a second while there is anything that can expire.
    private func armExpiry() {
        let untilNextSecond = 1000 - (now.wall % 1000 + 1000) % 1000
        _ = timers.arm(
            at: now.monotonic + .milliseconds(untilNextSecond),
            CoreTimer(kind: .expiry, id: 0)
        )
    }

    func expireBindings() {
        for (second, addresses) in expiry.due(through: now.wall / 1000) {
            for address in addresses where location.scheduled(address) == second {
                location.schedule(address, second: nil)
                expire(address)
            }
        }
        if !expiry.isEmpty { armExpiry() }
    }

    private func expire(_ address: AddressOfRecord) {
        let before = location.bindings(of: address)
        let after = before.filter { $0.expires > now.wall }
        if after.count < before.count {
            location.set(after, of: address)
            for old in before where old.expires <= now.wall {
                log(.expired, address, old)
                if let flow = old.flow, !after.contains(where: { $0.flow == flow }) { release(flow, from: address) }
            }
            persist(after, of: address)
        }
        schedule(address, after)
    }

    /// Stores bindings that nobody waits for.
    private func persist(_ bindings: [Binding], of address: AddressOfRecord) {
        errands.append(
            .persist(
                ticket: takeTicket(),
                key: address.text,
                value: bindings.isEmpty ? nil : BindingCodec.encode(bindings)
            )
        )
    }

    /// A flow closed: its bindings end, or are parked where the phone can be woken.
    func endBindings(of flow: FlowTable.Flow) {
        for address in flow.addresses {
            let before = location.bindings(of: address)
            var after: [Binding] = []
            for binding in before {
                guard binding.flow == flow.id else {
                    after.append(binding)
                    continue
                }
                if let instance = binding.instance {
                    let way = FlowSuccession.Way(address: address, instance: instance.string, regID: binding.regID)
                    succession.retire(flow.id, of: way)
                }
                let isParked = binding.isWakeable && binding.expires > now.wall
                log(isParked ? .parked : .ended, address, binding)
                guard isParked else { continue }
                var parked = binding
                parked.flow = nil
                after.append(parked)
            }
            location.set(after, of: address)
        }
    }

    private func log(
        _ kind: RegistrationChange.Kind,
        _ address: AddressOfRecord,
        _ binding: Binding?,
        reason: StaticString? = nil
    ) {
        let left = binding.map { max(0, ($0.expires - now.wall + 999) / 1000) } ?? 0
        errands.append(
            .registration(
                RegistrationChange(
                    kind: kind,
                    address: address,
                    contact: binding?.contact ?? Excerpt(),
                    instance: binding?.instance,
                    flow: binding?.flow,
                    expires: kind == .registered || kind == .refreshed || kind == .replaced || kind == .parked
                        ? left : 0,
                    reason: reason
                )
            )
        )
    }
}
