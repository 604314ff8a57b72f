public import SIP

/// What load is to be made.
public struct LoadPlan: Sendable {
    /// Where the server is.
    public var servers: [FlowTarget] = []
    /// Phones, numbered from `firstPhone`.
    public var phones = 100
    /// The number of the first phone.
    public var firstPhone = 0
    /// User names: `{n}` is the phone's number.
    public var user = "u{n}"
    /// Passwords: `{n}` is the phone's number.
    public var password = "pw{n}"
    /// The domain of all.
    public var domain = "example.test"
    /// New phones a second at the beginning; 0 for all at once.
    public var ramp = 1000.0
    /// What is done, and how often.
    public var paces: [(operation: Operation, pace: Pace)] = []
    /// Seconds from the end of the set-up to the end of the load; where there are no paces, phones rest as long.
    public var seconds = 10.0
    /// Seconds of that at the beginning that are not counted.
    public var warmUp = 0.0
    /// How long a phone rings, in milliseconds.
    public var ring: Int64 = 20
    /// How long a call lasts, in milliseconds.
    public var hold: Int64 = 20
    /// Whether all phones but the steady ones connect and register at once, a second after the load has begun.
    public var storm = false
    /// Phones that are there before a storm, and do what the plan says throughout.
    public var steady = 0
    /// How long an answer may take before it is a failure.
    public var patience = Interval.seconds(32)
    /// The process of the server, whose CPU time is to be told as well.
    public var serverProcess: Int32?
    /// The text of a message.
    public var message: [UInt8] = Array("hello from {n}".utf8)
    /// The seed of random numbers.
    public var seed: UInt64?

    /// A hundred phones for ten seconds, which only register.
    public init() {}

    /// The user name of a phone.
    public func userName(_ number: Int) -> String { Self.filled(user, number) }

    /// The password of a phone.
    public func password(_ number: Int) -> String { Self.filled(password, number) }

    private static func filled(_ pattern: String, _ number: Int) -> String {
        pattern.split(separator: "{n}", omittingEmptySubsequences: false).joined(separator: String(number))
    }
}

extension LoadPlan {
    /// Leaves only one part of the load, of so many that are made at once.
    public mutating func share(_ part: Int, of parts: Int) {
        guard parts > 1 else { return }
        func slice(_ whole: Int) -> (first: Int, count: Int) {
            let first = whole * part / parts
            return (first, whole * (part + 1) / parts - first)
        }
        let own = slice(phones)
        firstPhone += own.first
        phones = own.count
        steady = slice(steady).count
        ramp /= Double(parts)
        paces = paces.map { operation, pace in
            switch pace {
            case .rate(let from, let to): (operation, .rate(from: from / Double(parts), to: to / Double(parts)))
            case .window(let count): (operation, .window(max(1, slice(count).count)))
            }
        }
        // One of them looks at the server for all.
        if part > 0 { serverProcess = nil }
    }
}
