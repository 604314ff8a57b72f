/// A URI with an optional display name and parameters: From, To, Contact, Route and their kin (RFC 3261 section 20.10).
public struct NameAddress: Hashable, Sendable {
    /// The whole value within its comma list.
    @Packed public var value: Range<Int>
    /// The display name as written, quotes and all; nil where there is none.
    @PackedIfAny public var displayName: Range<Int>?
    /// The URI without brackets.
    @Packed public var uri: Range<Int>
    /// The parameters of the header field, with their `;`.
    @Packed public var parameters: Range<Int>

    /// Reads a value.
    ///
    /// Without angle brackets all parameters belong to the header field, and the URI may hold no comma or question mark
    /// (RFC 3261 section 20.10).
    ///
    /// - Throws: `MessageFault.malformed` of the given header field.
    public init(_ bytes: [UInt8], _ range: Range<Int>, of name: HeaderName) throws(MessageFault) {
        try self.init(unchecked: bytes, range, of: name)
        guard bytes.isURI(uri) else { throw .malformed(name) }
    }

    /// Reads a value whose URI the caller looks at.
    init(unchecked bytes: [UInt8], _ range: Range<Int>, of name: HeaderName) throws(MessageFault) {
        value = range
        var at = range.lowerBound
        let end = range.upperBound
        var quoted: Range<Int>?
        if at < end, bytes[at] == UInt8(ascii: "\"") {
            guard let after = bytes.quotedStringEnd(at..<end) else { throw .malformed(name) }
            quoted = at..<after
            at = after
            while at < end, bytes[at].isLWS { at += 1 }
            guard at < end, bytes[at] == UInt8(ascii: "<") else { throw .malformed(name) }
        }
        // In a bare URI's parameters a bracket may stand within quotes, as in `+sip.instance`.
        let open = bytes.first(of: .nameEnd, in: at..<end)
        if open < end, bytes[open] == UInt8(ascii: "<") {
            if let quoted {
                displayName = quoted
            } else {
                let words = bytes.trimmed(at..<open)
                for position in words where !bytes[position].isIn(.token) && !bytes[position].isLWS {
                    throw .malformed(name)
                }
                displayName = words.isEmpty ? nil : words
            }
            guard let close = bytes.first(UInt8(ascii: ">"), in: open..<end) else { throw .malformed(name) }
            uri = (open + 1)..<close
            parameters = (close + 1)..<end
        } else {
            let uriEnd = bytes.first(UInt8(ascii: ";"), in: at..<end) ?? end
            uri = bytes.trimmed(at..<uriEnd)
            parameters = uriEnd..<end
            for position in uri where bytes[position] == UInt8(ascii: ",") || bytes[position] == UInt8(ascii: "?") {
                throw .malformed(name)
            }
        }
        guard bytes.areParameters(parameters) else { throw .malformed(name) }
    }
}

extension Message {
    /// The From, To or other single name-address of that name; nil where there is none.
    ///
    /// - Throws: `MessageFault.malformed(name)`.
    public func nameAddress(_ name: HeaderName) throws(MessageFault) -> NameAddress? {
        if name == .from, !prepared.isEmpty { return prepared[0].from }
        if name == .to, !prepared.isEmpty { return prepared[0].to }
        guard let field = first(name) else { return nil }
        return try NameAddress(bytes, field.value, of: name)
    }

    /// The SIP URI of From.
    ///
    /// - Throws: what is wrong with it, or that it is none.
    public func fromURI() throws(URIFault) -> SIPURI {
        if !prepared.isEmpty, let uri = prepared[0].fromURI { return uri }
        guard let from = (try? nameAddress(.from)) ?? nil else { throw .malformed }
        return try SIPURI(bytes, from.uri)
    }

    /// The SIP URI of To.
    ///
    /// - Throws: what is wrong with it, or that it is none.
    public func toURI() throws(URIFault) -> SIPURI {
        if !prepared.isEmpty, let uri = prepared[0].toURI { return uri }
        guard let to = (try? nameAddress(.to)) ?? nil else { throw .malformed }
        return try SIPURI(bytes, to.uri)
    }

    /// The SIP URI that a request is for.
    ///
    /// - Throws: what is wrong with it, or that it is none.
    public func target() throws(URIFault) -> SIPURI {
        if !prepared.isEmpty, let target = prepared[0].target { return target }
        return try SIPURI(bytes, requestURI)
    }

    /// All name-addresses of that name: Contact, Route, Path, P-Asserted-Identity, ...
    ///
    /// - Throws: `MessageFault.malformed(name)`.
    public func nameAddresses(_ name: HeaderName) throws(MessageFault) -> [NameAddress] {
        var all: [NameAddress] = []
        for value in values(name) { all.append(try NameAddress(bytes, value, of: name)) }
        return all
    }

    /// The first name-address of a list.
    ///
    /// - Throws: `MessageFault.malformed(name)`.
    public func firstNameAddress(_ name: HeaderName) throws(MessageFault) -> NameAddress? {
        guard let value = firstValue(name) else { return nil }
        return try NameAddress(bytes, value, of: name)
    }

    /// The tag of From or To, whatever their URI is; nil where there is none.
    ///
    /// - Throws: `MessageFault.malformed(name)`.
    public func tag(_ name: HeaderName) throws(MessageFault) -> Range<Int>? {
        if name == .to, !prepared.isEmpty { return prepared[0].toTag }
        let address: NameAddress
        if name == .from, !prepared.isEmpty {
            address = prepared[0].from
        } else {
            guard let field = first(name) else { return nil }
            address = try NameAddress(unchecked: bytes, field.value, of: name)
        }
        return bytes.parameter("tag", in: address.parameters)?.value
    }
}
