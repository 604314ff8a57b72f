/// A SIP message: its bytes as they came, and an index of where each part lies (RFC 3261 section 7).
///
/// Parsed once and in place. Header values are read on demand; absent is not malformed. A `Message` that is parsed into
/// again and again keeps its memory; one that is kept by assignment shares it until then.
public struct Message: Sendable {
    /// The whole message.
    public internal(set) var bytes: [UInt8] = []
    /// The header fields in order.
    public internal(set) var fields: [HeaderField] = []
    /// Which header fields there are.
    var names = HeaderNames()
    /// The first name that stands twice and may not.
    var duplicate: HeaderName?
    /// The method of a request, or of the CSeq of a response.
    public internal(set) var method: Method = .other
    /// The status of a response; 0 for a request.
    public internal(set) var status: UInt16 = 0
    /// The method as written; empty in a response.
    @Packed public internal(set) var methodRange = 0..<0
    /// The Request-URI; empty in a response.
    @Packed public internal(set) var requestURI = 0..<0
    /// The reason phrase; empty in a request.
    @Packed public internal(set) var reason = 0..<0
    /// The start line with its line end.
    @Packed public internal(set) var startLine = 0..<0
    /// The body: as many bytes as Content-Length says, or all there are.
    @Packed public internal(set) var body = 0..<0
    /// The first thing that is wrong in its structure.
    ///
    /// What is indexed before that is sound.
    public internal(set) var fault: MessageFault?

    /// What was read already, one element or none; see `prepare`.
    ///
    /// On the heap, since a message is handed on by value, and ten ranges more would be copied each time.
    var prepared: [Prepared] = []

    /// An empty message, to parse into.
    public init() {}

    /// Parses a message that stands alone.
    public init(_ bytes: [UInt8], limits: Limits = Limits()) {
        self.init()
        parse(bytes.span, limits: limits)
    }

    /// Whether it is a request.
    public var isRequest: Bool { status == 0 }

    /// Where the header section begins: after the start line.
    public var headerStart: Int { startLine.upperBound }

    /// The first field of a name.
    public func first(_ name: HeaderName) -> HeaderField? {
        guard has(name) else { return nil }
        for field in fields where field.name == name { return field }
        return nil
    }

    /// The last field of a name.
    public func last(_ name: HeaderName) -> HeaderField? {
        for field in fields.reversed() where field.name == name { return field }
        return nil
    }

    /// Whether there is a field of that name.
    public func has(_ name: HeaderName) -> Bool { names.contains(name) }

    /// A part as text, for logs and tests.
    public func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// A part as an owned byte string.
    public func string(_ range: Range<Int>) -> ByteString { ByteString(bytes, range) }

    /// A part that shares the bytes of the message.
    public func excerpt(_ range: Range<Int>) -> Excerpt { Excerpt(bytes, range) }
}
