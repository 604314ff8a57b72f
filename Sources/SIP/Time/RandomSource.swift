/// Random bits from outside: the kernel's in the server, a seeded generator in a simulated world.
public struct RandomSource {
    private let fill: (inout [UInt64]) -> Void
    private var words: [UInt64]
    private var position: Int

    /// Takes words from `fill`, which overwrites all elements it is given; it is called once for many draws.
    public init(fill: @escaping (inout [UInt64]) -> Void) {
        self.fill = fill
        words = Array(repeating: 0, count: 128)
        position = words.count
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        if position == words.count {
            fill(&words)
            position = 0
        }
        defer { position += 1 }
        return words[position]
    }

    /// A fraction from 0 up to 1.
    public mutating func fraction() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }
}
