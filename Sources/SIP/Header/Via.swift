/// One Via value (RFC 3261 section 20.42, RFC 3581, RFC 6223), as ranges of its message.
public struct Via: Hashable, Sendable {
    /// The whole value within its comma list.
    @Packed public var value: Range<Int>
    /// The transport as written: `TCP`, or an extension.
    @Packed public var transport: Range<Int>
    /// The host of sent-by, IPv6 with its brackets.
    @Packed public var host: Range<Int>
    /// The port of sent-by.
    public var port: UInt16?
    /// Host and port as written.
    @Packed public var sentBy: Range<Int>
    /// The parameters with their `;`.
    @Packed public var parameters: Range<Int>
    /// The value of `branch`.
    @PackedIfAny public var branch: Range<Int>?
    /// The value of `received`.
    @PackedIfAny public var received: Range<Int>?
    /// The `rport` parameter: with a value in a response, without in a request.
    public var rport: Parameter?
    /// The `keep` parameter (RFC 6223).
    public var keep: Parameter?

    /// Reads a value.
    ///
    /// - Throws: `MessageFault.malformed(.via)`.
    public init(_ bytes: [UInt8], _ range: Range<Int>) throws(MessageFault) {
        func skip(_ at: inout Int) {
            while at < range.upperBound, bytes[at].isLWS { at += 1 }
        }
        func token(_ at: inout Int) -> Range<Int> {
            let start = at
            while at < range.upperBound, bytes[at].isIn(.token) { at += 1 }
            return start..<at
        }
        func slash(_ at: inout Int) throws(MessageFault) {
            skip(&at)
            guard at < range.upperBound, bytes[at] == UInt8(ascii: "/") else { throw .malformed(.via) }
            at += 1
            skip(&at)
        }
        value = range
        var at = range.lowerBound
        // As nearly everybody writes it.
        if range.count > 8, bytes.isEqual(at..<(at + 8), "SIP/2.0/") {
            at += 8
        } else {
            let protocolName = token(&at)
            try slash(&at)
            let version = token(&at)
            try slash(&at)
            guard bytes.isEqualIgnoringCase(protocolName, "sip"), bytes.isEqual(version, "2.0") else {
                throw .malformed(.via)
            }
        }
        skip(&at)
        let transport = token(&at)
        self.transport = transport
        guard !transport.isEmpty, at < range.upperBound, bytes[at].isLWS else { throw .malformed(.via) }
        skip(&at)
        let sentByStart = at
        guard let hostEnd = bytes.hostEnd(at..<range.upperBound) else { throw .malformed(.via) }
        host = at..<hostEnd
        at = hostEnd
        sentBy = sentByStart..<at
        skip(&at)
        if at < range.upperBound, bytes[at] == UInt8(ascii: ":") {
            at += 1
            skip(&at)
            let digits = at
            while at < range.upperBound, bytes[at].isIn(.digit) { at += 1 }
            guard let number = bytes.decimal(digits..<at), let number = UInt16(exactly: number) else {
                throw .malformed(.via)
            }
            port = number
            sentBy = sentByStart..<at
            skip(&at)
        }
        parameters = at..<range.upperBound
        var list = Parameters(bytes, parameters)
        while let parameter = list.next() {
            switch parameter.name.count {
            case 6 where bytes.isEqualIgnoringCase(parameter.name, "branch"): branch = branch ?? parameter.value
            case 8 where bytes.isEqualIgnoringCase(parameter.name, "received"): received = parameter.value
            case 5 where bytes.isEqualIgnoringCase(parameter.name, "rport"): rport = parameter
            case 4 where bytes.isEqualIgnoringCase(parameter.name, "keep"): keep = parameter
            default: break
            }
        }
        if list.isMalformed { throw .malformed(.via) }
    }
}

extension Message {
    /// The topmost Via, or nil where there is none.
    ///
    /// - Throws: `MessageFault.malformed(.via)`.
    public func topVia() throws(MessageFault) -> Via? {
        if !prepared.isEmpty { return prepared[0].via }
        guard let range = firstValue(.via) else { return nil }
        return try Via(bytes, range)
    }

    /// Whether there is one Via and no more, as where the sender itself made the request.
    public var hasOneVia: Bool {
        guard let only = first(.via)?.value, last(.via)?.value == only else { return false }
        return bytes.listValueEnd(only) == only.upperBound
    }

    /// The branch of the topmost Via, or nil where there is none.
    ///
    /// Nothing else of the value is read: whoever knows the branch wrote the rest.
    public func topBranch() -> Range<Int>? {
        if !prepared.isEmpty { return prepared[0].via.branch }
        // No sent-by holds a semicolon.
        guard let value = firstValue(.via), let start = bytes.first(UInt8(ascii: ";"), in: value) else { return nil }
        return bytes.parameter("branch", in: start..<value.upperBound)?.value
    }
}

extension [UInt8] {
    /// Where a host name, IPv4 address or bracketed IPv6 address that begins the range ends.
    func hostEnd(_ range: Range<Int>) -> Int? {
        var at = range.lowerBound
        guard at < range.upperBound else { return nil }
        if self[at] == UInt8(ascii: "[") {
            guard let close = first(UInt8(ascii: "]"), in: range), isIPv6((at + 1)..<close) else { return nil }
            return close + 1
        }
        while at < range.upperBound, self[at].isIn(.host) { at += 1 }
        return at > range.lowerBound ? at : nil
    }
}
