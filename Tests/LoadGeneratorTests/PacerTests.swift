import Testing

@testable import LoadGenerator

@Suite("Paces") struct PacerTests {
    /// How many a pace has begun after each tenth of a second.
    private func begun(_ pace: Pace, seconds: Int, open: Int = 0) -> [Int] {
        var pacer = Pacer(.ping, pace)
        var sum = 0
        return (1...(seconds * 10)).map { tenth in
            sum += pacer.due(at: Double(tenth) / 10, of: Double(seconds), open: open)
            return sum
        }
    }

    @Test("a rate is kept, whatever is under way")
    func rate() {
        let begun = begun(.rate(from: 50, to: 50), seconds: 4, open: 1000)
        #expect(begun[9] == 50)
        #expect(begun[39] == 200)
        #expect(begun.enumerated().allSatisfy { abs($0.element - ($0.offset + 1) * 5) <= 1 })
    }

    @Test("less than one a turn adds up")
    func slow() { #expect(begun(.rate(from: 0.5, to: 0.5), seconds: 10).last == 5) }

    @Test("what was late is made up for")
    func late() {
        var pacer = Pacer(.ping, .rate(from: 100, to: 100))
        #expect(pacer.due(at: 3, of: 10, open: 0) == 300)
        #expect(pacer.due(at: 3, of: 10, open: 0) == 0)
    }

    @Test("a ramp grows from one rate to the other, up or down", arguments: [(0.0, 100.0), (100.0, 0.0)])
    func ramp(from: Double, to: Double) {
        let begun = begun(.rate(from: from, to: to), seconds: 10)
        #expect(begun[99] == 500)
        // The first half of a triangle is a quarter of it, or three.
        #expect(begun[49] == (from < to ? 125 : 375))
    }

    @Test("a window is filled, and never overfilled")
    func window() {
        var pacer = Pacer(.call, .window(32))
        #expect(pacer.due(at: 0, of: 1, open: 0) == 32)
        #expect(pacer.due(at: 0, of: 1, open: 30) == 2)
        #expect(pacer.due(at: 0, of: 1, open: 33) == 0)
    }
}

@Suite("Phones that rest") struct QueueTests {
    @Test("the one that has rested longest is taken first, however it grows and turns")
    func order() {
        var queue = Queue<Int32>()
        #expect(queue.take() == nil)
        var next: Int32 = 0
        var expected: Int32 = 0
        for round in 0..<400 {
            for _ in 0..<(round % 7 + 1) {
                queue.add(next)
                next += 1
            }
            for _ in 0..<(round % 5) {
                #expect(queue.take() == expected)
                expected += 1
            }
            #expect(queue.count == Int(next - expected) && queue.first == (next > expected ? expected : nil))
        }
        while let phone = queue.take() {
            #expect(phone == expected)
            expected += 1
        }
        #expect(expected == next)
    }
}
