/// Says how many operations are due.
struct Pacer {
    let operation: Operation
    let pace: Pace
    private var begun = 0.0

    init(_ operation: Operation, _ pace: Pace) {
        self.operation = operation
        self.pace = pace
    }

    /// How many are to begin now.
    ///
    /// - Parameters:
    ///   - seconds: since the load began.
    ///   - length: how long it is, in seconds.
    ///   - open: how many are under way.
    /// - Returns: how many.
    mutating func due(at seconds: Double, of length: Double, open: Int) -> Int {
        switch pace {
        case .window(let count): return max(0, count - open)
        case .rate(let from, let to):
            // The area under a line from one rate to the other.
            let wanted = from * seconds + (to - from) * seconds * seconds / (2 * max(length, 0.001))
            let due = Int(wanted - begun)
            guard due > 0 else { return 0 }
            begun += Double(due)
            return due
        }
    }
}
