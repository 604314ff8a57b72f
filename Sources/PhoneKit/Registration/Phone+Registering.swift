import SIP

extension Phone {
    /// Sends a REGISTER on a line's flow.
    ///
    /// - Parameters:
    ///   - line: which.
    ///   - expires: seconds; 0 ends the binding, nil asks for what the line wants.
    func sendRegister(_ line: Int, expires: UInt32? = nil) {
        lines[line].cseq &+= 1
        var uri: [UInt8] = []
        uri.append(text: "sip:")
        uri.append(identity.address.domain)
        var to: [UInt8] = [UInt8(ascii: "<")]
        identity.address.appendURI(to: &to)
        to.append(UInt8(ascii: ">"))
        var callID: [UInt8] = []
        callID.append(hex: lines[line].callID, digits: 16)
        var fields: [UInt8] = []
        appendBinding(line, to: &fields)
        fields.append(text: "Expires: ")
        fields.append(decimal: UInt64(expires ?? lines[line].expires))
        fields.append(text: "\r\nSupported: path, outbound, gruu\r\n")
        appendCredentials(isRegister: true, method: "REGISTER", uri: uri, to: &fields)
        let head = RequestHead(
            method: "REGISTER",
            uri: uri,
            tag: host.random.next(),
            to: to,
            callID: callID,
            cseq: lines[line].cseq,
            routes: [],
            hasContact: false,
            fields: fields
        )
        send(head, line, for: .register(line: line))
    }

    /// Appends Contact as a binding: who this device is, which of its flows this is, and how it is woken.
    private func appendBinding(_ line: Int, to out: inout [UInt8]) {
        out.append(text: "Contact: <")
        appendContactURI(line, to: &out)
        if let push = identity.push { push.append(to: &out) }
        out.append(text: ">;+sip.instance=\"<")
        out.append(identity.instance)
        out.append(text: ">\"")
        if lines[line].usesOutbound {
            out.append(text: ";reg-id=")
            out.append(decimal: UInt64(lines[line].regID))
        }
        out.append(text: "\r\n")
    }

    /// A REGISTER has its final answer.
    func registerAnswered(_ line: Int, _ response: Message) {
        switch response.status {
        case 200..<300: registerAccepted(line, response)
        case 423:
            // The server names the least it grants; asking for that is no new attempt.
            guard let least = (try? response.number(.minExpires)) ?? nil, least > lines[line].expires else {
                return refuse(line, response)
            }
            lines[line].expires = least
            sendRegister(line)
        case 439 where lines[line].usesOutbound:
            lines[line].usesOutbound = false
            sendRegister(line)
        case 401, 403, 404, 405, 407, 416, 420, 501, 505, 555, 600..<700:
            if response.has(.retryAfter) { refuse(line, response) } else { refuseForGood(line, response.status) }
        default: refuse(line, response)
        }
    }

    private func registerAccepted(_ line: Int, _ response: Message) {
        let wasRefresh = lines[line].registration.phase == .refreshing
        let wasLeaving = lines[line].registration.phase == .leaving
        let binding = ownBinding(line, in: response)
        if wasLeaving {
            lines[line].registration.accepted(seconds: 0, fraction: 0, now: now.monotonic)
            abandonFlow(line)
            return report(.unregistered(line: line))
        }
        // A 200 without our binding, or with one that ends now, is no registration.
        guard let seconds = binding?.expires ?? ((try? response.number(.expires)) ?? nil), seconds > 0 else {
            return refuse(line, response)
        }
        if let binding, let found = response.bytes.parameter("pub-gruu", in: binding.nameAddress.parameters)?.value {
            gruu = response.bytes.unquoted(found).bytes
        }
        takeServiceRoute(response)
        lines[line].registration.accepted(
            seconds: seconds,
            fraction: host.random.fraction(),
            now: now.monotonic
        )
        keepAlive(line, response)
        report(.registered(line: line, expires: seconds, isRefresh: wasRefresh))
        registered(line)
    }

    private func keepAlive(_ line: Int, _ response: Message) {
        let interval: ClosedRange<Interval>
        if let timer = (try? response.number(.flowTimer)) ?? nil, timer > 0 {
            interval = .flowTimer(timer)
        } else {
            interval = host.policy.pingInterval
        }
        lines[line].keepAlive.begin(interval, fraction: host.random.fraction(), now: now.monotonic)
    }

    private func takeServiceRoute(_ response: Message) {
        serviceRoute.removeAll(keepingCapacity: true)
        for value in response.values(.serviceRoute) {
            serviceRoute.append(text: "Route: ")
            serviceRoute.append(response.bytes, value)
            serviceRoute.append(text: "\r\n")
        }
    }

    /// The Contact of a 200 that is this line's.
    private func ownBinding(_ line: Int, in response: Message) -> Contact.Address? {
        var inBrackets: [UInt8] = [UInt8(ascii: "<")]
        inBrackets.append(identity.instance)
        inBrackets.append(UInt8(ascii: ">"))
        for contact in (try? Contact.all(of: response)) ?? [] {
            guard case .address(let address) = contact, let instance = address.instance,
                response.bytes.unquoted(instance).bytes == inBrackets,
                !lines[line].usesOutbound || address.regID == nil || address.regID == lines[line].regID
            else { continue }
            return address
        }
        return nil
    }

    /// Not now, or not so: the flow is given up, and the next attempt waits its time.
    private func refuse(_ line: Int, _ response: Message) {
        if let seconds = (try? response.number(.retryAfter)) ?? nil {
            lines[line].notBefore = now.monotonic + .seconds(Int64(seconds))
        }
        loseFlow(line, .replaced, status: response.status)
    }

    private func refuseForGood(_ line: Int, _ status: UInt16) {
        lines[line].registration.refused()
        abandonFlow(line)
        report(.registrationFailed(line: line, .status(status), retry: nil))
    }
}
