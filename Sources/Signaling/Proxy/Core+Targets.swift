import SIP

/// Who is called: from a URI to devices.
extension Core {
    /// Routes a request for a user of this server (RFC 3261 section 16.5).
    func call(_ request: Request, _ address: AddressOfRecord, _ uri: SIPURI) {
        guard let identity = identify(request) else { return }
        var request = request
        request.identity = identity
        if let breadth = try? request.message.number(.maxBreadth), breadth == 0 {
            return reject(request, .maxBreadthExceeded)
        }
        let bytes = request.message.bytes
        let gruu = bytes.parameter("gr", in: uri.parameters)
        let devices: [Device]
        var owner = address
        if let gruu {
            guard let (found, bindings) = instance(gruu, of: address, bytes) else { return reject(request, .notFound) }
            owner = found
            devices = self.devices(bindings)
        } else {
            devices = self.devices(location.bindings(of: address))
        }
        guard !devices.isEmpty else { return rejectUnreachable(request, owner) }
        start(
            ResponseContext(
                request: request,
                pending: devices,
                ownRoutes: ownRouteCount(request),
                breadth: breadth(request)
            )
        )
    }

    /// The bindings a GRUU stands for (RFC 5627 section 5.1): `gr=` names the instance, a bare `gr` is a temporary one.
    func instance(
        _ gruu: Parameter,
        of address: AddressOfRecord,
        _ bytes: [UInt8]
    ) -> (AddressOfRecord, [Binding])? {
        if let value = gruu.value {
            let instance = bytes.unescaped(value).lowercased
            return (address, location.bindings(of: address).filter { $0.instance?.string.lowercased == instance })
        }
        guard let serial = temporaryGRUUs.serial(address.user), let owner = location.address(ofSerial: serial) else {
            return nil
        }
        return (owner, location.bindings(of: owner).filter { $0.gruuSerial == serial })
    }

    /// The devices behind some bindings, best first; two reg-ids of an instance are two ways to one device.
    func devices(_ bindings: [Binding]) -> [Device] {
        // Most people have one phone.
        if bindings.count == 1 {
            let binding = bindings[0]
            guard let flow = binding.flow, flows.isOpen(flow), binding.expires > now.wall else { return [] }
            let way = Way(contact: binding.contact, flow: flow, path: binding.path)
            return [Device(instance: binding.instance, q: binding.q, ways: Ways(way))]
        }
        var devices: [(device: Device, refreshed: Int64)] = []
        for binding in bindings.sorted(by: { $0.refreshed > $1.refreshed }) {
            guard let flow = binding.flow, flows.isOpen(flow), binding.expires > now.wall else { continue }
            let way = Way(contact: binding.contact, flow: flow, path: binding.path)
            if let instance = binding.instance,
                let known = devices.firstIndex(where: { $0.device.instance == instance })
            {
                devices[known].device.ways.append(way)
                devices[known].device.q = max(devices[known].device.q, binding.q)
            } else {
                devices.append((Device(instance: binding.instance, q: binding.q, ways: Ways(way)), binding.refreshed))
            }
        }
        return devices.sorted { ($0.device.q, $0.refreshed) > ($1.device.q, $1.refreshed) }
            .prefix(settings.forkLimit).map(\.device)
    }

    /// Nobody is there: 404 where there is no such account, 480 where it is not registered.
    private func rejectUnreachable(_ request: Request, _ address: AddressOfRecord) {
        guard let known = authenticator.accounts[address] else { return lookUp(address, .callee(request)) }
        reject(request, known.account == nil ? .notFound : .temporarilyUnavailable)
    }

    private func ownRouteCount(_ request: Request) -> Int {
        guard request.message.has(.route) else { return 0 }
        var count = 0
        for _ in request.message.values(.route) { count += 1 }
        // Without a token all Route values name this server, or the request would not be here.
        return count
    }

    func breadth(_ request: Request) -> UInt32 {
        ((try? request.message.number(.maxBreadth)) ?? nil) ?? settings.maxBreadth
    }

