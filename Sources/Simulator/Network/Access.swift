/// How a phone gets to the network: what it costs, and what goes wrong.
struct Access {
    /// One way, in milliseconds.
    var latency: ClosedRange<Int64>
    /// Idle connections that the way forgets after so many milliseconds.
    var idleTimeout: Int64
    /// How often a connection breaks: the mean time between two breaks, in hours.
    var breakHours: Double
    /// The share of breaks that nobody is told of.
    var silentBreaks: Double

    /// Wires, home networks, and carriers that forget idle connections sooner or later.
    static let all: [Access] = [
        Access(latency: 1...3, idleTimeout: 7_440_000, breakHours: 240, silentBreaks: 0.2),
        Access(latency: 5...25, idleTimeout: 3_600_000, breakHours: 24, silentBreaks: 0.4),
        Access(latency: 30...120, idleTimeout: 1_680_000, breakHours: 8, silentBreaks: 0.5),
        Access(latency: 40...250, idleTimeout: 600_000, breakHours: 6, silentBreaks: 0.6),
        Access(latency: 60...400, idleTimeout: 290_000, breakHours: 4, silentBreaks: 0.7),
    ]
    /// The first that is a carrier's: a phone may move from one to another.
    static let firstMobile = 1
}
