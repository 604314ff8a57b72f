extension Message {
    /// What every message must have, whatever it is for (RFC 3261 section 8.1.1 and 16.3 step 1).
    ///
    /// - Returns: the first fault, structure before content; nil when the message can be worked with.
    public func validate() -> MessageFault? {
        do {
            try checkMandatoryFields()
        } catch {
            return fault ?? error
        }
        return fault
    }

    /// Whether there is enough for an answer: what its sender matches one by (RFC 3261 section 17.1.3), however malformed.
    ///
    /// An answer takes these fields over as they stand, and goes back the way the request came; other fields may be
    /// missing (RFC 4475 section 3.3.1). Where one of them holds a CR or LF that ends no line, the answer would be no SIP
    /// message either (RFC 3261 section 25.1, LWS). An ACK is never answered.
    public var isAnswerable: Bool {
        isRequest && method != .ack && !methodRange.isEmpty && has(.via) && has(.cseq)
            && !fields.contains { isTakenOver($0.name) && hasBareLineEnd($0.line) }
    }

    private func isTakenOver(_ name: HeaderName) -> Bool {
        switch name {
        case .via, .from, .to, .callID, .cseq: true
        default: false
        }
    }

    private func hasBareLineEnd(_ range: Range<Int>) -> Bool {
        range.contains { at in
            switch bytes[at] {
            case 0x0d: at + 1 == range.upperBound || bytes[at + 1] != 0x0a
            case 0x0a: at == range.lowerBound || bytes[at - 1] != 0x0d
            default: false
            }
        }
    }

    private func checkMandatoryFields() throws(MessageFault) {
        for name: HeaderName in [.from, .to, .callID, .cseq, .maxForwards, .contentLength] { try checkSingle(name) }
        guard try topVia() != nil else { throw .missing(.via) }
        for value in values(.via) { _ = try Via(bytes, value) }
        guard let from = try nameAddress(.from) else { throw .missing(.from) }
        guard let to = try nameAddress(.to) else { throw .missing(.to) }
        try checkURI(from.uri, .from)
        try checkURI(to.uri, .to)
        _ = try callID()
        let sequence = try cseq()
        guard isRequest else { return }
        guard bytes.isEqual(sequence.methodRange, to: bytes, methodRange) else { throw .methodMismatch }
        if let hops = try number(.maxForwards), hops > 255 { throw .malformed(.maxForwards) }
        try checkRequestURI()
        for value in values(.route) { try checkURI(NameAddress(bytes, value, of: .route).uri, .route) }
        for value in values(.contact) where !(value.count == 1 && bytes[value.lowerBound] == UInt8(ascii: "*")) {
            try checkURI(Contact.Address(bytes, value).nameAddress.uri, .contact)
        }
    }

    private func checkRequestURI() throws(MessageFault) {
        let uri: SIPURI
        do throws(URIFault) {
            uri = try SIPURI(bytes, requestURI)
        } catch {
            // Another scheme is a matter of routing (416), not of syntax.
            if error == .malformed { throw .requestURI }
            return
        }
        // Header fields have no place in a Request-URI (RFC 3261 section 19.1.1, table 1).
        if uri.headers != nil { throw .requestURI }
    }

    private func checkSingle(_ name: HeaderName) throws(MessageFault) {
        var count = 0
        for field in fields where field.name == name { count += 1 }
        if count > 1 { throw .duplicate(name) }
    }

    private func checkURI(_ range: Range<Int>, _ name: HeaderName) throws(MessageFault) {
        // Any URI may stand here, but a SIP URI must be a sound one.
        if SIPURI.fault(bytes, range) == .malformed { throw .malformed(name) }
    }
}
