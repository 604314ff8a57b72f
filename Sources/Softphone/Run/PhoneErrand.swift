public import SIP

/// What a phone is to do, once it is registered.
public struct PhoneErrand: Sendable {
    /// Whom to call; nil for nobody.
    public var call: ByteString?
    /// How many calls, made or taken, make the errand; nil for one where somebody is called, and for any number else.
    public var count: Int?
    /// How long a call lasts before this side hangs up; nil for 5 s where this side called, and for ever else.
    public var duration: Interval?
    /// What to do with calls that come in.
    public var answer = Answer.ring
    /// How long it rings before that.
    public var ring = Interval.zero
    /// What to send, and whom to.
    public var message: (text: String, to: ByteString)?
    /// Whom to ask what they can do.
    public var options: ByteString?

    /// What to do with calls that come in.
    public enum Answer: Hashable, Sendable {
        /// Ring until the caller gives up.
        case ring
        /// Answer.
        case accept
        /// Refuse with this status.
        case reject(UInt16)
    }

    /// Stays registered, and does nothing.
    public init() {}
}

/// How a run ended.
public enum PhoneVerdict: Sendable {
    /// All that was to be done is done.
    case done
    /// A call, a message or the registration failed, or a call was not heard.
    case failed
    /// The server can't be reached.
    case unreachable
}
