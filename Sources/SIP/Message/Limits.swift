/// Every bound on what a peer may send, tested before anything is stored.
public struct Limits: Hashable, Sendable {
    /// Bytes of a start line; more is answered 513 and closed.
    public var startLine = 65_536
    /// Bytes of the start line and the header section together; more is answered 513 and closed.
    public var headerSection = 65_536
    /// Bytes of a body; more is answered 413 and closed.
    public var body = 65_536
    /// Header fields in a message.
    public var headerFields = 256
    /// Lines of a session description.
    public var descriptionLines = 1024
    /// Streams of a session description.
    public var mediaSections = 32

    /// The defaults.
    public init() {}

    /// The longest message that keeps within the limits.
    public var message: Int {
        let (sum, overflow) = headerSection.addingReportingOverflow(body)
        return overflow ? .max : sum
    }
}
