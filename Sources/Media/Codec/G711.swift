public import SIP

/// The codecs of ITU-T G.711, which write a sample in a byte: fine steps for soft sound, coarse ones for loud sound.
public enum G711 {
    /// Writes a sample in mu-law.
    public static func muLaw(_ sample: Int16) -> UInt8 {
        // The bias makes the highest bit tell the segment; what is louder than the law knows is cut off.
        let magnitude = min(UInt32(sample.magnitude), 32_635) + 132
        let segment = UInt32(24 - magnitude.leadingZeroBitCount)
        let step = magnitude >> (segment + 3) & 15
        let sign: UInt8 = sample < 0 ? 0x80 : 0
        return ~(sign | UInt8(truncatingIfNeeded: segment << 4 | step))
    }

    /// Reads a sample in mu-law.
    public static func linear(muLaw byte: UInt8) -> Int16 {
        let bits = ~byte
        let magnitude = (((Int16(bits & 15) << 3) + 132) << Int16(bits >> 4 & 7)) - 132
        return bits & 0x80 == 0 ? magnitude : -magnitude
    }

    /// Writes a sample in A-law.
    public static func aLaw(_ sample: Int16) -> UInt8 {
        // The law is symmetric about the middle between 0 and -1: the complement, not the negative.
        let magnitude = UInt16(sample < 0 ? ~sample : sample) >> 3
        let segment = max(11 - magnitude.leadingZeroBitCount, 0)
        let step = magnitude >> UInt16(max(segment, 1)) & 15
        let sign: UInt8 = sample < 0 ? 0 : 0x80
        return (sign | UInt8(truncatingIfNeeded: UInt16(segment) << 4 | step)) ^ 0x55
    }

    /// Reads a sample in A-law.
    public static func linear(aLaw byte: UInt8) -> Int16 {
        let bits = byte ^ 0x55
        let segment = Int16(bits >> 4 & 7)
        let step = Int16(bits & 15) << 4
        let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
        return bits & 0x80 == 0 ? -magnitude : magnitude
    }
}

extension AudioCodec {
    /// Writes a sample.
    public func encode(_ sample: Int16) -> UInt8 {
        switch self {
        case .pcmu: G711.muLaw(sample)
        case .pcma: G711.aLaw(sample)
        }
    }

    /// Reads a sample.
    public func decode(_ byte: UInt8) -> Int16 {
        switch self {
        case .pcmu: G711.linear(muLaw: byte)
        case .pcma: G711.linear(aLaw: byte)
        }
    }
}
