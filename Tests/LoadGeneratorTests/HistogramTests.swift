import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Times in classes") struct HistogramTests {
    /// Times of all sizes, from a seed.
    private func times(_ count: Int, seed: UInt64) -> [Int64] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in
            let bits = Int.random(in: 0...40, using: &random)
            return Int64.random(in: 0...(1 << bits), using: &random)
        }
    }

    @Test("a quantile is that of the sorted list, within 1.6 %", arguments: [1, 2, 10, 1000, 20_000])
    func quantiles(count: Int) {
        let times = times(count, seed: UInt64(count))
        var histogram = Histogram()
        for time in times { histogram.note(time) }
        let sorted = times.sorted()
        for share in [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1] {
            let place = max(1, Int((Double(count) * share).rounded(.up)))
            let exact = sorted[place - 1]
            let found = histogram.quantile(share) ?? -1
            #expect(found >= exact && Double(found - exact) <= Double(exact) * 0.016, "\(share) of \(count)")
        }
        #expect(histogram.count == count)
        #expect(histogram.longest == sorted.last)
        #expect(histogram.mean == times.reduce(0, +) / Int64(count))
    }

    @Test("without times there is no quantile, and a time before its beginning is none")
    func edges() {
        #expect(Histogram().quantile(0.5) == nil)
        #expect(Histogram().mean == 0)
        var histogram = Histogram()
        histogram.note(-5)
        #expect(histogram.quantile(1) == 0)
        histogram.note(.max)
        #expect(histogram.quantile(1) == .max)
    }

    @Test("two of them add up to what one would have noted")
    func sum() {
        let times = times(500, seed: 7)
        var parts = [Histogram(), Histogram()]
        var whole = Histogram()
        for (index, time) in times.enumerated() {
            parts[index % 2].note(time)
            whole.note(time)
        }
        var sum = parts[0]
        sum.add(parts[1])
        #expect(sum.text == whole.text)
    }

    @Test("its text is read as it was written")
    func text() throws {
        var histogram = Histogram()
        for time in times(300, seed: 9) { histogram.note(time) }
        let read = try #require(Histogram(Substring(histogram.text)))
        #expect(read.text == histogram.text)
        #expect(read.quantile(0.5) == histogram.quantile(0.5))
        #expect(Histogram(Substring(Histogram().text))?.count == 0)
    }

    @Test(
        "what is no such text is refused",
        arguments: ["", "1 2", "1 2 x", "1 2 3 4", "1 2 3 9999999:1", "1 2 3 -1:1"]
    )
    func refused(text: String) {
        #expect(Histogram(Substring(text)) == nil)
    }
}
