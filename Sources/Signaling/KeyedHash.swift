import SIP

/// A hash with a secret key: SipHash-1-3 with 128 bits (Aumasson and Bernstein, 2012).
///
/// Nobody outside can make two inputs collide, and the same key gives the same hash in every process: the standard
/// library's hasher has a seed of its own in each, and what a node sends must follow from its events alone.
struct KeyedHash {
    /// The secret of the node.
    struct Key {
        fileprivate let first: UInt64
        fileprivate let second: UInt64

        init(_ random: inout RandomSource) {
            first = random.next()
            second = random.next()
        }

        /// Takes the first 16 of some secret bytes.
        init(_ secret: [UInt8]) {
            first = secret.bigEndian(at: 0, bytes: 8)?.byteSwapped ?? 0
            second = secret.bigEndian(at: 8, bytes: 8)?.byteSwapped ?? 0
        }
    }

    private var state: SipState

    init(_ key: Key) { state = SipState(key) }

    /// Feeds a number.
    @inline(__always)
    mutating func combine(_ word: UInt64) {
        state.absorb(word, rounds: 1)
    }

    /// Feeds bytes behind their number, so that no two lists of parts are the same input.
    mutating func combine(_ bytes: [UInt8], _ range: Range<Int>) {
        combine(UInt64(range.count))
        let part = bytes.span.extracting(range)
        unsafe part.withUnsafeBytes { part in
            var at = 0
            while at + 8 <= part.count {
                unsafe combine(UInt64(littleEndian: part.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
                at += 8
            }
            guard at < part.count else { return }
            var rest: UInt64 = 0
            var shift: UInt64 = 0
            while at < part.count {
                rest |= unsafe UInt64(part[at]) << shift
                shift += 8
                at += 1
            }
            combine(rest)
        }
    }

    /// The hash of all that was fed.
    consuming func finish() -> (high: UInt64, low: UInt64) { state.finish(rounds: 3) }
}

/// Proves that this node wrote some numbers: SipHash-2-4 with 128 bits, which its authors made for messages this short and
/// meant for proofs, where SipHash-1-3 is for tables.
struct ShortMAC {
    private let key: KeyedHash.Key

    init(_ key: KeyedHash.Key) { self.key = key }

    /// The proof of some numbers, each as eight bytes, the lowest first.
    @inline(__always)
    func proof<let count: Int>(of words: InlineArray<count, UInt64>) -> (high: UInt64, low: UInt64) {
        var state = SipState(key)
        for index in words.indices { state.absorb(words[index], rounds: 2) }
        // The last block holds the number of bytes, and here no bytes.
        state.absorb(UInt64(count) << 59, rounds: 2)
        return state.finish(rounds: 4)
    }
}

/// What all members of the SipHash family do.
private struct SipState {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    init(_ key: KeyedHash.Key) {
        v0 = key.first ^ 0x736f_6d65_7073_6575
        v1 = key.second ^ 0x646f_7261_6e64_6f83
        v2 = key.first ^ 0x6c79_6765_6e65_7261
        v3 = key.second ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    mutating func absorb(_ word: UInt64, rounds: Int) {
        v3 ^= word
        for _ in 0..<rounds { round() }
        v0 ^= word
    }

    @inline(__always)
    consuming func finish(rounds: Int) -> (high: UInt64, low: UInt64) {
        v2 ^= 0xee
        for _ in 0..<rounds { round() }
        let high = v0 ^ v1 ^ v2 ^ v3
        v1 ^= 0xdd
        for _ in 0..<rounds { round() }
        return (high, v0 ^ v1 ^ v2 ^ v3)
    }

    @inline(__always)
    private mutating func round() {
        v0 &+= v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 &+= v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 &+= v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
