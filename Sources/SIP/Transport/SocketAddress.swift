/// An IP address and a port, plain bytes.
///
/// IPv4 is kept as the IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2), so every address is 16 bytes.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The upper 8 bytes of the address, in host order.
    public var high: UInt64
    /// The lower 8 bytes of the address, in host order.
    public var low: UInt64
    /// The port, in host order.
    public var port: UInt16

    /// Makes an IPv6 address from its two halves.
    public init(high: UInt64, low: UInt64, port: UInt16) {
        self.high = high
        self.low = low
        self.port = port
    }

    /// Makes an IPv4 address: `0x7f000001` is 127.0.0.1.
    public init(ipv4: UInt32, port: UInt16) {
        self.init(high: 0, low: 0xffff_0000_0000 | UInt64(ipv4), port: port)
    }

    /// The IPv4 address, when it is one.
    public var ipv4: UInt32? {
        high == 0 && low >> 32 == 0xffff ? UInt32(truncatingIfNeeded: low) : nil
    }

    /// Appends the host as text: `192.0.2.1`, or `[2001:db8::1]` with the brackets a URI needs.
    public func appendHost(to out: inout [UInt8]) {
        if let ipv4 {
            appendIPv4(ipv4, to: &out)
            return
        }
        out.append(UInt8(ascii: "["))
        appendIPv6(to: &out)
        out.append(UInt8(ascii: "]"))
    }

    /// `192.0.2.1:5060` or `[2001:db8::1]:5060`.
    public var description: String {
        var text: [UInt8] = []
        appendHost(to: &text)
        text.append(UInt8(ascii: ":"))
        text.append(decimal: UInt64(port))
        return String(decoding: text, as: UTF8.self)
    }

    private func appendIPv4(_ address: UInt32, to out: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { text in
            // From the last digit to the first, each octet behind a dot.
            var at = text.count
            var rest = address
            for _ in 0..<4 {
                var octet = rest & 0xff
                rest >>= 8
                repeat {
                    at -= 1
                    unsafe text[at] = UInt8(truncatingIfNeeded: octet % 10) &+ UInt8(ascii: "0")
                    octet /= 10
                } while octet > 0
                at -= 1
                unsafe text[at] = UInt8(ascii: ".")
            }
            unsafe out.append(contentsOf: UnsafeMutableBufferPointer(rebasing: text[(at + 1)...]))
        }
    }

    /// The eight 16-bit groups, the longest run of zeros shortened (RFC 5952 section 4).
    private func appendIPv6(to out: inout [UInt8]) {
        func group(_ index: Int) -> UInt64 {
            (index < 4 ? high : low) >> UInt64((3 - index % 4) * 16) & 0xffff
        }
        var best = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, group(end) == 0 { end += 1 }
            if end - start > max(best.count, 1) { best = start..<end }
            start = max(end, start + 1)
        }
        var index = 0
        while index < 8 {
            if index == best.lowerBound, !best.isEmpty {
                out.append(contentsOf: "::".utf8)
                index = best.upperBound
                continue
            }
            if index > 0, index != best.upperBound || best.isEmpty { out.append(UInt8(ascii: ":")) }
            out.append(contentsOf: String(group(index), radix: 16).utf8)
            index += 1
        }
    }
}

extension [UInt8] {
    /// Appends a number in decimal.
    public mutating func append(decimal value: UInt64) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var at = digits.count
            var rest = value
            repeat {
                at -= 1
                unsafe digits[at] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
                rest /= 10
            } while rest > 0
            unsafe append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[at...]))
        }
    }
}
