extension Message {
    /// What every message must have, whatever it is for (RFC 3261 section 8.1.1 and 16.3 step 1).
    ///
    /// - Returns: the first fault, structure before content; nil when the message can be worked with.
    public func validate() -> MessageFault? {
        var copy = self
        return copy.prepare()
    }

    /// Validates, and keeps what nearly everybody asks for next, so that it is read once.
    ///
    /// - Returns: as `validate`.
    public mutating func prepare() -> MessageFault? {
        do {
            prepared.append(try mandatoryFields())
        } catch {
            return fault ?? error
        }
        return fault
    }

    /// Checks only that all mandatory fields are there, each once where it may stand once, and that CSeq can be read and
    /// names the request's method.
    ///
    /// Enough where the other values are for somebody else, as those of a response are for the client and not for a proxy
    /// (RFC 3261 sections 8.1.3 and 16.7), or are read when they are needed.
    ///
    /// - Returns: the first fault, structure before content; nil when there is none.
    public func outlineFault() -> MessageFault? {
        if let fault { return fault }
        do throws(MessageFault) {
            if let duplicate { throw .duplicate(duplicate) }
            for name: HeaderName in [.via, .from, .to, .callID] where !has(name) { throw .missing(name) }
            let sequence = try cseq()
            if isRequest, !bytes.isEqual(sequence.methodRange, to: bytes, methodRange) { throw .methodMismatch }
        } catch {
            return error
        }
        return nil
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

    /// Reads what every message must have; changes nothing, since what a method may change is copied for each that it calls.
    private func mandatoryFields() throws(MessageFault) -> Prepared {
        if let duplicate { throw .duplicate(duplicate) }
        guard let via = try topVia() else { throw .missing(.via) }
        for field in fields where field.name == .via && field.value != via.value {
            for value in HeaderValuesOfOne(bytes, field.value) where value != via.value { _ = try Via(bytes, value) }
        }
        guard let fromField = first(.from) else { throw .missing(.from) }
        let from = try NameAddress(unchecked: bytes, fromField.value, of: .from)
        guard let toField = first(.to) else { throw .missing(.to) }
        let to = try NameAddress(unchecked: bytes, toField.value, of: .to)
        var found = Prepared(via: via, from: from, to: to)
        found.fromURI = try uri(from.uri, .from)
        found.toURI = try uri(to.uri, .to)
        found.toTag = bytes.parameter("tag", in: to.parameters)?.value
        _ = try callID()
        let sequence = try cseq()
        found.sequence = sequence
        guard isRequest else { return found }
        guard bytes.isEqual(sequence.methodRange, to: bytes, methodRange) else { throw .methodMismatch }
        found.hops = try number(.maxForwards)
        if let hops = found.hops, hops > 255 { throw .malformed(.maxForwards) }
        found.target = try checkRequestURI()
        if has(.route) {
            for value in values(.route) { _ = try uri(NameAddress(unchecked: bytes, value, of: .route).uri, .route) }
        }
        if has(.contact) {
            var count = 0
            for value in values(.contact) {
                count += 1
                found.contact = nil
                guard value.count != 1 || bytes[value.lowerBound] != UInt8(ascii: "*") else { continue }
                let contact = try Contact.Address(unchecked: bytes, value)
                _ = try uri(contact.nameAddress.uri, .contact)
                if count == 1 { found.contact = contact }
            }
        }
        return found
    }

    /// - Returns: the SIP URI that the request is for; nil for another scheme.
    private func checkRequestURI() throws(MessageFault) -> SIPURI? {
        let uri: SIPURI
        do throws(URIFault) {
            uri = try SIPURI(bytes, requestURI)
        } catch {
            // Another scheme is a matter of routing (416), not of syntax.
            if error == .malformed { throw .requestURI }
            return nil
        }
        // Header fields have no place in a Request-URI (RFC 3261 section 19.1.1, table 1).
        if uri.headers != nil { throw .requestURI }
        return uri
    }

    /// Any URI may stand here, but a SIP URI must be a sound one.
    ///
    /// - Returns: the SIP URI; nil for another scheme.
    private func uri(_ range: Range<Int>, _ name: HeaderName) throws(MessageFault) -> SIPURI? {
        do throws(URIFault) {
            return try SIPURI(bytes, range)
        } catch {
            guard error == .otherScheme, bytes.isURI(range) else { throw .malformed(name) }
            return nil
        }
    }
}

/// What `prepare` has read of a message.
struct Prepared: Sendable {
    var via: Via
    var from: NameAddress
    var to: NameAddress
    /// The URI of From, where it is a SIP URI.
    var fromURI: SIPURI?
    /// The URI of To, where it is a SIP URI.
    var toURI: SIPURI?
    /// The tag of To.
    @PackedIfAny var toTag: Range<Int>?
    /// CSeq.
    var sequence: CSeq?
    /// Max-Forwards of a request.
    var hops: UInt32?
    /// The Request-URI, where it is a SIP URI.
    var target: SIPURI?
    /// The Contact of a request, where there is one and no more.
    var contact: Contact.Address?
}
