/// What is wrong with a message, each with the reason phrase that tells its sender.
public enum MessageFault: Error, Hashable, Sendable {
    case startLine
    case requestURI
    case version
    case headerLine
    case lineEnd
    case tooManyHeaderFields
    case missing(HeaderName)
    case duplicate(HeaderName)
    case malformed(HeaderName)
    case methodMismatch
    case bodyTooShort

    /// The status that answers it (RFC 3261 sections 8.2, 16.3, 21.4, 21.5.6).
    public var status: UInt16 {
        switch self {
        case .version: 505
        case .tooManyHeaderFields: 513
        default: 400
        }
    }

    /// Appends the reason phrase, which names the fault.
    public func appendReason(to out: inout [UInt8]) {
        switch self {
        case .startLine: out.append(text: "Malformed Request Line")
        case .requestURI: out.append(text: "Malformed Request-URI")
        case .version: out.append(text: "Version Not Supported")
        case .headerLine: out.append(text: "Malformed Header Line")
        case .lineEnd: out.append(text: "Bare CR or LF in Header Section")
        case .tooManyHeaderFields: out.append(text: "Too Many Header Fields")
        case .missing(let name):
            out.append(text: "Missing ")
            out.append(text: name.name)
        case .duplicate(let name):
            out.append(text: "Duplicate ")
            out.append(text: name.name)
        case .malformed(let name):
            out.append(text: "Malformed ")
            out.append(text: name.name)
        case .methodMismatch: out.append(text: "CSeq Method Does Not Match")
        case .bodyTooShort: out.append(text: "Body Shorter Than Content-Length")
        }
    }
}
