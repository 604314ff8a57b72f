/// A SIP or SIPS URI (RFC 3261 section 19.1), as ranges of the buffer it was read from.
public struct SIPURI: Hashable, Sendable {
    /// Whether the scheme is `sips`.
    public var isSecure: Bool
    /// The user part as written, escapes and all; nil where there is none.
    @PackedIfAny public var user: Range<Int>?
    /// The password; nil where there is none.
    @PackedIfAny public var password: Range<Int>?
    /// The host, IPv6 with its brackets.
    @Packed public var host: Range<Int>
    /// The port; nil where there is none.
    public var port: UInt16?
    /// The parameters with their `;`.
    @Packed public var parameters: Range<Int>
    /// The headers after `?`; nil where there is none.
    @PackedIfAny public var headers: Range<Int>?

    /// Reads a URI that fills the range.
    ///
    /// - Throws: `URIFault`.
    public init(_ bytes: [UInt8], _ range: Range<Int>) throws(URIFault) {
        guard let colon = bytes.first(UInt8(ascii: ":"), in: range) else { throw .malformed }
        let scheme = range.lowerBound..<colon
        if bytes.isEqualIgnoringCase(scheme, "sip") {
            isSecure = false
        } else if bytes.isEqualIgnoringCase(scheme, "sips") {
            isSecure = true
        } else {
            throw bytes.isScheme(scheme) ? .otherScheme : .malformed
        }
        var at = colon + 1
        let end = range.upperBound
        // The user part may hold `;` and `?`, so it is looked for first.
        if let sign = bytes.first(UInt8(ascii: "@"), in: at..<end) {
            let separator = bytes.endOfEscaped(at..<sign, .user)
            guard separator > at else { throw .malformed }
            user = at..<separator
            if separator < sign {
                guard bytes[separator] == UInt8(ascii: ":"), bytes.isEscaped((separator + 1)..<sign, .user) else {
                    throw .malformed
                }
                password = (separator + 1)..<sign
            }
            at = sign + 1
        }
        guard let hostEnd = bytes.hostEnd(at..<end) else { throw .malformed }
        host = at..<hostEnd
        at = hostEnd
        if at < end, bytes[at] == UInt8(ascii: ":") {
            let digits = at + 1
            at = digits
            while at < end, bytes[at].isIn(.digit) { at += 1 }
            guard let number = bytes.decimal(digits..<at), let number = UInt16(exactly: number) else {
                throw .malformed
            }
            port = number
        }
        let question = bytes.first(UInt8(ascii: "?"), in: at..<end) ?? end
        parameters = at..<question
        guard bytes.areURIParameters(parameters) else { throw .malformed }
        if question < end {
            let headers = (question + 1)..<end
            for position in headers where bytes[position] >= 0x7f || bytes[position].isIn(.notInURI) {
                throw .malformed
            }
            guard !headers.isEmpty else { throw .malformed }
            self.headers = headers
        }
    }
}

extension SIPURI {
    /// Why a range is no SIP or SIPS URI; nil when it is one.
    public static func fault(_ bytes: [UInt8], _ range: Range<Int>) -> URIFault? {
        do {
            _ = try SIPURI(bytes, range)
            return nil
        } catch {
            return error
        }
    }
}

/// Why a URI is not the one that was asked for.
public enum URIFault: Error, Hashable, Sendable {
    /// It is no URI.
    case malformed
    /// It is one, of a scheme that is not `sip` or `sips`.
    case otherScheme
}

extension [UInt8] {
    /// Whether a range is a URI scheme (RFC 3986 section 3.1).
    func isScheme(_ range: Range<Int>) -> Bool {
        guard let first = range.first, self[first].isIn(.token), !self[first].isIn(.digit) else { return false }
        for position in range {
            let byte = self[position]
            let isAlphanumeric = byte.isIn(.host) && byte != UInt8(ascii: "_")
            guard isAlphanumeric || byte == UInt8(ascii: "+") else { return false }
        }
        return true
    }

    /// Where characters of a class end, each `%` followed by two hexadecimal digits: the first place that is neither.
    @inline(__always)
    func endOfEscaped(_ range: Range<Int>, _ set: CharacterClass) -> Int {
        var at = range.lowerBound
        while at < range.upperBound, self[at].isIn(set) {
            if self[at] == UInt8(ascii: "%") {
                guard at + 2 < range.upperBound, self[at + 1].isIn(.hexadecimal), self[at + 2].isIn(.hexadecimal) else {
                    return at
                }
                at += 2
            }
            at += 1
        }
        return at
    }

    /// Whether a range holds only characters of a class, with each `%` followed by two hexadecimal digits.
    func isEscaped(_ range: Range<Int>, _ set: CharacterClass) -> Bool {
        endOfEscaped(range, set) == range.upperBound
    }

    /// Whether a range is `;name` and `;name=value` over and over: no white space, no quotes.
    func areURIParameters(_ range: Range<Int>) -> Bool {
        var at = range.lowerBound
        while at < range.upperBound {
            guard self[at] == UInt8(ascii: ";") else { return false }
            let name = at + 1
            at = endOfEscaped(name..<range.upperBound, .parameter)
            guard at > name else { return false }
            if at < range.upperBound, self[at] == UInt8(ascii: "=") {
                let value = at + 1
                at = endOfEscaped(value..<range.upperBound, .parameter)
                guard at > value else { return false }
            }
        }
        return true
    }

    /// Whether a range is a URI of any scheme, as far as a header field needs to know.
    func isURI(_ range: Range<Int>) -> Bool {
        guard let colon = first(UInt8(ascii: ":"), in: range), isScheme(range.lowerBound..<colon),
            colon + 1 < range.upperBound
        else { return false }
        return first(of: .notInURI, in: range) == range.upperBound
    }
}
