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

/// Phones that have nothing to do, the one that has rested longest first.
struct IdleQueue {
    private var ring: [Int32] = []
    private var head = 0
    private(set) var count = 0

    mutating func add(_ phone: Int) {
        if count == ring.count { grow() }
        ring[(head + count) % ring.count] = Int32(truncatingIfNeeded: phone)
        count += 1
    }

    mutating func take() -> Int? {
        guard count > 0 else { return nil }
        let phone = ring[head]
        head = (head + 1) % ring.count
        count -= 1
        return Int(phone)
    }

    private mutating func grow() {
        var larger: [Int32] = []
        larger.reserveCapacity(max(64, ring.count * 2))
        for offset in 0..<count { larger.append(ring[(head + offset) % ring.count]) }
        larger.append(contentsOf: repeatElement(0, count: max(64, ring.count * 2) - count))
        ring = larger
        head = 0
    }
}
