/// A token with parameters: Event, Subscription-State, Reason, Content-Type, Feature-Caps.
public struct ParameterizedToken: Hashable, Sendable {
    /// The token: a package, a state, `type/subtype`.
    public var token: Range<Int>
    /// The parameters with their `;`.
    public var parameters: Range<Int>
}

extension Message {
    /// A header field that holds one number of seconds, hops or bytes: Expires, Max-Forwards, Min-Expires, Flow-Timer,
    /// Max-Breadth, Content-Length, Retry-After (whose comment and parameters are passed over).
    ///
    /// A number too large to read counts as the largest, as RFC 3261 section 20.19 allows for Expires.
    ///
    /// - Throws: `MessageFault.malformed(name)` where there is no number.
    public func number(_ name: HeaderName) throws(MessageFault) -> UInt32? {
        if name == .maxForwards, let known = prepared.first?.hops { return known }
        guard let field = first(name) else { return nil }
        var end = field.value.upperBound
        if name == .retryAfter {
            end = field.value.lowerBound
            while end < field.value.upperBound, bytes[end].isIn(.digit) { end += 1 }
        }
        let digits = field.value.lowerBound..<end
        guard bytes.isNumber(digits) else { throw .malformed(name) }
        return bytes.decimal(digits).flatMap { UInt32(exactly: $0) } ?? .max
    }

    /// A header field that holds a token with parameters.
    ///
    /// - Throws: `MessageFault.malformed(name)`.
    public func token(_ name: HeaderName) throws(MessageFault) -> ParameterizedToken? {
        guard let field = first(name) else { return nil }
        let end = bytes.first(UInt8(ascii: ";"), in: field.value) ?? field.value.upperBound
        let token = bytes.trimmed(field.value.lowerBound..<end)
        guard !token.isEmpty else { throw .malformed(name) }
        for position in token
        where !bytes[position].isIn(.token) && bytes[position] != UInt8(ascii: "/")
            && !(name == .contentType && bytes[position].isLWS) && bytes[position] != UInt8(ascii: ":")
        {
            throw .malformed(name)
        }
        let parameters = end..<field.value.upperBound
        guard bytes.areParameters(parameters) else { throw .malformed(name) }
        return ParameterizedToken(token: token, parameters: parameters)
    }

    /// A Call-ID (RFC 3261 section 20.8).
    ///
    /// - Throws: `MessageFault.missing(.callID)` or `.malformed(.callID)`.
    public func callID() throws(MessageFault) -> Range<Int> {
        guard let field = first(.callID) else { throw .missing(.callID) }
        if !prepared.isEmpty { return field.value }
        guard !field.value.isEmpty else { throw .malformed(.callID) }
        var ats = 0
        for position in field.value {
            if bytes[position] == UInt8(ascii: "@") { ats += 1 } else if !bytes[position].isIn(.word) { ats = 2 }
            if ats > 1 { throw .malformed(.callID) }
        }
        return field.value
    }

    /// Whether a request for privacy names `id` (RFC 3325 section 9.3); the values stand between semicolons.
    public var asksForIdentityPrivacy: Bool {
        guard has(.privacy) else { return false }
        for field in fields where field.name == .privacy {
            var at = field.value.lowerBound
            while at <= field.value.upperBound {
                let end = bytes.first(UInt8(ascii: ";"), in: at..<field.value.upperBound) ?? field.value.upperBound
                if bytes.isEqualIgnoringCase(bytes.trimmed(at..<end), "id") { return true }
                at = end + 1
            }
        }
        return false
    }
}
