/// Figures as lines of text, to be handed from one process of a load to another.
extension LoadFigures {
    /// All figures, a line each, without line ends in them.
    public var lines: [String] {
        var lines = ["total \(registered) \(setUpSeconds) \(seconds) \(ownCPU)"]
        if let serverCPU { lines.append("server-cpu \(serverCPU)") }
        if let serverMemory { lines.append("server-memory \(serverMemory.before) \(serverMemory.after)") }
        for operation in Operation.allCases where self[operation].begun > 0 || self[operation].failed > 0 {
            let one = self[operation]
            lines.append("operation \(operation.name) \(one.begun) \(one.succeeded)")
            lines.append("times \(operation.name) \(one.times.text)")
            for (why, count) in one.failures { lines.append("failure \(operation.name) \(count) \(why)") }
        }
        for sample in samples { lines.append(sample.line) }
        return lines
    }

    /// Takes one such line in; what is none is passed over.
    public mutating func take(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 3).map(String.init)
        guard let kind = words.first else { return }
        switch (kind, words.count) {
        case ("total", 4):
            let rest = words[3].split(separator: " ")
            registered = Int(words[1]) ?? 0
            setUpSeconds = Double(words[2]) ?? 0
            seconds = rest.first.flatMap { Double($0) } ?? 0
            ownCPU = rest.last.flatMap { Int64($0) } ?? 0
        case ("server-cpu", 2): serverCPU = Int64(words[1])
        case ("server-memory", 3):
            if let before = Int64(words[1]), let after = Int64(words[2]) { serverMemory = (before, after) }
        case ("operation", 4):
            guard let operation = Operation(words[1]) else { return }
            self[operation].begun = Int(words[2]) ?? 0
            self[operation].succeeded = Int(words[3]) ?? 0
        case ("times", _):
            let parts = line.split(separator: " ", maxSplits: 2)
            guard parts.count == 3, let operation = Operation(parts[1]), let times = Histogram(parts[2]) else { return }
            self[operation].times = times
        case ("failure", 4):
            guard let operation = Operation(words[1]), let count = Int(words[2]) else { return }
            self[operation].failures[words[3]] = count
        case ("sample", _):
            if let sample = Sample(line) { samples.append(sample) }
        default: break
        }
    }
}

extension LoadFigures.Sample {
    /// One line of text.
    public var line: String {
        let numbers = [second, failed] + succeeded + p50.map(Int.init) + p99.map(Int.init)
        return "sample " + numbers.map(String.init).joined(separator: " ")
    }

    /// Reads such a line.
    public init?(_ line: String) {
        let kinds = Operation.allCases.count
        let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
        guard numbers.count == 2 + 3 * kinds else { return nil }
        self.init()
        second = numbers[0]
        failed = numbers[1]
        succeeded = Array(numbers[2..<(2 + kinds)])
        p50 = numbers[(2 + kinds)..<(2 + 2 * kinds)].map(Int64.init)
        p99 = numbers[(2 + 2 * kinds)...].map(Int64.init)
    }
}
