/// One packet of sound (RFC 3550 section 5.1).
public struct RTPPacket: Hashable, Sendable {
    /// What the payload is, 0 to 127; what is beyond is cut off when it is written.
    public var payloadType: UInt8
    /// Whether sound begins again with it (RFC 3551 section 4.1).
    public var isMarked: Bool
    /// Goes up by one with each packet, and from 65535 to 0.
    public var sequence: UInt16
    /// When its first sample was taken, in samples.
    public var timestamp: UInt32
    /// Who sends.
    public var source: UInt32
    /// The sound.
    public var payload: [UInt8]

    /// Describes a packet.
    public init(
        payloadType: UInt8,
        isMarked: Bool = false,
        sequence: UInt16,
        timestamp: UInt32,
        source: UInt32,
        payload: [UInt8]
    ) {
        self.payloadType = payloadType
        self.isMarked = isMarked
        self.sequence = sequence
        self.timestamp = timestamp
        self.source = source
        self.payload = payload
    }

    /// Reads a datagram; contributing sources, header extension and padding are passed over.
    ///
    /// - Throws: what is wrong with it.
    public init(_ bytes: Span<UInt8>) throws(RTPFault) {
        guard bytes.count >= 12 else { throw .tooShort }
        guard bytes[0] >> 6 == 2 else { throw .version }
        var start = 12 + Int(bytes[0] & 15) * 4
        if bytes[0] & 0x10 != 0 {
            guard bytes.count >= start + 4 else { throw .tooShort }
            start += 4 + Int(bytes.bigEndian(start + 2, bytes: 2)) * 4
        }
        var end = bytes.count
        if bytes[0] & 0x20 != 0 {
            let padding = Int(bytes[end - 1])
            guard padding > 0 else { throw .padding }
            end -= padding
        }
        guard start <= end else { throw bytes.count < start ? .tooShort : .padding }
        payloadType = bytes[1] & 0x7f
        isMarked = bytes[1] & 0x80 != 0
        sequence = UInt16(truncatingIfNeeded: bytes.bigEndian(2, bytes: 2))
        timestamp = bytes.bigEndian(4, bytes: 4)
        source = bytes.bigEndian(8, bytes: 4)
        payload = []
        payload.reserveCapacity(end - start)
        for index in start..<end { payload.append(bytes[index]) }
    }

    /// Writes the packet over what is in a buffer.
    public func write(to out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        out.append(2 << 6)
        out.append((isMarked ? 0x80 : 0) | payloadType & 0x7f)
        for shift in [8, 0] { out.append(UInt8(truncatingIfNeeded: sequence >> UInt16(shift))) }
        for word in [timestamp, source] {
            for shift: UInt32 in [24, 16, 8, 0] { out.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        out += payload
    }
}

/// Why a datagram is no RTP packet.
public enum RTPFault: Error, Hashable, Sendable, CaseIterable {
    /// It ends within its header.
    case tooShort
    /// It has another version than 2.
    case version
    /// It has more padding than there is payload, or padding of no length.
    case padding
}

extension Span where Element == UInt8 {
    /// A number of up to four bytes, which are there.
    fileprivate func bigEndian(_ start: Int, bytes count: Int) -> UInt32 {
        var value: UInt32 = 0
        for index in start..<(start + count) { value = value << 8 | UInt32(self[index]) }
        return value
    }
}
