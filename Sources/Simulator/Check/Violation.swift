/// A rule of the world that was broken.
public struct Violation: Error, Sendable, CustomStringConvertible {
    /// The rules, by their number.
    public enum Rule: Int, Sendable {
        /// Every request gets a final answer in time; every call rings, fails or is cancelled, and ends.
        case everythingEnds = 1
        /// What was acknowledged survives every crash.
        case durable
        /// One flow for each instance and reg-id, one ring for each device and call, and none for long after it was over.
        case oneRing
        /// A phone that can be reached rings within its budget.
        case rings
        /// Tables are empty when all is quiet.
        case tidy
        /// A request is delivered to the right device only.
        case rightDevice
        /// No phone is woken by what could wait.
        case quiet
    }

    /// Which rule.
    public var rule: Rule
    /// The seed of the world.
    public var seed: UInt64
    /// When, in milliseconds since the world began.
    public var time: Int64
    /// What was seen.
    public var what: String
    /// What is known of the call or phone concerned, oldest first.
    public var journal: [String]

    /// All of it, for people.
    public var description: String {
        (["rule \(rule.rawValue) (\(rule)) broken at \(WorldTime(time)), seed \(seed): \(what)"]
            + journal.map { "    " + $0 })
            .joined(separator: "\n")
    }
}
