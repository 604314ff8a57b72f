/// A final or provisional answer that this server gives by itself.
public struct Status: Hashable, Sendable {
    /// 100 to 699.
    public var code: UInt16
    /// The reason phrase.
    public var reason: StaticString

    /// Names a status.
    public init(_ code: UInt16, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    /// Compares codes.
    public static func == (left: Status, right: Status) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// 100 Trying.
    public static let trying = Status(100, "Trying")
    /// 200 OK.
    public static let ok = Status(200, "OK")
    /// 400 Bad Request.
    public static let badRequest = Status(400, "Bad Request")
    /// 401 Unauthorized.
    public static let unauthorized = Status(401, "Unauthorized")
    /// 403 Forbidden.
    public static let forbidden = Status(403, "Forbidden")
    /// 404 Not Found.
    public static let notFound = Status(404, "Not Found")
    /// 405 Method Not Allowed.
    public static let methodNotAllowed = Status(405, "Method Not Allowed")
    /// 407 Proxy Authentication Required.
    public static let proxyAuthenticationRequired = Status(407, "Proxy Authentication Required")
    /// 408 Request Timeout.
    public static let requestTimeout = Status(408, "Request Timeout")
    /// 413 Request Entity Too Large.
    public static let entityTooLarge = Status(413, "Request Entity Too Large")
    /// 416 Unsupported URI Scheme.
    public static let unsupportedScheme = Status(416, "Unsupported URI Scheme")
    /// 420 Bad Extension.
    public static let badExtension = Status(420, "Bad Extension")
    /// 423 Interval Too Brief.
    public static let intervalTooBrief = Status(423, "Interval Too Brief")
    /// 430 Flow Failed.
    public static let flowFailed = Status(430, "Flow Failed")
    /// 439 First Hop Lacks Outbound Support.
    public static let firstHopLacksOutbound = Status(439, "First Hop Lacks Outbound Support")
    /// 440 Max-Breadth Exceeded.
    public static let maxBreadthExceeded = Status(440, "Max-Breadth Exceeded")
    /// 480 Temporarily Unavailable.
    public static let temporarilyUnavailable = Status(480, "Temporarily Unavailable")
    /// 481 Call/Transaction Does Not Exist.
    public static let noSuchTransaction = Status(481, "Call/Transaction Does Not Exist")
    /// 482 Loop Detected.
    public static let loopDetected = Status(482, "Loop Detected")
    /// 483 Too Many Hops.
    public static let tooManyHops = Status(483, "Too Many Hops")
    /// 487 Request Terminated.
    public static let requestTerminated = Status(487, "Request Terminated")
    /// 500 Server Internal Error.
    public static let serverError = Status(500, "Server Internal Error")
    /// 503 Service Unavailable.
    public static let serviceUnavailable = Status(503, "Service Unavailable")
    /// 513 Message Too Large.
    public static let messageTooLarge = Status(513, "Message Too Large")
}
