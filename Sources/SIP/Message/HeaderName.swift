/// The header fields this server has a name for (RFC 3261 section 20 and its extensions); all others are `other`.
public enum HeaderName: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    case via, from, to, callID, cseq, contact, maxForwards, route, recordRoute, path, serviceRoute
    case expires, minExpires, require, supported, proxyRequire, unsupported
    case contentLength, contentType, contentEncoding
    case authorization, wwwAuthenticate, proxyAuthorization, proxyAuthenticate, authenticationInfo
    case event, subscriptionState, reason, retryAfter, allow, featureCaps, flowTimer
    case pAssertedIdentity, pPreferredIdentity, privacy, priority, maxBreadth, userAgent, timestamp, warning
    case allowEvents, referTo, referredBy, replaces, subject, date, accept, rseq, rack
    /// A header field without a name here; it passes through as raw text.
    case other

    /// The name as this server writes it.
    public var name: StaticString {
        switch self {
        case .via: "Via"
        case .from: "From"
        case .to: "To"
        case .callID: "Call-ID"
        case .cseq: "CSeq"
        case .contact: "Contact"
        case .maxForwards: "Max-Forwards"
        case .route: "Route"
        case .recordRoute: "Record-Route"
        case .path: "Path"
        case .serviceRoute: "Service-Route"
        case .expires: "Expires"
        case .minExpires: "Min-Expires"
        case .require: "Require"
        case .supported: "Supported"
        case .proxyRequire: "Proxy-Require"
        case .unsupported: "Unsupported"
        case .contentLength: "Content-Length"
        case .contentType: "Content-Type"
        case .contentEncoding: "Content-Encoding"
        case .authorization: "Authorization"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .authenticationInfo: "Authentication-Info"
        case .event: "Event"
        case .subscriptionState: "Subscription-State"
        case .reason: "Reason"
        case .retryAfter: "Retry-After"
        case .allow: "Allow"
        case .featureCaps: "Feature-Caps"
        case .flowTimer: "Flow-Timer"
        case .pAssertedIdentity: "P-Asserted-Identity"
        case .pPreferredIdentity: "P-Preferred-Identity"
        case .privacy: "Privacy"
        case .priority: "Priority"
        case .maxBreadth: "Max-Breadth"
        case .userAgent: "User-Agent"
        case .timestamp: "Timestamp"
        case .warning: "Warning"
        case .allowEvents: "Allow-Events"
        case .referTo: "Refer-To"
        case .referredBy: "Referred-By"
        case .replaces: "Replaces"
        case .subject: "Subject"
        case .date: "Date"
        case .accept: "Accept"
        case .rseq: "RSeq"
        case .rack: "RAck"
        case .other: ""
        }
    }

    /// The one-letter form of a name (RFC 3261 section 7.3.3 and the extensions that define one).
    private static func compact(_ letter: UInt8) -> HeaderName {
        switch letter {
        case UInt8(ascii: "v"): .via
        case UInt8(ascii: "f"): .from
        case UInt8(ascii: "t"): .to
        case UInt8(ascii: "i"): .callID
        case UInt8(ascii: "m"): .contact
        case UInt8(ascii: "l"): .contentLength
        case UInt8(ascii: "c"): .contentType
        case UInt8(ascii: "e"): .contentEncoding
        case UInt8(ascii: "k"): .supported
        case UInt8(ascii: "o"): .event
        case UInt8(ascii: "u"): .allowEvents
        case UInt8(ascii: "r"): .referTo
        case UInt8(ascii: "b"): .referredBy
        case UInt8(ascii: "s"): .subject
        default: .other
        }
    }

    /// Names by length, first and last letter; names that share a slot follow one another.
    private static let table: [UInt8] = {
        var table = [UInt8](repeating: HeaderName.other.rawValue, count: 256)
        for name in HeaderName.allCases where name != .other {
            let text = name.name
            let length = text.utf8CodeUnitCount
            var slot = unsafe slot(length: length, first: text.utf8Start[0], last: text.utf8Start[length - 1])
            while table[slot] != HeaderName.other.rawValue { slot = (slot + 1) & 255 }
            table[slot] = name.rawValue
        }
        return table
    }()

    @inline(__always)
    private static func slot(length: Int, first: UInt8, last: UInt8) -> Int {
        (length &* 37 &+ Int(first | 0x20) &* 11 &+ Int(last | 0x20) &* 5) & 255
    }

    /// Reads a name in any case, long or compact; what is no token is no name that is known here.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard range.count > 1 else {
            self = range.isEmpty ? .other : Self.compact(bytes[range.lowerBound].lowercased)
            return
        }
        var slot = Self.slot(
            length: range.count,
            first: bytes[range.lowerBound],
            last: bytes[range.upperBound - 1]
        )
        while let name = HeaderName(rawValue: Self.table[slot]), name != .other {
            if bytes.isEqualIgnoringCase(range, name.name) {
                self = name
                return
            }
            slot = (slot + 1) & 255
        }
        self = .other
    }
}
