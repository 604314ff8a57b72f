import SIP

/// A stream of random numbers that is the same for the same seed, everywhere: xoshiro256**.
///
/// Each part of a world draws from a stream of its own, so that one more draw in one place moves nothing in another.
struct SeededRandom {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    /// A stream by the world's seed and its own number.
    init(seed: UInt64, stream: UInt64) {
        var mixer = seed &+ stream &* 0x9e37_79b9_7f4a_7c15
        func next() -> UInt64 {
            mixer &+= 0x9e37_79b9_7f4a_7c15
            var word = mixer
            word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
            word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
            return word ^ word >> 31
        }
        state = (next(), next(), next(), next() | 1)
    }

    mutating func next() -> UInt64 {
        let result = Self.rotated(state.1 &* 5, 7) &* 9
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = Self.rotated(state.3, 45)
        return result
    }

    /// A number within bounds, both included.
    mutating func within(_ range: ClosedRange<Int64>) -> Int64 {
        let span = UInt64(range.upperBound - range.lowerBound) + 1
        return range.lowerBound + Int64(next() % span)
    }

    /// A number from 0 up to a bound.
    mutating func below(_ bound: Int) -> Int { bound > 0 ? Int(next() % UInt64(bound)) : 0 }

    /// From 0 up to 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// Whether something happens that does so often.
    mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

    /// The time to the next of events that come independently, so often on the average: at least a millisecond.
    mutating func pause(mean: Double) -> Int64 {
        // The sum of twelve uniform draws stands for the logarithm, which the standard library does not have: what counts
        // is that pauses are neither regular nor unbounded.
        let draw = (fraction() + fraction() * fraction()) * mean * 4 / 3
        return Int64(max(1, min(draw, 1e15)))
    }

    private static func rotated(_ word: UInt64, _ by: UInt64) -> UInt64 { word << by | word >> (64 - by) }
}

extension RandomSource {
    /// Random bits of a stream.
    init(_ stream: SeededRandom) {
        var stream = stream
        self.init { words in
            for index in words.indices { words[index] = stream.next() }
        }
    }
}
