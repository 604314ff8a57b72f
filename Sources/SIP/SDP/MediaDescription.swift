/// One stream of a session description (RFC 8866 section 5.14).
public struct MediaDescription: Hashable, Sendable {
    /// `audio`, `video`, ...
    public var kind: ByteString
    /// Where it is to be sent; 0 refuses the stream (RFC 3264 section 6).
    public var port: UInt16
    /// How many ports it takes from there on, 1 as a rule.
    public var portCount: UInt16 = 1
    /// `RTP/AVP`, ...
    public var transport: ByteString
    /// Payload types, in order of preference; never empty.
    public var formats: [ByteString]
    /// Where it goes, unless that is the whole session's address.
    public var connection: SessionDescription.Connection?
    /// What is said of the stream.
    public var attributes: [SessionDescription.Attribute] = []
    /// Lines that are only kept: `i=`, `b=`, `k=`, and any further `c=`.
    public var otherLines: [SessionDescription.Line] = []

    /// Describes a stream.
    public init(kind: ByteString, port: UInt16, transport: ByteString, formats: [ByteString]) {
        self.kind = kind
        self.port = port
        self.transport = transport
        self.formats = formats
    }

    /// What is said of payload types (RFC 8866 section 6.6); what can't be read is passed over.
    public var rtpMaps: [RTPMap] {
        attributes.compactMap { $0.name == "rtpmap" ? $0.value.flatMap { RTPMap($0) } : nil }
    }

    /// How many milliseconds a packet is to hold (RFC 8866 section 6.4).
    public var packetTime: UInt64? {
        attributes.first { $0.name == "ptime" }?.value.flatMap { $0.bytes.decimal($0.range) }
    }

    /// Which way the stream flows, when it says so itself.
    public var direction: MediaDirection? { MediaDirection(attributes) }
}

/// Which way a stream flows, as its describer sees it (RFC 8866 section 6.7).
public enum MediaDirection: UInt8, Hashable, Sendable, CaseIterable {
    case sendrecv
    case sendonly
    case recvonly
    case inactive

    /// Puts both ways together.
    public init(sends: Bool, receives: Bool) {
        self = sends ? (receives ? .sendrecv : .sendonly) : (receives ? .recvonly : .inactive)
    }

    /// The first that is said, or nil.
    init?(_ attributes: [SessionDescription.Attribute]) {
        for attribute in attributes where attribute.value == nil {
            if let direction = Self.allCases.first(where: { $0.name == attribute.name }) {
                self = direction
                return
            }
        }
        return nil
    }

    /// Whether the describer sends.
    public var sends: Bool { self == .sendrecv || self == .sendonly }

    /// Whether the describer wants to receive.
    public var receives: Bool { self == .sendrecv || self == .recvonly }

    /// The same stream as the other end sees it.
    public var mirrored: MediaDirection { MediaDirection(sends: receives, receives: sends) }

    /// What both want.
    public func intersection(_ other: MediaDirection) -> MediaDirection {
        MediaDirection(sends: sends && other.sends, receives: receives && other.receives)
    }

    /// The attribute.
    public var name: ByteString {
        switch self {
        case .sendrecv: "sendrecv"
        case .sendonly: "sendonly"
        case .recvonly: "recvonly"
        case .inactive: "inactive"
        }
    }
}

extension SessionDescription {
    /// Which way a stream flows: as it says, or as the session says, or both ways (RFC 8866 section 6.7).
    public func direction(of media: MediaDescription) -> MediaDirection {
        media.direction ?? MediaDirection(attributes) ?? .sendrecv
    }

    /// Where a stream goes; nil where neither it nor the session says so.
    public func connection(of media: MediaDescription) -> Connection? { media.connection ?? connection }
}
