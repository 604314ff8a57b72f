/// Comparing and searching parts of a byte buffer by range, without slices and without copies.
extension Span where Element == UInt8 {
    /// Whether the range holds exactly this word.
    @inline(__always)
    func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count where unsafe word.utf8Start[offset] != self[range.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether the range holds this word in any case; the word is given in lower case.
    @inline(__always)
    func isEqualIgnoringCase(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count
        where unsafe word.utf8Start[offset] != self[range.lowerBound + offset].lowercased {
            return false
        }
        return true
    }
}

extension Span where Element == UInt8 {
    /// The first CR or LF from a place on, eight bytes at a time; the end where there is none.
    @inline(__always)
    func firstLineBreak(from start: Int) -> Int {
        unsafe withUnsafeBytes { bytes in
            var at = start
            let end = bytes.count
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            while at + 8 <= end {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                // A byte is zero where its high bit falls out of the subtraction.
                let cr = word ^ ones &* 0x0d
                let lf = word ^ ones &* 0x0a
                let found = ((cr &- ones) & ~cr | (lf &- ones) & ~lf) & highs
                if found != 0 { return at + found.trailingZeroBitCount / 8 }
                at += 8
            }
            while at < end, unsafe bytes[at] != 0x0d, unsafe bytes[at] != 0x0a { at += 1 }
            return at
        }
    }
}

extension Span where Element == UInt8 {
    /// The first place of a byte, eight bytes at a time.
    @inline(__always)
    func first(_ byte: UInt8) -> Int? {
        unsafe withUnsafeBytes { bytes in
            var at = 0
            let end = bytes.count
            let ones: UInt64 = 0x0101_0101_0101_0101
            let highs: UInt64 = 0x8080_8080_8080_8080
            while at + 8 <= end {
                let word = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let differing = word ^ ones &* UInt64(byte)
                // A byte is zero where its high bit falls out of the subtraction.
                let found = (differing &- ones) & ~differing & highs
                if found != 0 { return at + found.trailingZeroBitCount / 8 }
                at += 8
            }
            while at < end {
                if unsafe bytes[at] == byte { return at }
                at += 1
            }
            return nil
        }
    }
}

extension [UInt8] {
    /// Whether the range holds exactly this word.
    public func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        span.isEqual(range, word)
    }

    /// Whether the range holds this word in any case; the word is given in lower case.
    public func isEqualIgnoringCase(_ range: Range<Int>, _ word: StaticString) -> Bool {
        span.isEqualIgnoringCase(range, word)
    }

    /// Whether two ranges of two buffers hold the same bytes.
    public func isEqual(_ range: Range<Int>, to other: [UInt8], _ otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        for offset in 0..<range.count
        where self[range.lowerBound + offset] != other[otherRange.lowerBound + offset] {
            return false
        }
        return true
    }

    /// Whether two ranges of two buffers hold the same bytes but for the case of ASCII letters.
    public func isEqualIgnoringCase(_ range: Range<Int>, to other: [UInt8], _ otherRange: Range<Int>) -> Bool {
        guard range.count == otherRange.count else { return false }
        for offset in 0..<range.count
        where self[range.lowerBound + offset].lowercased != other[otherRange.lowerBound + offset].lowercased {
            return false
        }
        return true
    }

    /// The first place of a byte within a range.
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        span.extracting(range).first(byte).map { $0 + range.lowerBound }
    }

    /// The first place within a range whose byte is of a class; the range's end where there is none.
    @inline(__always)
    func first(of set: CharacterClass, in range: Range<Int>) -> Int {
        var at = range.lowerBound
        while at < range.upperBound, !self[at].isIn(set) { at += 1 }
        return at
    }

    /// The range without white space at its ends.
    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var lower = range.lowerBound
        var upper = range.upperBound
        while lower < upper, self[lower].isLWS { lower += 1 }
        while upper > lower, self[upper - 1].isLWS { upper -= 1 }
        return lower..<upper
    }

    /// Reads decimal digits that fill the range; nil when there is anything else, nothing at all, or too much.
    public func decimal(_ range: Range<Int>) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var value: UInt64 = 0
        for at in range {
            let digit = self[at] &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    /// Appends a constant.
    public mutating func append(text word: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// Appends a range of another buffer.
    public mutating func append(_ other: [UInt8], _ range: Range<Int>) {
        append(contentsOf: other[range])
    }

    /// Appends a byte string.
    public mutating func append(_ string: ByteString) {
        append(contentsOf: string.bytes)
    }

    /// Appends a number as so many lower-case hexadecimal digits; more than it has become zeros in front.
    public mutating func append(hex value: UInt64, digits: Int) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: digits) { text in
            var rest = value
            for at in text.indices.reversed() {
                unsafe text[at] = Self.hexadecimal(rest)
                rest >>= 4
            }
            unsafe append(contentsOf: text)
        }
    }

    /// Appends each byte as two lower-case hexadecimal digits.
    public mutating func append(hexOf bytes: [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count * 2) { text in
            for index in bytes.indices {
                unsafe text[index * 2] = Self.hexadecimal(UInt64(bytes[index] >> 4))
                unsafe text[index * 2 + 1] = Self.hexadecimal(UInt64(bytes[index]))
            }
            unsafe append(contentsOf: text)
        }
    }

    /// The digit of the lowest four bits.
    private static func hexadecimal(_ value: UInt64) -> UInt8 {
        let nibble = UInt8(truncatingIfNeeded: value & 15)
        return nibble < 10 ? nibble &+ UInt8(ascii: "0") : nibble &+ (UInt8(ascii: "a") - 10)
    }
}

extension ByteString {
    /// Copies a range of a buffer.
    public init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.init(Array(bytes[range]))
    }

    /// The string with its ASCII letters in lower case.
    public var lowercased: ByteString { ByteString(bytes.map(\.lowercased)) }

    /// All of it, as a range.
    public var range: Range<Int> { 0..<bytes.count }
}
