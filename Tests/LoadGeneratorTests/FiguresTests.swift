import Testing

@testable import LoadGenerator

@Suite("Figures of a load") struct FiguresTests {
    static func figures(scale: Int = 1) -> LoadFigures {
        var figures = LoadFigures()
        figures.registered = 90 * scale
        figures.setUpSeconds = 1.25
        figures.seconds = 10.5
        figures.ownCPU = 1000
        figures.serverCPU = 2000
        figures.serverMemory = (5000, 9000)
        figures[.setUp].begun = 100 * scale
        figures[.setUp].succeeded = 90 * scale
        figures[.setUp].failures = ["not registered: 401": 10 * scale]
        figures[.call].begun = 20 * scale
        figures[.call].succeeded = 19 * scale
        figures[.call].failures = ["a <strange> & \"long\" reason": scale]
        for time in 0..<(19 * scale) { figures[.call].times.note(Int64(time) * 1000) }
        for second in 0..<3 {
            var sample = LoadFigures.Sample()
            sample.second = second
            sample.failed = second
            sample.succeeded[Operation.call.rawValue] = 6 * scale
            sample.p50[Operation.call.rawValue] = 500
            sample.p99[Operation.call.rawValue] = Int64(1000 * scale)
            figures.samples.append(sample)
        }
        return figures
    }

    @Test("they are read from their lines as they were written")
    func lines() {
        let figures = Self.figures()
        var read = LoadFigures()
        for line in figures.lines { read.take(line) }
        #expect(read.lines == figures.lines)
        #expect(read.samples == figures.samples)
        #expect(read[.call].failures == figures[.call].failures)
    }

    @Test(
        "a line that is none changes nothing",
        arguments: ["", "x", "operation", "operation fly 1 2", "sample 1 2", "total"]
    )
    func noise(line: String) {
        var figures = Self.figures()
        figures.take(line)
        #expect(figures.lines == Self.figures().lines)
    }

    @Test("those of two processes add up, and what only one can see counts once")
    func sum() {
        var sum = Self.figures()
        var other = Self.figures(scale: 2)
        other.serverCPU = nil
        other.serverMemory = nil
        sum.add(other)
        #expect(sum.registered == 270)
        #expect(sum[.call].succeeded == 57)
        #expect(sum[.call].times.count == 57)
        #expect(sum.failed == 33)
        #expect(sum.seconds == 10.5)
        #expect(sum.ownCPU == 2000)
        #expect(sum.serverCPU == 2000)
        #expect(sum.samples.map(\.second) == [0, 1, 2])
        #expect(sum.samples[2].failed == 4)
        #expect(sum.samples[2].succeeded[Operation.call.rawValue] == 18)
        #expect(sum.samples[2].p99[Operation.call.rawValue] == 2000)
    }

    @Test("every operation is found by its name, and no other")
    func names() {
        for operation in Operation.allCases { #expect(Operation(operation.name) == operation) }
        #expect(Operation("fly") == nil)
    }

    @Test("a report names what failed and why")
    func text() {
        let text = LoadReport(Self.figures(), LoadPlan()).text
        for part in [
            "90 of 100 phones", "call failed 1 times: a <strange>", "set-up failed 10 times", "100.0 us in the server",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test("numbers have so many digits behind the point")
    func decimals() {
        #expect(LoadReport.decimal(1.25) == "1.3")
        #expect(LoadReport.decimal(0.0049, digits: 3) == "0.005")
        #expect(LoadReport.decimal(12, digits: 3) == "12.000")
        #expect(LoadReport.decimal(-1.5) == "-1.5")
        #expect([0, 999, 1000, 1_500_000].map { LoadReport.time($0) } == ["0 us", "999 us", "1.0 ms", "1.5 s"])
        #expect(LoadReport.time(nil) == "-")
    }

    @Test("text in JSON is quoted")
    func quoted() {
        #expect(LoadReport.quoted("a\"b\\c\n\u{1}ü") == "\"a\\\"b\\\\c\\u000a\\u0001ü\"")
    }
}
