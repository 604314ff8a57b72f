import SIP
import TestSupport
import Testing

@Suite("Timer wheel")
struct TimerWheelTests {
    @Test("timers expire in order, never early and never late", arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func agreesWithSortedList(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var now: Int64 = Int64(random.next() % 1_000_000)
        var wheel = TimerWheel<Int>(now: Instant(milliseconds: now))
        var expected: [Int: Int64] = [:]
        var ids: [Int: TimerWheel<Int>.TimerID] = [:]
        for step in 0..<4000 {
            switch random.next() % 4 {
            case 0, 1:
                let deadline = now + Int64(random.next() % (1 << (random.next() % 32 + 1)))
                ids[step] = wheel.arm(at: Instant(milliseconds: deadline), step)
                expected[step] = deadline
            case 2:
                guard let victim = expected.keys.min(), let id = ids[victim] else { continue }
                if random.next() % 2 == 0 {
                    wheel.cancel(id)
                    expected[victim] = nil
                } else {
                    let deadline = now + Int64(random.next() % 100_000)
                    let moved = wheel.rearm(id, at: Instant(milliseconds: deadline))
                    #expect(moved)
                    expected[victim] = deadline
                }
            default:
                let target = now + Int64(random.next() % (1 << (random.next() % 24)))
                if let first = expected.values.min(), let next = wheel.nextDeadline {
                    #expect(next.milliseconds <= max(first, now))
                }
                var last = Int64.min
                while let payload = wheel.expire(at: Instant(milliseconds: target)) {
                    let deadline = expected.removeValue(forKey: payload)
                    #expect(deadline != nil && deadline ?? .max <= target)
                    #expect(max(deadline ?? 0, now) >= last)
                    last = max(deadline ?? 0, now)
                }
                now = target
                #expect(expected.values.allSatisfy { $0 > now })
            }
            #expect(wheel.count == expected.count)
        }
    }

    @Test("a stale identity does nothing")
    func staleIdentity() {
        var wheel = TimerWheel<Int>(now: Instant(milliseconds: 0))
        let first = wheel.arm(at: Instant(milliseconds: 5), 1)
        let expired = wheel.expire(at: Instant(milliseconds: 5))
        #expect(expired == 1)
        _ = wheel.arm(at: Instant(milliseconds: 9), 2)
        wheel.cancel(first)
        #expect(wheel.count == 1)
        #expect(!wheel.isArmed(first))
    }

    @Test("a deadline beyond the wheel's reach is kept")
    func farAway() {
        var wheel = TimerWheel<Int>(now: Instant(milliseconds: 7))
        let far = Int64(1) << 45
        _ = wheel.arm(at: Instant(milliseconds: far), 1)
        let early = wheel.expire(at: Instant(milliseconds: far - 1))
        let due = wheel.expire(at: Instant(milliseconds: far))
        #expect(early == nil)
        #expect(due == 1)
    }
}
