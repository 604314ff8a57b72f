import SIP

/// The request as it leaves: a short list of edits on the bytes that came (RFC 3261 section 16.6).
extension Core {
    /// Writes the edits every forwarded request needs: Via, Max-Forwards, Route, Request-URI.
    ///
    /// - Parameters:
    ///   - message: the request.
    ///   - source: where it came from.
    ///   - way: where it goes.
    ///   - ownRoutes: how many Route values are this server's.
    ///   - branch: appends the branch of the new Via.
    ///   - extra: appends further header fields.
    func editHop(
        _ message: Message,
        from source: FlowID,
        _ way: Way,
        ownRoutes: Int,
        branch: (inout [UInt8]) -> Void,
        extra: (inout [UInt8]) -> Void = { _ in }
    ) {
        if let contact = way.contact {
            edits.replace(message.requestURI) { $0.append(contact) }
        }
        let hops = (try? message.number(.maxForwards)) ?? nil
        // All that is new stands together, which is one edit.
        edits.insert(at: message.headerStart) { out in
            out.append(text: "Via: SIP/2.0/")
            out.append(text: flows[way.flow]?.info.transport.viaName ?? "TCP")
            out.append(0x20)
            appendSentBy(for: way.flow, to: &out)
            out.append(text: ";branch=")
            branch(&out)
            out.append(text: "\r\n")
            if hops == nil { out.append(text: "Max-Forwards: 70\r\n") }
            if !way.path.isEmpty {
                out.append(text: "Route: ")
                out.append(way.path)
                out.append(text: "\r\n")
            }
            extra(&out)
        }
        if let via = try? message.topVia(), let remote = flows[source]?.info.remote {
            edits.markReceived(via, from: remote, keepAlive: keepAlive(for: source), in: message)
        }
        if let hops, let field = message.first(.maxForwards) {
            edits.replace(field.value) { $0.append(decimal: UInt64(hops > 0 ? hops - 1 : 0)) }
        }
        removeRoutes(ownRoutes, of: message)
    }

    /// Seconds to answer an offer of keep-alives with (RFC 6223): only a flow that was given a timer is held to it.
    func keepAlive(for flow: FlowID) -> UInt64? {
        guard settings.flowTimer > .zero, flows[flow]?.hasFlowTimer == true else { return nil }
        return UInt64(clamping: settings.flowTimer.seconds)
    }

    /// Removes the first `count` Route values.
    private func removeRoutes(_ count: Int, of message: Message) {
        guard count > 0 else { return }
        var left = count
        for field in message.fields where field.name == .route && left > 0 {
            var at = field.value.lowerBound
            var isWhole = false
            while left > 0, !isWhole {
                let end = message.bytes.listValueEnd(at..<field.value.upperBound)
                left -= 1
                isWhole = end >= field.value.upperBound
                at = isWhole ? end : end + 1
            }
            edits.remove(isWhole ? field.line : field.value.lowerBound..<at)
        }
    }

    /// Writes all edits of a branch.
    func edit(_ context: ResponseContext, _ client: TransactionTable.ClientID, _ way: Way, breadth: UInt32) {
        let request = context.request
        let message = request.message
        edits.removeAll()
        let hash = loopHash(message)
        let givenBreadth = message.first(.maxBreadth)
        editHop(
            message,
            from: request.flow,
            way,
            ownRoutes: context.ownRoutes,
            branch: { [epoch] out in BranchText.append(client, loopHash: hash, epoch: epoch, to: &out) },
            extra: { out in
                if formsDialog(message) { recordRoute(request.flow, way.flow, &out) }
                appendIdentity(request, &out)
                guard givenBreadth == nil else { return }
                out.append(text: "Max-Breadth: ")
                out.append(decimal: UInt64(breadth))
                out.append(text: "\r\n")
            }
        )
        if let givenBreadth { edits.replace(givenBreadth.value) { $0.append(decimal: UInt64(breadth)) } }
        removeForgedIdentity(message)
    }

    /// Whether a dialog may come of this request, whose later requests must come this way again.
    private func formsDialog(_ message: Message) -> Bool {
        switch message.method {
        case .invite, .subscribe, .refer, .notify, .update:
            return (try? message.tag(.to)) == nil
        case .other: return (try? message.tag(.to)) == nil
        case .ack, .bye, .cancel, .register, .options, .message, .info, .prack, .publish: return false
        }
    }

    /// Adds Record-Route with the token of both flows; two of them where the two sides know this server by different
    /// addresses (RFC 5658).
    private func recordRoute(_ caller: FlowID, _ callee: FlowID, _ out: inout [UInt8]) {
        appendRecordRoute(caller, callee, seenFrom: callee, to: &out)
        guard settings.advertise == nil, let near = flows[caller]?.info, let far = flows[callee]?.info,
            near.local != far.local || near.transport != far.transport
        else { return }
        appendRecordRoute(caller, callee, seenFrom: caller, to: &out)
    }

    private func appendRecordRoute(
        _ caller: FlowID,
        _ callee: FlowID,
        seenFrom flow: FlowID,
        to out: inout [UInt8]
    ) {
        out.append(text: "Record-Route: <sip:")
        tokens.append(FlowToken(caller: caller, callee: callee), to: &out)
        out.append(UInt8(ascii: "@"))
        appendSentBy(for: flow, to: &out)
        appendTransport(for: flow, to: &out)
        out.append(text: ";lr>\r\n")
    }

    /// Asserts who the caller is (RFC 3325 section 5).
    private func appendIdentity(_ request: Request, _ out: inout [UInt8]) {
        guard let identity = request.identity, !request.message.asksForIdentityPrivacy else { return }
        out.append(text: "P-Asserted-Identity: <")
        identity.appendURI(to: &out)
        out.append(text: ">\r\n")
    }

    /// Takes away what only this server may say (RFC 3325 section 6), and the credentials that were meant for it (RFC 3261
    /// section 22.3).
    private func removeForgedIdentity(_ message: Message) {
        for field in message.fields {
            switch field.name {
            case .pAssertedIdentity, .pPreferredIdentity: edits.remove(field.line)
            case .proxyAuthorization:
                guard let credentials = (try? Credentials.parse(message, field)) ?? nil,
                    settings.domains.contains(message.bytes.unquoted(credentials.realm))
                else { continue }
                edits.remove(field.line)
            default: break
            }
        }
    }
}
