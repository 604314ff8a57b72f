import CAllocations
import Glibc

/// One thing to measure: done over and over, it counts time and allocations of one go.
struct Benchmark {
    var name: String
    /// Goes of one measurement.
    var rounds: Int
    /// Does it so many times; gives a number that depends on what was done, so that nothing is left out.
    var body: (Int) -> Int
    /// Counts allocations: of the process, or of the part that is measured.
    var allocations: () -> UInt64 = wl_allocations

    struct Result {
        var name: String
        /// The least time of a go over all measurements, in nanoseconds.
        var nanoseconds: Double
        /// Allocations of a go.
        var allocations: Double
    }

    /// Measures after one round of warm-up.
    func measure(repeats: Int = 7) -> Result {
        var best = Double.infinity
        var allocations = 0.0
        var sum = body(rounds)
        for _ in 0..<repeats {
            let before = self.allocations()
            let start = Self.processorTime()
            sum &+= body(rounds)
            let time = Self.processorTime() - start
            best = min(best, Double(time) / Double(rounds))
            allocations = Double(self.allocations() - before) / Double(rounds)
        }
        withExtendedLifetime(sum) {}
        return Result(name: name, nanoseconds: best, allocations: allocations)
    }

    /// Processor time of this thread, in nanoseconds.
    private static func processorTime() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
