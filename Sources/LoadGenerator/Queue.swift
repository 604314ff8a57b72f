/// A ring that grows: what came first is first.
struct Queue<Element: BitwiseCopyable> {
    private var ring: [Element] = []
    private var head = 0
    private(set) var count = 0

    /// What has been here longest.
    var first: Element? { count > 0 ? ring[head] : nil }

    mutating func add(_ element: Element) {
        if count == ring.count { grow(element) }
        ring[(head + count) % ring.count] = element
        count += 1
    }

    mutating func take() -> Element? {
        guard count > 0 else { return nil }
        let element = ring[head]
        head = (head + 1) % ring.count
        count -= 1
        return element
    }

    private mutating func grow(_ filler: Element) {
        var larger: [Element] = []
        larger.reserveCapacity(max(64, ring.count * 2))
        for offset in 0..<count { larger.append(ring[(head + offset) % ring.count]) }
        larger.append(contentsOf: repeatElement(filler, count: max(64, ring.count * 2) - count))
        ring = larger
        head = 0
    }
}
