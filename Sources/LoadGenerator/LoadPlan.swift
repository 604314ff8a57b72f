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
    /// Seconds the set-up takes at least: where one part of a load has few phones to set up, it waits for the others.
    public var setUpAtLeast = 0.0
    /// How long an answer may take before it is a failure.
    public var patience = Interval.seconds(32)
    /// The process of the server, whose CPU time is to be told as well.
    public var serverProcess: Int32?
    /// Milliseconds: where operations begin at rates, those that are due within so many begin together, and answers are
    /// looked at as often.
    public var grid: Int64 = 10
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
        // One of them looks at the server for all.
        if part > 0 { serverProcess = nil }
        if storm, steady > 0 { return shareStorm(part, of: parts) }
        let own = slice(phones)
        firstPhone += own.first
        phones = own.count
        ramp /= Double(parts)
        paces = paces.map { operation, pace in
            switch pace {
            case .rate(let from, let to): (operation, .rate(from: from / Double(parts), to: to / Double(parts)))
            case .window(let count): (operation, .window(max(1, slice(count).count)))
            }
        }
    }

    /// The first part has the steady phones, whose times are not to hold what making a storm costs; the others storm.
    private mutating func shareStorm(_ part: Int, of parts: Int) {
        let steady = min(steady, phones)
        guard part > 0 else {
            phones = steady
            return
        }
        let others = phones - steady
        let first = others * (part - 1) / (parts - 1)
        if ramp > 0 { setUpAtLeast = Double(steady) / ramp }
        firstPhone += steady + first
        phones = others * part / (parts - 1) - first
        self.steady = 0
        paces = []
    }
}
