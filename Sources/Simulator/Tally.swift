/// What is counted in a world.
public struct Tally: Sendable {
    /// Why a radio that was at rest was used.
    public enum Cause: Int, CaseIterable, Sendable {
        case ping, register, call, message, connect, push
    }

    /// Events of the world.
    public internal(set) var events = 0
    /// Messages, and their bytes, from phones and to phones.
    public internal(set) var messagesUp = 0
    public internal(set) var messagesDown = 0
    public internal(set) var bytes = 0
    /// Pings that arrived at a node.
    public internal(set) var pings = 0
    public internal(set) var connections = 0
    public internal(set) var registrations = 0
    public internal(set) var refreshes = 0
    public internal(set) var refusedRegistrations = 0
    public internal(set) var lostFlows = 0
    /// Calls by how they ended.
    public internal(set) var outcomes = [Int](repeating: 0, count: CallRecord.Outcome.allCases.count)
    /// Calls that rang somewhere, and how long it took, in classes of 10 ms.
    public internal(set) var ringTimes = [Int](repeating: 0, count: 3001)
    /// From the wish to call to the first ring: waking up included.
    public internal(set) var reachTimes = [Int](repeating: 0, count: 3001)
    /// Calls whose other side noticed only by the silence that they were over.
    public internal(set) var silentEnds = 0
    public internal(set) var messagesSent = 0
    public internal(set) var messagesDelivered = 0
    public internal(set) var messagesAnswered = 0
    public internal(set) var messagesFailed = 0
    public internal(set) var wakeUps = [Int](repeating: 0, count: Cause.allCases.count)
    public internal(set) var pushes = 0
    public internal(set) var lostPushes = 0
    public internal(set) var crashes = 0
    public internal(set) var powerLosses = 0
    public internal(set) var partitions = 0
    public internal(set) var diskFaults = 0
    public internal(set) var deadPaths = 0
    public internal(set) var networkChanges = 0
    public internal(set) var kills = 0
    public internal(set) var commits = 0
    public internal(set) var checks = 0

    static func note(_ milliseconds: Int64, in classes: inout [Int]) {
        classes[Int(min(max(milliseconds, 0) / 10, 3000))] += 1
    }

    /// The time that so many of 1000 were within, in milliseconds; nil where there are none.
    static func quantile(_ perMille: Int, of classes: [Int]) -> Int? {
        let total = classes.reduce(0, +)
        guard total > 0 else { return nil }
        var left = (total * perMille + 999) / 1000
        for (index, count) in classes.enumerated() {
            left -= count
            if left <= 0 { return index * 10 }
        }
        return nil
    }
}
