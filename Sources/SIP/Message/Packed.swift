/// A range of a message, as two numbers of 32 bits: what is read of a message is handed on by value, and holds many.
///
/// Beyond 4 GB, where no message reaches, a range ends.
@propertyWrapper
public struct Packed: Hashable, Sendable, BitwiseCopyable {
    private var lower: UInt32
    private var upper: UInt32

    /// Packs a range.
    @inline(__always)
    public init(wrappedValue range: Range<Int>) {
        lower = UInt32(clamping: range.lowerBound)
        upper = UInt32(clamping: range.upperBound)
    }

    /// The range.
    public var wrappedValue: Range<Int> {
        @inline(__always) get { Int(lower)..<Int(upper) }
        @inline(__always) set { self = Packed(wrappedValue: newValue) }
    }
}

/// A range of a message that may be missing, as two numbers of 32 bits.
@propertyWrapper
public struct PackedIfAny: Hashable, Sendable, BitwiseCopyable {
    /// Behind `upper` where there is no range.
    private var lower: UInt32
    private var upper: UInt32

    /// Packs a range, or none.
    @inline(__always)
    public init(wrappedValue range: Range<Int>?) {
        lower = range.map { UInt32(clamping: $0.lowerBound) } ?? 1
        upper = range.map { UInt32(clamping: $0.upperBound) } ?? 0
    }

    /// The range; nil where there is none.
    public var wrappedValue: Range<Int>? {
        @inline(__always) get { lower <= upper ? Int(lower)..<Int(upper) : nil }
        @inline(__always) set { self = PackedIfAny(wrappedValue: newValue) }
    }
}
