import Testing

@testable import Signaling

@Suite("Replay window")
struct ReplayWindowTests {
    @Test("each count passes once, in any order within 64")
    func counts() {
        var window = ReplayWindow(capacity: 32)
        let order: [UInt32] = [1, 3, 2, 70, 69, 7, 6, 1, 3, 70, 71, 7]
        let passed = order.map { window.use(42, issued: 10, count: $0) }
        #expect(passed == [true, true, true, true, true, true, false, false, false, false, true, false])
    }

    @Test("no count of any nonce ever passes twice, however many there are")
    func neverTwice() {
        var window = ReplayWindow(capacity: 32)
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

    @Test("thousands of nonces in use at once do not disturb one another")
    func crowd() {
        var window = ReplayWindow()
        var state: UInt64 = 5
        let nonces = (0..<15_000).map { index in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (id: state ^ state >> 29, issued: Int64(index / 10))
        }
        let refused = nonces.reversed().count { !window.use($0.id, issued: $0.issued, count: 1) }
        #expect(refused == 0)
        let again = nonces.count { window.use($0.id, issued: $0.issued, count: 1) }
        #expect(again == 0)
    }
}
