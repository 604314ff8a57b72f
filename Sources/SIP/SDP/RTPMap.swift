/// What a payload type stands for (RFC 8866 section 6.6): `0 PCMU/8000`.
public struct RTPMap: Hashable, Sendable {
    /// The payload type, 0 to 127.
    public var payloadType: UInt8
    /// The name of the encoding as written, which means the same in any case.
    public var encoding: ByteString
    /// Ticks of the timestamp in a second.
    public var clockRate: UInt32
    /// The number of channels, for audio.
    public var parameters: ByteString?

    /// Describes a payload type.
    public init(payloadType: UInt8, encoding: ByteString, clockRate: UInt32, parameters: ByteString? = nil) {
        self.payloadType = payloadType
        self.encoding = encoding
        self.clockRate = clockRate
        self.parameters = parameters
    }

    /// Reads the value of an `rtpmap`; nil when it is none.
    public init?(_ value: ByteString) {
        let bytes = value.bytes
        let space = UInt8(ascii: " ")
        let slash = UInt8(ascii: "/")
        guard let gap = bytes.first(space, in: value.range),
            let payloadType = bytes.decimal(0..<gap), payloadType <= 127,
            let rateStart = bytes.first(slash, in: gap..<bytes.count)
        else { return nil }
        let encoding = bytes.trimmed(gap..<rateStart)
        let rateEnd = bytes.first(slash, in: (rateStart + 1)..<bytes.count)
        let rate = bytes.trimmed((rateStart + 1)..<(rateEnd ?? bytes.count))
        guard !encoding.isEmpty, let clockRate = bytes.decimal(rate).flatMap({ UInt32(exactly: $0) }), clockRate > 0
        else { return nil }
        self.init(
            payloadType: UInt8(truncatingIfNeeded: payloadType),
            encoding: ByteString(bytes, encoding),
            clockRate: clockRate,
            parameters: rateEnd.map { ByteString(bytes, bytes.trimmed(($0 + 1)..<bytes.count)) }
        )
    }

    /// The value of an `rtpmap`.
    public var value: ByteString {
        var out: [UInt8] = []
        out.append(decimal: UInt64(payloadType))
        out.append(text: " ")
        out.append(encoding)
        out.append(text: "/")
        out.append(decimal: UInt64(clockRate))
        if let parameters {
            out.append(text: "/")
            out.append(parameters)
        }
        return ByteString(out)
    }

    /// Whether it is this encoding, in any case, with one channel.
    func isMono(_ name: ByteString, clockRate: UInt32) -> Bool {
        self.clockRate == clockRate && encoding.lowercased == name.lowercased
            && (parameters == nil || parameters == "1" || parameters == "")
    }
}

/// The codecs that every phone has (RFC 3551 sections 4.5.14 and 6, RFC 7874 section 3), by their payload types.
public enum AudioCodec: UInt8, Hashable, Sendable, CaseIterable {
    /// G.711 mu-law.
    case pcmu = 0
    /// G.711 A-law.
    case pcma = 8

    /// Samples, and ticks of the timestamp, in a second.
    public static let clockRate: UInt32 = 8000

    /// The encoding's name in an `rtpmap`.
    public var encoding: ByteString {
        switch self {
        case .pcmu: "PCMU"
        case .pcma: "PCMA"
        }
    }
}

extension MediaDescription {
    /// What a payload type is: as its `rtpmap` says, or as RFC 3551 gave it out for ever.
    func codec(_ payloadType: UInt8) -> AudioCodec? {
        guard let map = rtpMaps.first(where: { $0.payloadType == payloadType }) else {
            return AudioCodec(rawValue: payloadType)
        }
        return AudioCodec.allCases.first { map.isMono($0.encoding, clockRate: AudioCodec.clockRate) }
    }

    /// The payload types of the formats, in order of preference; what is none is passed over.
    var payloadTypes: [UInt8] {
        formats.compactMap { format in
            format.bytes.decimal(format.range).flatMap { $0 <= 127 ? UInt8(truncatingIfNeeded: $0) : nil }
        }
    }

    /// The payload type of digits that are pressed (RFC 4733), at the rate of the codecs.
    var telephoneEvent: UInt8? {
        let maps = rtpMaps
        return payloadTypes.first { type in
            let map = maps.first { $0.payloadType == type }
            return map?.isMono("telephone-event", clockRate: AudioCodec.clockRate) ?? false
        }
    }
}
