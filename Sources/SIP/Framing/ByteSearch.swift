extension Span where Element == UInt8 {
    /// The first place of `byte` in a range that is cut to what there is.
    ///
    /// Looks at eight bytes at a time: header sections are searched for line ends once per message.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        let end = Swift.min(end, count)
        var index = Swift.max(start, 0)
        let ones: UInt64 = 0x0101_0101_0101_0101
        let pattern = ones &* UInt64(byte)
        // Every offset that is loaded from is below `end`, which is at most the number of bytes.
        return unsafe withUnsafeBytes { bytes in
            while index &+ 8 <= end {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                let differing = UInt64(littleEndian: word) ^ pattern
                // The lowest set bit marks the first byte that is zero, that is, equal to `byte`.
                let zeros = (differing &- ones) & ~differing & (ones &<< 7)
                if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
                index &+= 8
            }
            while index < end {
                if unsafe bytes[index] == byte { return index }
                index &+= 1
            }
            return nil
        }
    }
}
