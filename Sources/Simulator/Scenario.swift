/// What kind of world is to be simulated.
public struct Scenario: Sendable {
    /// Phones in all.
    public var phones = 1000
    /// Hours of the world's time.
    public var hours = 1.0
    /// The seed: the same gives the same world.
    public var seed: UInt64 = 1
    /// Nodes; each serves its share of the users, who call each other.
    public var nodes = 1
    /// Calls that each phone makes in 24 hours, on the average.
    public var callsPerDay = 2.0
    /// Messages that each phone sends in 24 hours, on the average.
    public var messagesPerDay = 2.0
    /// The Flow-Timer clients are given, in seconds.
    public var flowTimer = 270
    /// How many faults there are: 0 for none, 1 for what a bad day brings.
    public var faults = 1.0
    /// The share of users who have two devices.
    public var twoDevices = 0.2

    /// A small world for an hour, with faults.
    public init() {}

    /// A small and busy world whose kind follows from its seed: from none to fifteen times the faults of a bad day, one to
    /// three nodes, Flow-Timers that carriers put up with, and some that they don't.
    public static func varied(seed: UInt64) -> Scenario {
        var scenario = Scenario()
        scenario.seed = seed
        scenario.phones = 100 + Int(seed % 7) * 20
        scenario.hours = 1.5
        scenario.callsPerDay = 60
        scenario.messagesPerDay = 100
        scenario.faults = Double(seed % 15)
        scenario.nodes = 1 + Int(seed % 3)
        scenario.flowTimer = seed % 2 == 0 ? 840 : 270
        return scenario
    }
}
