/// Where a header field lies in its message, folded lines and all.
public struct HeaderField: Sendable, BitwiseCopyable {
    /// Which one.
    public let name: HeaderName
    private let start: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32
    private let lineEnd: UInt32

    /// - Parameters:
    ///   - name: which one.
    ///   - nameRange: the name as written.
    ///   - value: without white space at its ends.
    ///   - lineEnd: where the next line begins; not beyond 4 GB, and by that nothing of the field.
    @inline(__always)
    init(name: HeaderName, nameRange: Range<Int>, value: Range<Int>, lineEnd: Int) {
        self.name = name
        start = UInt32(truncatingIfNeeded: nameRange.lowerBound)
        nameEnd = UInt32(truncatingIfNeeded: nameRange.upperBound)
        valueStart = UInt32(truncatingIfNeeded: value.lowerBound)
        valueEnd = UInt32(truncatingIfNeeded: value.upperBound)
        self.lineEnd = UInt32(truncatingIfNeeded: lineEnd)
    }

    /// The name as written.
    public var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
    /// The value without white space at its ends.
    public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// The whole line or lines, with the line end.
    public var line: Range<Int> { Int(start)..<Int(lineEnd) }
}

/// A set of names of header fields.
struct HeaderNames: Sendable {
    private var bits: UInt64 = 0

    @inline(__always)
    func contains(_ name: HeaderName) -> Bool { bits & Self.bit(name) != 0 }

    @inline(__always)
    mutating func insert(_ name: HeaderName) { bits |= Self.bit(name) }

    @inline(__always)
    private static func bit(_ name: HeaderName) -> UInt64 { 1 &<< UInt64(name.rawValue) }
}
