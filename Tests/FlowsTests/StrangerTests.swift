import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Flows that have not authenticated") struct StrangerTests {
    @Test("are read a few a turn, and fewer while others speak", arguments: [false, true])
    func share(othersSpeak: Bool) throws {
        let harness = try Harness {
            $0.strangersPerTurn = 2
            $0.strangersPerQuietTurn = 5
        }
        let (known, flow) = try harness.connect()
        harness.receiver.outbox.append(.keepAlive(flow, nil))
        harness.carrier.turnEnded()
        let strangers = try (0..<8).map { _ in try harness.connect() }
        if othersSpeak {
            known.write(request())
            try harness.run { harness.receiver.events[flow]?.count == 2 }
        }
        for (client, _) in strangers { client.write(request()) }
        func heard() -> Int { strangers.count { harness.receiver.events[$0.flow]?.count == 2 } }
        try harness.loop.runTurn()
        #expect(heard() == (othersSpeak ? 2 : 5))
        // Nobody is forgotten.
        try harness.run { heard() == 8 }
    }
}
