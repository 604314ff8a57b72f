/// What has come of one stream, what was lost, and how evenly it came (RFC 3550 sections 6.4.1, A.1, A.3 and A.8).
public struct ReceptionStatistics: Hashable, Sendable {
    /// Packets that came, those that came twice among them.
    public private(set) var received: UInt64 = 0
    /// How unevenly packets come, in ticks of the timestamp.
    public private(set) var jitter = 0.0

    /// Packets that should have come in runs that are over.
    private var expectedBefore: UInt64 = 0
    private var run: Run?

    /// A run of sequence numbers of one source.
    private struct Run: Hashable {
        var source: UInt32
        var highest: UInt16
        /// How many numbers it has gone through.
        var expected: UInt64 = 1
        /// The number after one that did not fit; if it comes, the sender has begun anew.
        var restart: UInt16?
        var timestamp: UInt32
        var transit: UInt32
    }

    /// A larger step is a new beginning, when the next packet goes on from there (RFC 3550 section A.1).
    private static let dropout: UInt16 = 3000
    /// A smaller step back is a packet that was overtaken.
    private static let misorder: UInt16 = 100

    /// Nothing has come yet.
    public init() {}

    /// Packets that never came; what came twice makes up for it.
    public var lost: UInt64 {
        let expected = expectedBefore + (run?.expected ?? 0)
        return expected > received ? expected - received : 0
    }

    /// A packet came.
    ///
    /// - Parameters:
    ///   - packet: its header counts.
    ///   - arrival: when, in ticks of the timestamp since any start.
    public mutating func receive(_ packet: RTPPacket, arrival: UInt32) {
        received += 1
        let transit = arrival &- packet.timestamp
        guard var run, run.source == packet.source else { return begin(packet, transit) }
        let step = packet.sequence &- run.highest
        if step < Self.dropout {
            run.expected += UInt64(step)
            run.highest = packet.sequence
            run.restart = nil
        } else if step <= UInt16.max - Self.misorder {
            guard run.restart == packet.sequence else {
                // Alone it is a stray; it is counted when the next one shows that it was the first.
                received -= 1
                run.restart = packet.sequence &+ 1
                self.run = run
                return
            }
            return begin(packet, transit)
        }
        // Packets of one event share their timestamp (RFC 4733) and say nothing of the network.
        if packet.timestamp != run.timestamp {
            let change = Double(Int32(bitPattern: transit &- run.transit).magnitude)
            jitter += (change - jitter) / 16
            run.timestamp = packet.timestamp
            run.transit = transit
        }
        self.run = run
    }

    private mutating func begin(_ packet: RTPPacket, _ transit: UInt32) {
        expectedBefore += run?.expected ?? 0
        run = Run(source: packet.source, highest: packet.sequence, timestamp: packet.timestamp, transit: transit)
    }
}
