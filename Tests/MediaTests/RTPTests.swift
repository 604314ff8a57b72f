import Media
import TestSupport
import Testing

@Suite("RTP")
struct RTPTests {
    private func read(_ bytes: [UInt8]) -> Result<RTPPacket, RTPFault> {
        do throws(RTPFault) { return .success(try RTPPacket(bytes.span)) } catch { return .failure(error) }
    }

    @Test("a packet is written as RFC 3550 draws it")
    func written() {
        let packet = RTPPacket(
            payloadType: 8,
            isMarked: true,
            sequence: 0x1234,
            timestamp: 0x5678_9abc,
            source: 0xdef0_1122,
            payload: [1, 2]
        )
        var out: [UInt8] = [9, 9]
        packet.write(to: &out)
        #expect(out == [0x80, 0x88, 0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 0x11, 0x22, 1, 2])
        #expect(read(out) == .success(packet))
    }

    @Test(
        "contributing sources, extension and padding are passed over",
        arguments: [
            ([0x80], [], [], [7]),
            ([0x82], [1, 1, 1, 1, 2, 2, 2, 2], [], [7]),
            ([0x90], [0, 0, 0, 1, 3, 3, 3, 3], [], [7]),
            ([0xb1], [1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 3], [7, 8]),
            ([0xa0], [], [1], []),
        ] as [([UInt8], [UInt8], [UInt8], [UInt8])]
    )
    func extras(first: [UInt8], header: [UInt8], padding: [UInt8], payload: [UInt8]) {
        let bytes = first + [0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3] + header + payload + padding
        #expect(
            read(bytes) == .success(RTPPacket(payloadType: 0, sequence: 1, timestamp: 2, source: 3, payload: payload))
        )
    }

    @Test(
        "what is none says why",
        arguments: [
            ([], .tooShort), ([0x80] + [UInt8](repeating: 0, count: 10), .tooShort),
            ([0x40] + [UInt8](repeating: 0, count: 11), .version),
            ([0x81] + [UInt8](repeating: 0, count: 11), .tooShort),
            ([0x90] + [UInt8](repeating: 0, count: 14), .tooShort),
            ([0x90] + [UInt8](repeating: 0, count: 13) + [255, 255], .tooShort),
            ([0xa0] + [UInt8](repeating: 0, count: 12), .padding),
            ([0xa0] + [UInt8](repeating: 0, count: 11) + [2], .padding),
        ] as [([UInt8], RTPFault)]
    )
    func malformed(bytes: [UInt8], fault: RTPFault) {
        #expect(read(bytes) == .failure(fault))
    }

    @Test("no bytes trap, and what is read is written and read the same", arguments: 1...4 as ClosedRange<UInt64>)
    func random(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for round in 0..<5000 {
            var bytes = (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if !bytes.isEmpty, !random.once(in: 8) { bytes[0] = bytes[0] & 0x3f | 0x80 }
            guard case .success(let packet) = read(bytes) else { continue }
            var out: [UInt8] = []
            packet.write(to: &out)
            if read(out) != .success(packet) { Issue.record("seed \(seed), round \(round)") }
        }
    }

    /// Packets 20 ms apart, as (sequence, arrival in samples); the timestamps follow the sequence from the first.
    private func statistics(_ packets: [(UInt16, UInt32)], source: UInt32 = 1) -> ReceptionStatistics {
        var statistics = ReceptionStatistics()
        for (sequence, arrival) in packets {
            let timestamp = UInt32(sequence &- packets[0].0) &* 160
            let packet = RTPPacket(
                payloadType: 0,
                sequence: sequence,
                timestamp: timestamp,
                source: source,
                payload: []
            )
            statistics.receive(packet, arrival: arrival)
        }
        return statistics
    }

    @Test(
        "loss is counted by sequence",
        arguments: [
            ([], 0, 0), ([5], 1, 0), ([5, 6, 7], 3, 0), ([5, 9], 2, 3), ([65_534, 65_535, 0, 1], 4, 0),
            ([65_534, 1], 2, 2), ([5, 7, 6, 8], 4, 0), ([5, 5, 5, 8], 4, 0),
            // A stray alone does not count; two in a row are a new beginning.
            ([5, 30_000, 6], 2, 0), ([5, 7, 30_000, 30_001, 30_003], 4, 2),
        ] as [([UInt16], UInt64, UInt64)]
    )
    func loss(sequences: [UInt16], received: UInt64, lost: UInt64) {
        let statistics = statistics(sequences.map { ($0, 0) })
        #expect(statistics.received == received && statistics.lost == lost)
    }

    @Test("another source is a new beginning, not a loss")
    func sources() {
        var statistics = statistics([(5, 0), (6, 160)])
        for (source, sequence) in [(2, 40_000), (2, 40_002)] as [(UInt32, UInt16)] {
            let packet = RTPPacket(payloadType: 0, sequence: sequence, timestamp: 9, source: source, payload: [])
            statistics.receive(packet, arrival: 320)
        }
        #expect(statistics.received == 4 && statistics.lost == 1)
    }

    @Test("jitter is none for an even stream, and a sixteenth of each unevenness")
    func jitter() {
        #expect(statistics((0..<50).map { ($0, UInt32($0) * 160 + 77) }).jitter == 0)
        #expect(statistics([(0, 0), (1, 160 + 32)]).jitter == 2)
        #expect(statistics([(0, 0), (1, 160 - 32), (2, 320 - 32)]).jitter == 2 - 2.0 / 16)
        // The clock of arrival goes from its end to its beginning.
        #expect(statistics([(0, .max - 79), (1, 80)]).jitter == 0)
    }
}
