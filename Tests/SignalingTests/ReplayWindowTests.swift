import TestSupport
import Testing

@testable import Signaling

@Suite("Replay window")
struct ReplayWindowTests {
    @Test("each count passes once, in any order within 64")
    func counts() {
        var window = ReplayWindow(capacity: 32, limit: 32)
        let order: [UInt32] = [1, 3, 2, 70, 69, 7, 6, 1, 3, 70, 71, 7]
        let passed = order.map { window.use(42, issued: 10, count: $0) }
        #expect(passed == [true, true, true, true, true, true, false, false, false, false, true, false])
    }

    @Test("no count of any nonce ever passes twice, however many there are", arguments: [32, 64, 256, 2048])
    func neverTwice(limit: Int) {
        var window = ReplayWindow(capacity: 32, limit: limit)
        var passed: Set<UInt64> = []
        var state: UInt64 = 11
        for step in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1
            let id = state >> 54
            let count = UInt32(state >> 40 & 7) + 1
            let isFresh = window.use(id, issued: Int64(id), count: count)
            let isNew = passed.insert(id << 8 | UInt64(count)).inserted
            if isFresh { #expect(isNew, "step \(step)") } else { passed.remove(isNew ? id << 8 | UInt64(count) : .max) }
        }
        #expect(passed.count > 20)
    }

    /// Nonces as a server makes them, ten in a millisecond.
    private func nonces(_ count: Int, seed: UInt64) -> [(id: UInt64, issued: Int64)] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { (random.next(), Int64($0 / 10)) }
    }

    @Test("a hundred thousand nonces in use at once do not disturb one another", arguments: 0..<8 as Range<UInt64>)
    func crowd(seed: UInt64) {
        var window = ReplayWindow()
        let nonces = nonces(100_000, seed: seed)
        // The oldest last, which is what a table without room refuses.
        let refused = nonces.reversed().count { !window.use($0.id, issued: $0.issued, count: 1) }
        #expect(refused == 0)
        let next = nonces.count { window.use($0.id, issued: $0.issued, count: 2) }
        #expect(next == nonces.count)
        let again = nonces.count { window.use($0.id, issued: $0.issued, count: 1) }
        #expect(again == 0)
    }

    @Test("nonces whose time is over make room before the table grows or anybody is refused")
    func expired() {
        var window = ReplayWindow(capacity: 1 << 10, limit: 1 << 10)
        // Some 200 are in use at a time.
        let refused = nonces(100_000, seed: 3).count {
            !window.use($0.id, issued: $0.issued, count: 1, oldest: $0.issued - 20)
        }
        #expect(refused == 0)
    }

    @Test("a nonce of the number that stands for none is stale")
    func zero() {
        var window = ReplayWindow(capacity: 32)
        #expect(!window.use(0, issued: 10, count: 1) && !window.use(0, issued: 0, count: 1))
    }
}
