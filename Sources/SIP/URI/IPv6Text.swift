extension [UInt8] {
    /// Whether a range is an IPv6 address as RFC 3261's grammar, corrected by RFC 5954, has it.
    func isIPv6(_ range: Range<Int>) -> Bool { ipv6Groups(range) != nil }

    /// Reads an IPv6 address, with an IPv4 tail where there is one, into its eight groups.
    func ipv6Groups(_ range: Range<Int>) -> [UInt16]? {
        var before: [UInt16] = []
        var after: [UInt16]?
        var at = range.lowerBound
        let end = range.upperBound
        func add(_ group: UInt16) {
            if after != nil { after?.append(group) } else { before.append(group) }
        }
        var expectsGroup = true
        if at + 1 < end, self[at] == UInt8(ascii: ":"), self[at + 1] == UInt8(ascii: ":") {
            after = []
            at = afterDoubleColon(at + 2, end)
            expectsGroup = false
        }
        while at < end {
            let start = at
            while at < end, self[at].isIn(.hexadecimal) { at += 1 }
            if at < end, self[at] == UInt8(ascii: ".") {
                guard let ipv4 = ipv4(start..<end) else { return nil }
                add(UInt16(truncatingIfNeeded: ipv4 >> 16))
                add(UInt16(truncatingIfNeeded: ipv4))
                at = end
                expectsGroup = false
                break
            }
            guard at - start <= 4, let value = hexadecimal(start..<at) else { return nil }
            add(UInt16(truncatingIfNeeded: value))
            expectsGroup = false
            guard at < end else { break }
            guard self[at] == UInt8(ascii: ":") else { return nil }
            at += 1
            expectsGroup = true
            if at < end, self[at] == UInt8(ascii: ":") {
                guard after == nil else { return nil }
                after = []
                at = afterDoubleColon(at + 1, end)
                expectsGroup = false
            }
        }
        guard !expectsGroup else { return nil }
        guard let tail = after else { return before.count == 8 ? before : nil }
        guard before.count + tail.count <= 7 else { return nil }
        return before + [UInt16](repeating: 0, count: 8 - before.count - tail.count) + tail
    }

    /// Where it goes on after `::`: RFC 3261's own grammar puts a third colon before an IPv4 address, which has to be
    /// tolerated (RFC 5118 section 4.10).
    private func afterDoubleColon(_ at: Int, _ end: Int) -> Int {
        at < end && self[at] == UInt8(ascii: ":") && ipv4((at + 1)..<end) != nil ? at + 1 : at
    }

    /// Reads a dotted IPv4 address that fills the range.
    func ipv4(_ range: Range<Int>) -> UInt32? {
        var value: UInt32 = 0
        var parts = 0
        var at = range.lowerBound
        while true {
            let dot = first(UInt8(ascii: "."), in: at..<range.upperBound) ?? range.upperBound
            guard dot - at <= 3, let part = decimal(at..<dot), part <= 255, parts < 4 else { return nil }
            value = value << 8 | UInt32(part)
            parts += 1
            guard dot < range.upperBound else { break }
            at = dot + 1
        }
        return parts == 4 ? value : nil
    }
}

extension SocketAddress {
    /// Reads a host as it stands in a URI: `192.0.2.1` or `[2001:db8::1]`; nil for a name.
    public init?(host bytes: [UInt8], _ range: Range<Int>, port: UInt16) {
        if range.count > 2, bytes[range.lowerBound] == UInt8(ascii: "["),
            bytes[range.upperBound - 1] == UInt8(ascii: "]"),
            let groups = bytes.ipv6Groups((range.lowerBound + 1)..<(range.upperBound - 1))
        {
            let high = groups[0..<4].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
            let low = groups[4..<8].reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
            self.init(high: high, low: low, port: port)
        } else if let ipv4 = bytes.ipv4(range) {
            self.init(ipv4: ipv4, port: port)
        } else {
            return nil
        }
    }
}
