/// A session description (RFC 8866): what a call is made of, and where its media go.
///
/// Parsed whole, since every line may be wanted: by a phone that answers it, and by a relay that writes it anew. What
/// is not modelled is kept as lines, and written where the standard's order has them. Values that are set by hand must
/// not hold line breaks.
public struct SessionDescription: Hashable, Sendable {
    /// Who made it, and which version of it this is (`o=`).
    public var origin: Origin
    /// What the session is called (`s=`); calls have no name, which is written `-`.
    public var sessionName: ByteString = "-"
    /// Where media go that don't say it themselves (`c=`).
    public var connection: Connection?
    /// When it is held (`t=`); calls are held now, which is `0 0`.
    public var timing = Timing()
    /// What holds for all media that don't say otherwise (`a=`).
    public var attributes: [Attribute] = []
    /// Lines that are only kept: `i=`, `u=`, `e=`, `p=`, `b=`, `k=`, `r=`, `z=`, and any further `t=`.
    public var otherLines: [Line] = []
    /// The streams, whose order is their identity in offer and answer (`m=`).
    public var media: [MediaDescription] = []

    /// Describes a session without media.
    public init(origin: Origin) {
        self.origin = origin
    }

    /// The origin of a session description (RFC 8866 section 5.2).
    public struct Origin: Hashable, Sendable {
        /// The user, `-` where there is none to name.
        public var username: ByteString
        /// Tells this session from others of its maker.
        public var sessionID: UInt64
        /// Goes up by one with each change (RFC 3264 section 8).
        public var version: UInt64
        /// The machine it was made on.
        public var address: Connection

        /// Describes an origin.
        public init(username: ByteString = "-", sessionID: UInt64, version: UInt64, address: Connection) {
            self.username = username
            self.sessionID = sessionID
            self.version = version
            self.address = address
        }
    }

    /// An address in the internet (RFC 8866 sections 5.2 and 5.7).
    public struct Connection: Hashable, Sendable {
        /// Whether it is `IP6` and not `IP4`.
        public var isIPv6: Bool
        /// The address as written, without brackets; a name, or a multicast address with its scope, is allowed too.
        public var host: ByteString

        /// Takes an address as written.
        public init(isIPv6: Bool, host: ByteString) {
            self.isIPv6 = isIPv6
            self.host = host
        }

        /// Names the host of an address.
        public init(_ address: SocketAddress) {
            var host: [UInt8] = []
            address.appendHost(to: &host)
            let isIPv6 = address.ipv4 == nil
            self.init(isIPv6: isIPv6, host: ByteString(isIPv6 ? Array(host.dropFirst().dropLast()) : host))
        }

        /// The address in numbers; nil when it is a name or a multicast address.
        public func address(port: UInt16) -> SocketAddress? {
            let bytes = isIPv6 ? [UInt8(ascii: "[")] + host.bytes + [UInt8(ascii: "]")] : host.bytes
            return SocketAddress(host: bytes, 0..<bytes.count, port: port)
        }
    }

    /// Start and end of a session in seconds since 1900, 0 for unbounded (RFC 8866 section 5.9).
    public struct Timing: Hashable, Sendable {
        /// The start.
        public var start: UInt64
        /// The end.
        public var stop: UInt64

        /// Describes a time.
        public init(start: UInt64 = 0, stop: UInt64 = 0) {
            self.start = start
            self.stop = stop
        }
    }

    /// A property or a value with a name (RFC 8866 section 5.13).
    public struct Attribute: Hashable, Sendable {
        /// The name, before the colon.
        public var name: ByteString
        /// What follows the colon; nil for a property.
        public var value: ByteString?

        /// Describes an attribute.
        public init(_ name: ByteString, _ value: ByteString? = nil) {
            self.name = name
            self.value = value
        }
    }

    /// A line that is only kept.
    public struct Line: Hashable, Sendable {
        /// The letter before the `=`.
        public var type: UInt8
        /// What follows it.
        public var value: ByteString

        /// Describes a line.
        public init(type: UInt8, value: ByteString) {
            self.type = type
            self.value = value
        }
    }
}
