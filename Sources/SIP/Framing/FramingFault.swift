/// Why a stream can't be cut into messages any more; each ends the connection.
public enum FramingFault: Error, Hashable, Sendable, CaseIterable {
    /// What begins here can't be the start line of a SIP message: TLS, HTTP, noise.
    case notSIP
    /// The start line is over its limit.
    case startLineTooLong
    /// The header section is over its limit.
    case headerSectionTooLong
    /// No Content-Length, which streams need (RFC 3261 section 18.3).
    case contentLengthMissing
    /// Content-Length is no number, or stands twice with different values.
    case contentLengthInvalid
    /// Content-Length is over the limit for bodies.
    case bodyTooLong
}
