/// What is counted in a world.
public struct Tally: Sendable {
    /// Why a radio that was at rest was used.
    enum Cause: Int, CaseIterable {
        case ping, register, call, message, connect, push
    }

    /// Events of the world.
    public internal(set) var events = 0
    /// Messages, and their bytes, from phones and to phones.
    var messagesUp = 0
    var messagesDown = 0
    var bytes = 0
    /// Pings that arrived at a node.
    var pings = 0
    var connections = 0
    var registrations = 0
    var refreshes = 0
    var refusedRegistrations = 0
    var lostFlows = 0
    /// Calls by how they ended.
    var outcomes = [Int](repeating: 0, count: CallRecord.Outcome.allCases.count)
    /// Calls that rang somewhere, and how long it took, in classes of 10 ms.
    var ringTimes = [Int](repeating: 0, count: 3001)
    /// From the wish to call to the first ring: waking up included.
    var reachTimes = [Int](repeating: 0, count: 3001)
    /// Calls whose other side noticed only by the silence that they were over.
    var silentEnds = 0
    var messagesSent = 0
    var messagesDelivered = 0
    var messagesAnswered = 0
    var messagesFailed = 0
    var wakeUps = [Int](repeating: 0, count: Cause.allCases.count)
    var pushes = 0
    var lostPushes = 0
    var crashes = 0
    var powerLosses = 0
    var partitions = 0
    var diskFaults = 0
    var deadPaths = 0
    var networkChanges = 0
    var kills = 0
    var commits = 0
    var checks = 0

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
