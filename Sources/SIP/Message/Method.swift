/// A request method: the registered ones by name, any other by its text in the message.
public enum Method: UInt8, Sendable, CaseIterable {
    case invite, ack, bye, cancel, register, options, message, subscribe, notify, refer, info, update, prack, publish
    /// A method this server has no name for; it passes through like any other.
    case other

    /// The method as it stands on the wire; empty for `other`.
    public var name: StaticString {
        switch self {
        case .invite: "INVITE"
        case .ack: "ACK"
        case .bye: "BYE"
        case .cancel: "CANCEL"
        case .register: "REGISTER"
        case .options: "OPTIONS"
        case .message: "MESSAGE"
        case .subscribe: "SUBSCRIBE"
        case .notify: "NOTIFY"
        case .refer: "REFER"
        case .info: "INFO"
        case .update: "UPDATE"
        case .prack: "PRACK"
        case .publish: "PUBLISH"
        case .other: ""
        }
    }

    /// Reads a method; methods are case-sensitive (RFC 3261 section 7.1).
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count >= 3 else {
            self = .other
            return
        }
        let candidate: Method =
            switch (bytes[range.lowerBound], range.count) {
            case (UInt8(ascii: "I"), 6): .invite
            case (UInt8(ascii: "I"), 4): .info
            case (UInt8(ascii: "A"), 3): .ack
            case (UInt8(ascii: "B"), 3): .bye
            case (UInt8(ascii: "C"), 6): .cancel
            case (UInt8(ascii: "R"), 8): .register
            case (UInt8(ascii: "R"), 5): .refer
            case (UInt8(ascii: "O"), 7): .options
            case (UInt8(ascii: "M"), 7): .message
            case (UInt8(ascii: "S"), 9): .subscribe
            case (UInt8(ascii: "N"), 6): .notify
            case (UInt8(ascii: "U"), 6): .update
            case (UInt8(ascii: "P"), 5): .prack
            case (UInt8(ascii: "P"), 7): .publish
            default: .other
            }
        self = candidate != .other && bytes.isEqual(range, candidate.name) ? candidate : .other
    }
}
