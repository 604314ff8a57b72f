/// Whether two URIs are the same (RFC 3261 section 19.1.4, RFC 5954 section 4.2 for addresses).
public enum URIComparison {
    /// Compares two URIs of any scheme; those that are not SIP, SIPS or tel must be the same byte for byte.
    public static func areEqual(
        _ left: [UInt8],
        _ leftRange: Range<Int>,
        _ right: [UInt8],
        _ rightRange: Range<Int>
    ) -> Bool {
        if left.isEqual(leftRange, to: right, rightRange) { return true }
        if let one = try? SIPURI(left, leftRange), let other = try? SIPURI(right, rightRange) {
            return areEqual(left, one, right, other)
        }
        if let one = TelURI(left, leftRange), let other = TelURI(right, rightRange) { return one == other }
        return false
    }

    /// Compares two SIP or SIPS URIs.
    static func areEqual(_ left: [UInt8], _ one: SIPURI, _ right: [UInt8], _ other: SIPURI) -> Bool {
        guard one.isSecure == other.isSecure, one.port == other.port else { return false }
        switch (one.user, other.user) {
        case (nil, nil): break
        case (let user?, let otherUser?):
            guard left.comparable(user) == right.comparable(otherUser) else { return false }
        default: return false
        }
        switch (one.password, other.password) {
        case (nil, nil): break
        case (let password?, let otherPassword?):
            guard left.comparable(password) == right.comparable(otherPassword) else { return false }
        default: return false
        }
        guard areSameHosts(left, one.host, right, other.host) else { return false }
        guard parametersAgree(left, one.parameters, right, other.parameters),
            parametersAgree(right, other.parameters, left, one.parameters)
        else { return false }
        return headersAreEqual(left, one.headers, right, other.headers)
    }

    /// Compares two hosts: names in any case, IPv6 addresses by their value.
    static func areSameHosts(
        _ left: [UInt8],
        _ host: Range<Int>,
        _ right: [UInt8],
        _ other: Range<Int>
    ) -> Bool {
        if left.isEqualIgnoringCase(host, to: right, other) { return true }
        guard left[host].first == UInt8(ascii: "["), right[other].first == UInt8(ascii: "["),
            let address = SocketAddress(host: left, host, port: 0)
        else { return false }
        return address == SocketAddress(host: right, other, port: 0)
    }

    /// A parameter in both must match; user, ttl, method, maddr and transport in one alone do not.
    private static func parametersAgree(
        _ left: [UInt8],
        _ parameters: Range<Int>,
        _ right: [UInt8],
        _ others: Range<Int>
    ) -> Bool {
        for parameter in Parameters(left, parameters) {
            let name = left.comparable(parameter.name).lowercased
            var found = false
            for other in Parameters(right, others) where right.comparable(other.name).lowercased == name {
                found = true
                switch (parameter.value, other.value) {
                case (nil, nil): break
                case (let value?, let otherValue?):
                    guard left.comparable(value).lowercased == right.comparable(otherValue).lowercased else {
                        return false
                    }
                default: return false
                }
                break
            }
            if !found, ["user", "ttl", "method", "maddr", "transport"].contains(name) { return false }
        }
        return true
    }

    /// Headers must all be there on both sides, in any order.
    private static func headersAreEqual(
        _ left: [UInt8],
        _ headers: Range<Int>?,
        _ right: [UInt8],
        _ others: Range<Int>?
    ) -> Bool {
        func list(_ bytes: [UInt8], _ range: Range<Int>?) -> [ByteString] {
            guard let range else { return [] }
            return bytes[range].split(separator: UInt8(ascii: "&")).map { part in
                let equals = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
                let name = bytes.comparable(part.startIndex..<equals).lowercased
                return ByteString(name.bytes + bytes.comparable(equals..<part.endIndex).bytes)
            }.sorted()
        }
        return list(left, headers) == list(right, others)
    }
}

extension [UInt8] {
    /// The range with `%41` read as `A`.
    public func unescaped(_ range: Range<Int>) -> ByteString {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        appendUnescaped(range, to: &result)
        return ByteString(result)
    }

    /// Appends the range with `%41` read as `A`.
    public func appendUnescaped(_ range: Range<Int>, to result: inout [UInt8]) {
        appendUnescaped(range, to: &result) { _ in true }
    }

    /// The range in the form in which two are compared: a reserved character is not its escape (RFC 3261 section 19.1.4).
    func comparable(_ range: Range<Int>) -> ByteString {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        appendUnescaped(range, to: &result) { byte in
            switch byte {
            case UInt8(ascii: ";"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"),
                UInt8(ascii: "&"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "$"), UInt8(ascii: ","):
                false
            default: true
            }
        }
        return ByteString(result)
    }

    /// Appends the range without the escapes of characters that may stand for themselves; others in lower case.
    private func appendUnescaped(_ range: Range<Int>, to result: inout [UInt8], where mayStand: (UInt8) -> Bool) {
        var at = range.lowerBound
        while at < range.upperBound {
            if self[at] == UInt8(ascii: "%"), at + 2 < range.upperBound,
                let value = hexadecimal((at + 1)..<(at + 3))
            {
                let byte = UInt8(truncatingIfNeeded: value)
                if mayStand(byte) {
                    result.append(byte)
                } else {
                    result.append(UInt8(ascii: "%"))
                    result.append(hex: UInt64(byte), digits: 2)
                }
                at += 3
            } else {
                result.append(self[at])
                at += 1
            }
        }
    }
}
