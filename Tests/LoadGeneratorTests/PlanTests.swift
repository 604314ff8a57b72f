import Testing

@testable import LoadGenerator

@Suite("A plan shared by processes") struct PlanTests {
    private func parts(of plan: LoadPlan, _ count: Int) -> [LoadPlan] {
        (0..<count).map { part in
            var own = plan
            own.share(part, of: count)
            return own
        }
    }

    private func numbers(_ plan: LoadPlan) -> [Int] { Array(plan.firstPhone..<(plan.firstPhone + plan.phones)) }

    @Test("each phone is in one of them, and the paces add up", arguments: [1, 2, 3, 7])
    func shared(count: Int) {
        var plan = LoadPlan()
        plan.firstPhone = 40
        plan.phones = 100
        plan.ramp = 700
        plan.serverProcess = 17
        plan.paces = [(.call, .rate(from: 10, to: 50)), (.ping, .window(32))]
        let parts = parts(of: plan, count)
        #expect(parts.flatMap(numbers) == Array(40..<140))
        #expect(abs(parts.reduce(0) { $0 + $1.ramp } - 700) < 0.001)
        var rate = 0.0
        var window = 0
        for part in parts {
            for (_, pace) in part.paces {
                switch pace {
                case .rate(_, let to): rate += to
                case .window(let open): window += open
                }
            }
        }
        #expect(abs(rate - 50) < 0.001)
        #expect(window == 32)
        #expect(parts.map { $0.serverProcess != nil } == [true] + Array(repeating: false, count: count - 1))
    }

    @Test("the steady phones of a storm have a process of their own, for which the others wait", arguments: [2, 4])
    func storm(count: Int) {
        var plan = LoadPlan()
        plan.phones = 100
        plan.steady = 20
        plan.storm = true
        plan.ramp = 10
        plan.paces = [(.call, .rate(from: 5, to: 5))]
        let parts = parts(of: plan, count)
        #expect(numbers(parts[0]) == Array(0..<20))
        #expect(parts[0].steady == 20 && parts[0].paces.count == 1 && parts[0].ramp == 10)
        #expect(parts.dropFirst().flatMap(numbers) == Array(20..<100))
        #expect(parts.dropFirst().allSatisfy { $0.steady == 0 && $0.paces.isEmpty && $0.setUpAtLeast == 2 })
    }

    @Test("a storm without steady phones is shared as any load")
    func bareStorm() {
        var plan = LoadPlan()
        plan.storm = true
        #expect(parts(of: plan, 2).map(\.phones) == [50, 50])
    }

    @Test("names and passwords are numbered, wherever the number stands and however often")
    func names() {
        var plan = LoadPlan()
        #expect(plan.userName(7) == "u7" && plan.password(7) == "pw7")
        plan.user = "{n}-phone-{n}"
        plan.password = "secret"
        #expect(plan.userName(7) == "7-phone-7" && plan.password(7) == "secret")
    }
}
