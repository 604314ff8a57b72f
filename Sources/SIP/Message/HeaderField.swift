/// Where a header field lies in its message, folded lines and all.
public struct HeaderField: Sendable, BitwiseCopyable {
    /// Which one.
    public let name: HeaderName
    private let start: UInt32
    private let nameEnd: UInt32
    private let valueStart: UInt32
    private let valueEnd: UInt32
    private let lineEnd: UInt32

    init(name: HeaderName, nameRange: Range<Int>, value: Range<Int>, lineEnd: Int) {
        self.name = name
        start = UInt32(clamping: nameRange.lowerBound)
        nameEnd = UInt32(clamping: nameRange.upperBound)
        valueStart = UInt32(clamping: value.lowerBound)
        valueEnd = UInt32(clamping: value.upperBound)
        self.lineEnd = UInt32(clamping: lineEnd)
    }

    /// The name as written.
    public var nameRange: Range<Int> { Int(start)..<Int(nameEnd) }
    /// The value without white space at its ends.
    public var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    /// The whole line or lines, with the line end.
    public var line: Range<Int> { Int(start)..<Int(lineEnd) }
}
