/// Times in microseconds, in classes that grow with them: each is within 1.6 % of what was measured.
public struct Histogram: Sendable, Equatable {
    /// Classes for each doubling.
    private static let bits = 6

    private var classes: [UInt32] = []
    /// How many times were noted.
    public private(set) var count = 0
    /// The longest.
    public private(set) var longest: Int64 = 0
    private var sum: Int64 = 0

    /// Nothing yet.
    public init() {}

    /// Notes a time.
    public mutating func note(_ microseconds: Int64) {
        let value = max(microseconds, 0)
        let index = Self.index(UInt64(value))
        if index >= classes.count { classes.append(contentsOf: repeatElement(0, count: index + 64 - classes.count)) }
        classes[index] &+= 1
        count += 1
        sum &+= value
        longest = max(longest, value)
    }

    /// The mean.
    public var mean: Int64 { count > 0 ? sum / Int64(count) : 0 }

    /// The time that a share of all was within; nil where there are none.
    ///
    /// - Parameter share: from 0 to 1.
    /// - Returns: microseconds.
    public func quantile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        var left = max(1, Int((Double(count) * share).rounded(.up)))
        for (index, number) in classes.enumerated() {
            left -= Int(number)
            if left <= 0 { return min(Self.upper(index), longest) }
        }
        return longest
    }

    /// Adds what another has noted.
    public mutating func add(_ other: Histogram) {
        if other.classes.count > classes.count {
            classes.append(contentsOf: repeatElement(0, count: other.classes.count - classes.count))
        }
        for (index, number) in other.classes.enumerated() { classes[index] &+= number }
        count += other.count
        sum &+= other.sum
        longest = max(longest, other.longest)
    }

    private static func index(_ value: UInt64) -> Int {
        guard value >= 1 << UInt64(bits) else { return Int(value) }
        let shift = 63 - value.leadingZeroBitCount - bits
        return (shift + 1) << bits + Int(value >> UInt64(shift)) - 1 << bits
    }

    /// The longest time of a class.
    private static func upper(_ index: Int) -> Int64 {
        guard index >= 1 << bits else { return Int64(index) }
        let shift = index >> bits - 1
        let first = Int64(1 << bits + index & (1 << bits - 1)) << Int64(shift)
        return first + ((1 << Int64(shift)) - 1)
    }
}

extension Histogram {
    /// One line of text, to be sent from one process to another: count, sum, longest, then classes as `index:number`.
    var text: String {
        let filled = classes.enumerated().filter { $0.element > 0 }.map { "\($0.offset):\($0.element)" }
        return ([String(count), String(sum), String(longest)] + filled).joined(separator: " ")
    }

    /// Reads such a line.
    init?(_ text: Substring) {
        let words = text.split(separator: " ")
        guard words.count >= 3, let count = Int(words[0]), let sum = Int64(words[1]), let longest = Int64(words[2])
        else {
            return nil
        }
        self.count = count
        self.sum = sum
        self.longest = longest
        for word in words.dropFirst(3) {
            let parts = word.split(separator: ":")
            guard parts.count == 2, let index = Int(parts[0]), let number = UInt32(parts[1]),
                (0..<1 << 13).contains(index)
            else { return nil }
            if index >= classes.count { classes.append(contentsOf: repeatElement(0, count: index + 1 - classes.count)) }
            classes[index] = number
        }
    }
}
