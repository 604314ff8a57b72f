import SIP

/// Where a request is to go, before anybody asked whether it may.
enum Route {
    /// Within a dialog, or down a flow: the token of a Route that this server made, and how many Route values are ours.
    case dialog(FlowToken, ownRoutes: Int)
    /// To the server itself.
    case server(domain: ByteString)
    /// A REGISTER for a domain served here.
    case registrar(domain: ByteString)
    /// To a user of a domain served here, with the URI that was called.
    case user(AddressOfRecord, SIPURI)
    /// A strict router's request, put right (RFC 3261 section 16.4): to be read again.
    case rewritten([UInt8])
}

extension Core {
    /// Route preprocessing and determination of the target (RFC 3261 sections 16.4 and 16.5).
    func route(_ message: Message, on flow: FlowID) -> Result<Route, RoutingFault> {
        let bytes = message.bytes
        let uri: SIPURI
        do {
            uri = try message.target()
        } catch {
            return .failure(RoutingFault(error == .otherScheme ? .unsupportedScheme : .badRequest))
        }
        if uri.isSecure { return .failure(RoutingFault(.unsupportedScheme)) }
        if let user = uri.user, tokens.read(bytes, user) != nil {
            if let rewritten = undoStrictRouting(message) { return .success(.rewritten(rewritten)) }
            return .failure(RoutingFault(.flowFailed))
        }
        switch ownRoutes(message, on: flow) {
        case .foreign: return .failure(RoutingFault(Status(403, "Next Hop Not Served Here")))
        case .unknownToken: return .failure(RoutingFault(.flowFailed))
        case .token(let token, let count): return .success(.dialog(token, ownRoutes: count))
        case .none: break
        }
        guard let domain = servedDomain(bytes, uri, on: flow) else {
            return .failure(RoutingFault(Status(403, "Domain Not Served Here")))
        }
        if message.method == .register { return .success(.registrar(domain: domain)) }
        guard let user = uri.user else { return .success(.server(domain: domain)) }
        return .success(.user(AddressOfRecord(bytes, user: user, domain: domain), uri))
    }

    /// What the topmost Route values say, up to the first that is not ours.
    enum OwnRoutes {
        /// No token: there were none, or only ones that name this server.
        case none
        /// A token, and how many values are ours.
        case token(FlowToken, count: Int)
        /// A user that is no token of this life of the node.
        case unknownToken
        /// A Route leads elsewhere.
        case foreign
    }

    func ownRoutes(_ message: Message, on flow: FlowID) -> OwnRoutes {
        guard message.has(.route) else { return .none }
        let bytes = message.bytes
        var token: FlowToken?
        var count = 0
        for value in message.values(.route) {
            guard let address = try? NameAddress(bytes, value, of: .route), let uri = try? SIPURI(bytes, address.uri)
            else { return .foreign }
            // A token speaks for itself: the other side of a dialog may know this server by another address.
            if let read = uri.user.flatMap({ tokens.read(bytes, $0) }) {
                token = token ?? read
            } else if !isSelf(bytes, uri, on: flow) {
                // Behind a token, what follows is for the next hop to see.
                if let token { return .token(token, count: count) }
                return .foreign
            } else if uri.user != nil {
                return .unknownToken
            }
            count += 1
        }
        if let token { return .token(token, count: count) }
        return .none
    }

    /// Whether a URI names this server: what it advertises, a domain it serves, or the address the peer connected to.
    func isSelf(_ bytes: [UInt8], _ uri: SIPURI, on flow: FlowID) -> Bool {
        servedDomain(bytes, uri, on: flow) != nil
    }

    /// The domain a URI's host stands for; the server's own addresses stand for the first domain.
    func servedDomain(_ bytes: [UInt8], _ uri: SIPURI, on flow: FlowID) -> ByteString? {
        for domain in settings.domains where bytes.isEqualIgnoringCase(uri.host, to: domain.bytes, domain.range) {
            return domain
        }
        guard let first = settings.domains.first, let local = flows[flow]?.info.local else { return nil }
        if let advertised = settings.advertise {
            let end = advertised.bytes.hostEndOfAuthority
            if bytes.isEqualIgnoringCase(uri.host, to: advertised.bytes, 0..<end) { return first }
        }
        let port = uri.port ?? 5060
        if SocketAddress(host: bytes, uri.host, port: port)
            == SocketAddress(high: local.high, low: local.low, port: port)
        {
            return first
        }
        return nil
    }

