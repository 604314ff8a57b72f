/// A hash without a seed (FNV-1a, 64 bits), to tell whether two runs were the same.
public struct FNV1a {
    /// The hash of all that was fed.
    public private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    /// A hash of nothing.
    public init() {}

    /// Feeds bytes.
    public mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}
