import Glibc

@main
enum Benchmarks {
    // `main` belongs to the main actor; nothing else here does.
    static func main() { run() }
}

/// `Benchmarks [WORD]` measures everything, or what has the word in its name; `Benchmarks --allocations FILE` holds
/// allocations against the bounds in a file.
nonisolated private func run() {
    let arguments = CommandLine.arguments
    var bounds: [String: Double]?
    if let option = arguments.firstIndex(of: "--allocations"), option + 1 < arguments.count {
        guard let read = Thresholds.read(arguments[option + 1]) else {
            print("can't read \(arguments[option + 1])")
            exit(64)
        }
        bounds = read
    }
    let only = bounds == nil && arguments.count > 1 ? arguments[1] : ""
    do {
        var failures = 0
        print("        ns  allocations  benchmark")
        for benchmark in try Suite.benchmarks() where only.isEmpty || benchmark.name.contains(only) {
            let result = benchmark.measure(repeats: bounds == nil ? 9 : 2)
            let time = pad(String(Int(result.nanoseconds.rounded())), 10)
            let allocations = pad(String((result.allocations * 10).rounded() / 10), 12)
            print("\(time) \(allocations)  \(result.name)")
            guard let bounds else { continue }
            guard let bound = bounds[result.name] else {
                print("  has no bound: add it")
                failures += 1
                continue
            }
            if result.allocations > bound + 0.05 {
                print("  allocates more than its bound of \(bound)")
                failures += 1
            }
        }
        exit(failures == 0 ? 0 : 1)
    } catch {
        print("\(error)")
        exit(70)
    }
}

nonisolated private func pad(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
