import Testing

@testable import Simulator

@Suite("The engine of a world") struct EngineTests {
    @Test("events come in order of time, and in the order in which they were arranged")
    func order() {
        var random = SeededRandom(seed: 5, stream: 1)
        var queue = EventQueue()
        var expected: [(time: Int64, number: Int32)] = []
        for number in 0..<5000 {
            let time = random.within(0...700)
            queue.arrange(Event(.dial, number), at: time)
            expected.append((time, Int32(number)))
            if number % 7 == 0, let taken = queue.take() {
                let place = expected.indices.min { (expected[$0].time, $0) < (expected[$1].time, $1) } ?? 0
                #expect(taken.event.first == expected.remove(at: place).number)
            }
        }
        let rest = expected.sorted { ($0.time, $0.number) < ($1.time, $1.number) }.map(\.number)
        var taken: [Int32] = []
        while let entry = queue.take() { taken.append(entry.event.first) }
        #expect(taken == rest)
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
