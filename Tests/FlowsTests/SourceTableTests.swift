import Observability
import SIP
import Testing

@testable import Flows

@Suite("Limits of sources")
struct SourceTableTests {
    private func at(_ milliseconds: Int64) -> Instant { Instant(milliseconds: milliseconds) }

    @Test("a source may have so many connections, and one more when one is gone")
    func connections() {
        var table = SourceTable()
        let phone = SocketAddress(ipv4: 0xc000_0201, port: 1)
        let other = SocketAddress(ipv4: 0xc000_0202, port: 1)
        let results = [phone, phone, phone, other].map { table.open($0, most: 2, rate: .none, at: at(5)) }
        #expect(results == [true, true, false, true])
        table.close(phone, rate: .none, at: at(5))
        let later = [phone, phone].map { table.open($0, most: 2, rate: .none, at: at(5)) }
        #expect(later == [true, false])
    }

    @Test("an IPv6 source is a /64")
    func blocks() {
        var table = SourceTable()
        let results = [(7, 1), (7, 2), (8, 1)].map { high, low in
            table.open(SocketAddress(high: high, low: low, port: 1), most: 1, rate: .none, at: at(5))
        }
        #expect(results == [true, false, true])
    }

    @Test("connections come so fast and no faster, and who left is forgotten")
    func rate() {
        var table = SourceTable()
        let rate = RateLimit(perSecond: 10, burst: 5)
        var time: Int64 = 1000
        func admitted(_ count: Int) -> Int {
            (0..<count).count { _ in
                let phone = SocketAddress(ipv4: 1, port: 1)
                guard table.open(phone, most: 0, rate: rate, at: at(time)) else { return false }
                table.close(phone, rate: rate, at: at(time))
                return true
            }
        }
        #expect(admitted(10) == 5)
        time += 200
        #expect(admitted(10) == 2)
        #expect(table.count == 1)
        time += 1000
        let other = SocketAddress(ipv4: 2, port: 1)
        let isWithin = table.open(other, most: 0, rate: rate, at: at(time))
        #expect(isWithin)
        #expect(table.count == 1)
    }

    @Test("the carrier closes what is too much, and trusted sources have no limit", arguments: [false, true])
    func carrier(isTrusted: Bool) throws {
        let harness = try Harness {
            $0.connectionsPerSource = 2
            $0.trusted = isTrusted ? [try! CIDR("127.0.0.0/8")] : []
        }
        let first = try harness.connect()
        let second = try harness.connect()
        let third = try Client(to: harness.address)
        guard !isTrusted else { return try harness.run { harness.receiver.openCount == 3 } }
        try harness.run {
            third.poll()
            return third.isAtEnd || third.error != 0
        }
        #expect(harness.receiver.openCount == 2)
        #expect(harness.carrier.counters.overSourceLimit == 1)
        #expect(harness.sink.lines.count { $0.level == .warning } == 1)
        harness.receiver.outbox.append(.close(first.flow, .replaced))
        try harness.run { harness.receiver.openCount == 1 }
        _ = try harness.connect()
        withExtendedLifetime(second) {}
    }
}
