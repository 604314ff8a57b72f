import Testing

@testable import LoadGenerator

@Suite("Service levels") struct ServiceLevelTests {
    private static let judgements: [(String, Bool, String)] = [
        ("registered=100%", false, "90 of 100"), ("registered>89%", true, "90 of 100"),
        ("registered=90%", true, "90 of 100"),
        ("failed<10%", true, "11 of 120"), ("failed<9%", false, "11 of 120"),
        ("call.failed<5%", false, "1 of 20"), ("call.failed<5.1%", true, "1 of 20"),
        ("call.failed=5%", true, "1 of 20"),
        ("call.rate>1", true, "2 a second"), ("call.rate>2", false, "2 a second"),
        ("call.p50<10ms", true, "9.1 ms"), ("call.p50<9ms", false, "9.1 ms"),
        ("call.p99.9<1s", true, "18.0 ms"), ("call.p0<1us", true, "0 us"),
        // Nothing measured is nothing reached.
        ("message.p99<1s", false, "nothing measured"), ("message.failed<1%", false, "0 of 0"),
    ]

    @Test("are judged by what was reached", arguments: judgements)
    func judged(text: String, isMet: Bool, reached: String) throws {
        let verdict = try ServiceLevel(text).judge(FiguresTests.figures(), phones: 100)
        #expect(verdict.isMet == isMet)
        #expect(verdict.reached == reached)
    }

    @Test("no failure is less than any share")
    func none() throws {
        var figures = FiguresTests.figures()
        figures[.call].failures = [:]
        #expect(try ServiceLevel("call.failed<0%").judge(figures, phones: 100).isMet)
        #expect(try ServiceLevel("call.failed=0%").judge(figures, phones: 100).isMet)
    }

    private static let mistakes: [(String, ServiceLevelError)] = [
        ("call.p99", ServiceLevelError.noComparison("call.p99")),
        ("fly.p99<1ms", .unknownOperation("fly")),
        ("call.best<1ms", .unknownFigure("best")), ("call.p101<1ms", .unknownFigure("p101")),
        ("call<1ms", .unknownFigure("call<1ms")), ("call.a.b<1", .unknownFigure("a.b")),
        ("call.p99<1", .badValue("1", wanted: "a time: 50ms")),
        ("call.p99<-1ms", .badValue("-1ms", wanted: "a time: 50ms")),
        ("failed<1", .badValue("1", wanted: "a share: 0.1%")),
        ("failed<101%", .badValue("101%", wanted: "a share: 0.1%")),
        ("call.rate>fast", .badValue("fast", wanted: "operations a second: 450")),
    ]

    @Test("what can't be read is refused with the mend", arguments: mistakes)
    func refused(text: String, error: ServiceLevelError) {
        #expect(throws: error) { try ServiceLevel(text) }
        #expect(!error.description.isEmpty)
    }
}
