/// A part of a byte string that is kept as a whole: to hand it on copies nothing.
///
/// It keeps all of the string alive. What outlives the string's owner is better taken out with `string`.
public struct Excerpt: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The whole that it is a part of.
    public let bytes: [UInt8]
    private let start: UInt32
    private let end: UInt32

    /// The part of `bytes` that it stands for.
    public var range: Range<Int> { Int(start)..<Int(end) }

    /// Takes a part of some bytes; nothing where the part is not within them, or ends beyond 4 GB.
    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        let isWithin = range.lowerBound >= 0 && range.upperBound <= bytes.count && range.upperBound <= Int(UInt32.max)
        self.bytes = bytes
        start = isWithin ? UInt32(truncatingIfNeeded: range.lowerBound) : 0
        end = isWithin ? UInt32(truncatingIfNeeded: range.upperBound) : 0
    }

    /// Takes all of a byte string.
    public init(_ string: ByteString) { self.init(string.bytes, string.range) }

    /// Nothing.
    public init() { self.init([], 0..<0) }

    /// The UTF-8 of a literal.
    public init(stringLiteral value: String) { self.init(ByteString(stringLiteral: value)) }

    /// Number of bytes.
    public var count: Int { Int(end - start) }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { start == end }

    /// The part on its own.
    public var string: ByteString { ByteString(bytes, range) }

    /// The bytes read as UTF-8, for logs and errors; what is not UTF-8 is replaced.
    public var description: String { String(decoding: bytes[range], as: UTF8.self) }

    /// Whether two parts hold the same bytes.
    public static func == (left: Excerpt, right: Excerpt) -> Bool {
        left.bytes.isEqual(left.range, to: right.bytes, right.range)
    }

    /// Feeds the bytes of the part.
    public func hash(into hasher: inout Hasher) {
        let part = bytes.span.extracting(range)
        unsafe part.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension [UInt8] {
    /// Appends an excerpt.
    public mutating func append(_ excerpt: Excerpt) {
        append(excerpt.bytes, excerpt.range)
    }
}
