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

    /// Whether no message may have two of it (RFC 3261 section 7.3.1).
    var standsOnce: Bool {
        switch self {
        case .from, .to, .callID, .cseq, .maxForwards, .contentLength: true
        default: false
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

    /// A name as it is looked up.
    private struct Known {
        var spelling: Spelling?
        var name: HeaderName
    }

    /// Names by length, first and last letter; names that share a slot follow one another.
    private static let table: [Known] = {
        var table = [Known](repeating: Known(spelling: nil, name: .other), count: 256)
        for name in HeaderName.allCases where name != .other {
            let text = unsafe Span(_unsafeStart: name.name.utf8Start, count: name.name.utf8CodeUnitCount)
            var slot = slot(text, text.indices)
            while table[slot].spelling != nil { slot = (slot + 1) & 255 }
            table[slot] = Known(spelling: Spelling(text, text.indices), name: name)
        }
        return table
    }()

    @inline(__always)
    private static func slot(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        let first = Int(bytes[range.lowerBound] | 0x20)
        let last = Int(bytes[range.upperBound - 1] | 0x20)
        return (range.count &* 37 &+ first &* 11 &+ last &* 5) & 255
    }

    /// Reads a name in any case, long or compact; what is no token is no name that is known here.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        guard let spelling = Spelling(bytes, range) else {
            self = range.count == 1 ? Self.compact(bytes[range.lowerBound].lowercased) : .other
            return
        }
        let table = Self.table.span
        var slot = Self.slot(bytes, range)
        while let known = table[slot].spelling {
            if spelling.isEqualIgnoringCase(to: known) {
                self = table[slot].name
                return
            }
            slot = (slot + 1) & 255
        }
        self = .other
    }
}
