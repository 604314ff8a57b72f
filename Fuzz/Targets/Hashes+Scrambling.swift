import SIP

extension Hashes {
    /// Quick stand-ins: each output depends on all of the input, and nobody has to break them.
    static var scrambling: Hashes {
        Hashes(
            md5: { scramble($0, seed: 5, words: 2, &$1) },
            sha256: { scramble($0, seed: 256, words: 4, &$1) },
            hmacSHA256: { key, input, out in
                var seed: UInt64 = 99
                for byte in key { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01b3 }
                scramble(input, seed: seed, words: 4, &out)
            }
        )
    }

    private static func scramble(_ input: [UInt8], seed: UInt64, words: Int, _ out: inout [UInt8]) {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325 ^ seed
        for byte in input { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for _ in 0..<words {
            state = (state ^ state >> 29) &* 0xbf58_476d_1ce4_e5b9 &+ 0x9e37_79b9
            for shift in 0..<8 { out.append(UInt8(truncatingIfNeeded: state >> UInt64(shift * 8))) }
        }
    }
}
