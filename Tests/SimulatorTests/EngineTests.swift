import Testing

@testable import Simulator

@Suite("The engine of a world") struct EngineTests {
    @Test(
        "events come in order of time, and in the order in which they were arranged",
        arguments: [700, 90_000, 40_000_000, 90_000_000_000] as [Int64]
    )
    func order(_ farthest: Int64) {
        var random = SeededRandom(seed: 5, stream: 1)
        var queue = EventQueue()
        var waiting: [(time: Int64, number: Int32)] = []
        var now: Int64 = 0
        func next() -> Int? { waiting.indices.min { (waiting[$0].time, $0) < (waiting[$1].time, $1) } }
        for number in 0..<500 {
            // Near and far, and now and then for the same moment.
            let time = now + (random.happens(0.2) ? 0 : random.within(0...(random.happens(0.5) ? 700 : farthest)))
            queue.arrange(Event(.dial, number), at: time)
            waiting.append((time, Int32(number)))
            guard number % 3 == 0, let place = next() else { continue }
            let end = now + random.within(0...farthest)
            let taken = queue.take(until: end)
            if waiting[place].time <= end {
                #expect(taken?.time == waiting[place].time && taken?.event.first == waiting[place].number)
                now = waiting.remove(at: place).time
            } else {
                #expect(taken == nil)
                now = end
            }
        }
        while let place = next() {
            #expect(queue.take(until: .max)?.event.first == waiting.remove(at: place).number)
        }
        #expect(queue.take(until: .max) == nil)
        #expect(queue.count == 0)
    }

    @Test("a stream is the same for the same seed, and another for another stream")
    func streams() {
        var first = SeededRandom(seed: 7, stream: 1)
        var again = SeededRandom(seed: 7, stream: 1)
        var other = SeededRandom(seed: 7, stream: 2)
        let words = (0..<100).map { _ in first.next() }
        #expect(words == (0..<100).map { _ in again.next() })
        #expect(words != (0..<100).map { _ in other.next() })
    }

    @Test("draws keep within their bounds, and near their mean")
    func bounds() {
        var random = SeededRandom(seed: 9, stream: 1)
        var sum = 0.0
        for _ in 0..<20_000 {
            #expect((3...9).contains(random.within(3...9)))
            sum += Double(random.pause(mean: 1000))
        }
        #expect(abs(sum / 20_000 - 1000) < 30)
    }

    @Test("quantiles are those of the classes")
    func quantiles() {
        var classes = [Int](repeating: 0, count: 3001)
        for milliseconds in 1...1000 { Tally.note(Int64(milliseconds), in: &classes) }
        #expect(Tally.quantile(500, of: classes) == 500)
        #expect(Tally.quantile(990, of: classes) == 990)
        #expect(Tally.quantile(500, of: [Int](repeating: 0, count: 10)) == nil)
    }
}