    /// Gives a request back its Request-URI from the last Route, where a strict router put our own there.
    private func undoStrictRouting(_ message: Message) -> [UInt8]? {
        guard let field = message.last(.route) else { return nil }
        var last: Range<Int>?
        for value in message.values(.route) { last = value }
        guard let last, let address = try? NameAddress(message.bytes, last, of: .route) else { return nil }
        edits.removeAll()
        edits.replace(message.requestURI) { $0.append(message.bytes, address.uri) }
        let own = message.requestURI
        // Our own URI is the topmost Route again, so that its token counts.
        edits.insert(at: message.headerStart) { out in
            out.append(text: "Route: <")
            out.append(message.bytes, own)
            out.append(text: ">\r\n")
        }
        if last.lowerBound == field.value.lowerBound {
            edits.remove(field.line)
        } else {
            let comma = message.bytes[..<last.lowerBound].lastIndex(of: UInt8(ascii: ",")) ?? last.lowerBound
            edits.remove(comma..<last.upperBound)
        }
        var out: [UInt8] = []
        edits.apply(to: message, &out)
        return out
    }

    /// Whether this request has been here with the same target before (RFC 3261 section 16.3 step 4, RFC 5393).
    func isLoop(_ message: Message) -> Bool {
        if message.hasOneVia { return false }
        var hash: UInt64?
        var isTop = true
        for value in message.values(.via) {
            defer { isTop = false }
            guard !isTop, let via = try? Via(message.bytes, value), let branch = via.branch,
                let own = BranchText.read(message.bytes, branch, epoch: epoch)
            else { continue }
            let current = hash ?? loopHash(message)
            hash = current
            if own.loopHash == current { return true }
        }
        return false
    }

    /// A hash over all that decides where a request goes (RFC 5393 section 4.2.1).
    func loopHash(_ message: Message) -> UInt64 {
        var hash = KeyedHash(hashKey)
        let bytes = message.bytes
        hash.combine(bytes, message.requestURI)
        hash.combine(bytes, message.first(.callID)?.value ?? 0..<0)
        hash.combine(bytes, message.first(.cseq)?.value ?? 0..<0)
        hash.combine(bytes, message.first(.from)?.value ?? 0..<0)
        hash.combine(bytes, message.first(.to)?.value ?? 0..<0)
        for field in message.fields where field.name == .route || field.name == .proxyRequire {
            hash.combine(bytes, field.value)
        }
        return hash.finish().low
    }
}

/// Why a request can't be routed: the status that answers it.
struct RoutingFault: Error {
    let status: Status
    init(_ status: Status) { self.status = status }
}

extension [UInt8] {
    /// Where the host ends in `host` or `host:port`.
    var hostEndOfAuthority: Int {
        let start = first == UInt8(ascii: "[") ? (firstIndex(of: UInt8(ascii: "]")) ?? 0) : 0
        return self[start...].firstIndex(of: UInt8(ascii: ":")) ?? count
    }
}

/// The branch parameter of this server's Via: which client transaction it is, and the loop hash.
enum BranchText {
    /// Appends `z9hG4bK` and 22 bytes as text.
    static func append(_ id: TransactionTable.ClientID, loopHash: UInt64, epoch: UInt64, to out: inout [UInt8]) {
        var raw = InlineArray<22, UInt8>(repeating: 0)
        for index in 0..<8 {
            let shift = UInt64(56 - index * 8)
            raw[index] = UInt8(truncatingIfNeeded: id.rawValue >> shift)
            raw[index + 14] = UInt8(truncatingIfNeeded: loopHash >> shift)
        }
        for index in 0..<6 { raw[index + 8] = UInt8(truncatingIfNeeded: epoch >> UInt64(40 - index * 8)) }
        out.append(text: "z9hG4bK")
        Base64URL.encode(raw.span, &out)
    }

    /// Reads a branch; nil where it is not one of this life of the node.
    static func read(
        _ bytes: [UInt8],
        _ range: Range<Int>,
        epoch: UInt64
    ) -> (id: TransactionTable.ClientID, loopHash: UInt64)? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 37, Base64URL.decode(bytes, (range.lowerBound + 7)..<range.upperBound, &raw) == 22 else {
            return nil
        }
        guard raw.bigEndian(8..<14) == epoch else { return nil }
        return (TransactionTable.ClientID(rawValue: raw.bigEndian(0..<8)), raw.bigEndian(14..<22))
    }
}
