import SIP

extension Interval {
    /// `42 ms`, `1.2 s`, `3312 s`.
    var text: String {
        switch milliseconds {
        case ..<1000: "\(max(milliseconds, 0)) ms"
        case 100_000...: "\(seconds) s"
        default: "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
        }
    }
}

extension Double {
    /// One digit behind the point.
    var tenths: String {
        let tenths = Int64(exactly: (self * 10).rounded()) ?? 0
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// `660`, without a point where there is nothing behind it.
    var plain: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension ByteString {
    /// The text, safe to be shown: what peers send may hold what terminals obey.
    var shown: String { description.shown }

    /// Who a URI names: its user, or the whole of it.
    var shownUser: String {
        guard let uri = try? SIPURI(bytes, bytes.indices), let user = uri.user else { return shown }
        return ByteString(bytes[user]).shown
    }
}

extension String {
    /// The text, with what is no character of a line replaced.
    var shown: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: "\u{fffd}"
                    default: scalar
                    }
                }
            )
        )
    }
}

/// What a status means, for people (RFC 3261 section 21).
func meaning(ofStatus status: UInt16) -> String {
    let word: String? =
        switch status {
        case 180: "Ringing"
        case 181: "Call Is Being Forwarded"
        case 182: "Queued"
        case 183: "Session Progress"
        case 200: "OK"
        case 202: "Accepted"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 415: "Unsupported Media Type"
        case 416: "Unsupported URI Scheme"
        case 420: "Bad Extension"
        case 423: "Interval Too Brief"
        case 430: "Flow Failed"
        case 439: "First Hop Lacks Outbound Support"
        case 480: "Temporarily Unavailable"
        case 481: "Call/Transaction Does Not Exist"
        case 482: "Loop Detected"
        case 483: "Too Many Hops"
        case 484: "Address Incomplete"
        case 486: "Busy Here"
        case 487: "Request Terminated"
        case 488: "Not Acceptable Here"
        case 491: "Request Pending"
        case 500: "Server Internal Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 504: "Server Time-out"
        case 513: "Message Too Large"
        case 600: "Busy Everywhere"
        case 603: "Decline"
        case 604: "Does Not Exist Anywhere"
        case 606: "Not Acceptable"
        default: nil
        }
    return word.map { "\(status) \($0)" } ?? "\(status)"
}