    /// Sends a request of a dialog down the flow its token names.
    func forwardInDialog(_ request: Request, _ token: FlowToken, ownRoutes count: Int) {
        var request = request
        if settings.challengesEveryRequest {
            guard let identity = identify(request) else { return }
            request.identity = identity
        }
        guard let flow = otherEnd(of: token, from: request.flow) else {
            return reject(request, Status(403, "Not a Party of This Dialog"))
        }
        var way = Way(contact: nil, flow: flow)
        if let resolved = resolveGRUU(request.message, on: request.flow, towards: flow) { way = resolved }
        guard flows.isOpen(way.flow) else { return reject(request, .flowFailed) }
        if request.message.method != .invite {
            record(
                request.message,
                .inDialog(method: request.message.excerpt(request.message.methodRange)),
                request.flow
            )
        }
        start(
            ResponseContext(
                request: request,
                pending: [Device(instance: nil, q: 1000, ways: Ways(way))],
                ownRoutes: count,
                breadth: breadth(request)
            )
        )
    }

    /// The flow at the other end of a dialog, as seen from the flow a request came on.
    private func otherEnd(of token: FlowToken, from flow: FlowID) -> FlowID? {
        let caller = succession.current(token.caller)
        let callee = succession.current(token.callee)
        if flow == token.caller || flow == caller { return callee }
        if flow == token.callee || flow == callee { return caller }
        // Another connection of the same user: the flow vouches for the address-of-record, not for the socket.
        guard let addresses = flows[flow]?.addresses, !addresses.isEmpty else { return nil }
        if let others = flows[caller]?.addresses, others.contains(where: addresses.contains) { return callee }
        if let others = flows[callee]?.addresses, others.contains(where: addresses.contains) { return caller }
        return nil
    }

    /// A GRUU in the Request-URI becomes the contact behind it (RFC 5627 section 6.1), on the dialog's flow where it can.
    private func resolveGRUU(_ message: Message, on flow: FlowID, towards target: FlowID) -> Way? {
        let bytes = message.bytes
        guard let uri = try? message.target(), let user = uri.user,
            let gruu = bytes.parameter("gr", in: uri.parameters),
            let domain = servedDomain(bytes, uri, on: flow),
            let (_, bindings) = instance(gruu, of: AddressOfRecord(bytes, user: user, domain: domain), bytes)
        else { return nil }
        let devices = devices(bindings)
        for device in devices {
            for way in device.ways where way.flow == target { return way }
        }
        return devices.first?.ways.first
    }

    /// Sends an ACK for a 2xx on: it has no transaction (RFC 3261 section 16.11).
    func forward(ack message: Message, from flow: FlowID) {
        guard case .success(let route) = route(message, on: flow) else { return }
        var way: Way?
        var count = 0
        switch route {
        case .dialog(let token, let own):
            count = own
            way = otherEnd(of: token, from: flow).map { Way(contact: nil, flow: $0) }
            if let target = way?.flow, let resolved = resolveGRUU(message, on: flow, towards: target) { way = resolved }
        case .user(let address, let uri):
            // Without a Route only a GRUU says which device it is for.
            if flows[flow]?.addresses.isEmpty == false, let gruu = message.bytes.parameter("gr", in: uri.parameters),
                let (_, bindings) = instance(gruu, of: address, message.bytes)
            {
                way = devices(bindings).first?.ways.first
            }
        case .rewritten(let bytes):
            return forward(ack: Message(bytes), from: flow)
        case .server, .registrar: break
        }
        guard let way, flows.isOpen(way.flow), (try? message.number(.maxForwards)) != 0 else { return }
        edits.removeAll()
        let hash = loopHash(message) ^ random.next()
        editHop(message, from: flow, way, ownRoutes: count) { [epoch] out in
            BranchText.append(.none, loopHash: hash, epoch: epoch, to: &out)
        }
        outbox.send(way.flow) { edits.apply(to: message, &$0) }
    }
}
