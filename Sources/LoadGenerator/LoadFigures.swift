/// What a load has shown: for each operation how many succeeded and failed, why, and how long they took.
public struct LoadFigures: Sendable {
    /// One kind of operation.
    public struct Figures: Sendable {
        /// Begun within the time that counts.
        public var begun = 0
        /// Ended as they should.
        public var succeeded = 0
        /// Failures by kind.
        public var failures: [String: Int] = [:]
        /// How long the successful ones took.
        public var times = Histogram()

        /// Failures in all.
        public var failed: Int { failures.values.reduce(0, +) }
    }

    /// By operation.
    public var operations = [Figures](repeating: Figures(), count: Operation.allCases.count)
    /// Phones that are registered at the end.
    public var registered = 0
    /// Seconds from the first connection to the last registration.
    public var setUpSeconds = 0.0
    /// Seconds that count.
    public var seconds = 0.0
    /// CPU time of this load, in microseconds, within the time that counts.
    public var ownCPU: Int64 = 0
    /// CPU time of the server within it; nil where it was not asked for, or can't be read.
    public var serverCPU: Int64?
    /// Memory of the server in bytes (PSS) before the first connection and at the end of the set-up; where phones only rest,
    /// at the end of that.
    public var serverMemory: (before: Int64, after: Int64)?
    /// What was seen each second: operations that ended, failures, and the p99 of the operation that is most.
    public var samples: [Sample] = []

    /// One second.
    public struct Sample: Sendable, Equatable {
        /// Which, from 0.
        public var second = 0
        /// Ended as they should, by operation.
        public var succeeded = [Int](repeating: 0, count: Operation.allCases.count)
        /// Failures of all kinds.
        public var failed = 0
        /// Half of them took no longer.
        ///
        /// Microseconds, by operation; 0 where there is none.
        public var p50 = [Int64](repeating: 0, count: Operation.allCases.count)
        /// All but one of a hundred took no longer.
        public var p99 = [Int64](repeating: 0, count: Operation.allCases.count)

        /// Nothing in it.
        public init() {}
    }

    /// Nothing yet.
    public init() {}

    /// The figures of an operation.
    public subscript(_ operation: Operation) -> Figures {
        get { operations[operation.rawValue] }
        set { operations[operation.rawValue] = newValue }
    }

    /// Failures of all operations.
    public var failed: Int { operations.reduce(0) { $0 + $1.failed } }

    /// Operations that have ended, other than the set-up.
    public var ended: Int {
        Operation.allCases.filter { $0 != .setUp }.reduce(0) { $0 + self[$1].succeeded + self[$1].failed }
    }

    /// Adds what another process of the same load has seen.
    public mutating func add(_ other: LoadFigures) {
        for operation in Operation.allCases {
            self[operation].begun += other[operation].begun
            self[operation].succeeded += other[operation].succeeded
            self[operation].failures.merge(other[operation].failures) { $0 + $1 }
            self[operation].times.add(other[operation].times)
        }
        registered += other.registered
        setUpSeconds = max(setUpSeconds, other.setUpSeconds)
        seconds = max(seconds, other.seconds)
        ownCPU += other.ownCPU
        serverCPU = serverCPU ?? other.serverCPU
        serverMemory = serverMemory ?? other.serverMemory
        for sample in other.samples { add(sample) }
    }

    private mutating func add(_ sample: Sample) {
        guard let index = samples.firstIndex(where: { $0.second == sample.second }) else {
            samples.append(sample)
            samples.sort { $0.second < $1.second }
            return
        }
        for operation in Operation.allCases.indices {
            samples[index].succeeded[operation] += sample.succeeded[operation]
            samples[index].p50[operation] = max(samples[index].p50[operation], sample.p50[operation])
            samples[index].p99[operation] = max(samples[index].p99[operation], sample.p99[operation])
        }
        samples[index].failed += sample.failed
    }
}
