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

    /// Whether the range holds this word in any case; no sign in it lies among the letters of ASCII.
    @inline(__always)
    func isEqualIgnoringCase(_ range: Range<Int>, _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard range.count == count else { return false }
        return unsafe extracting(range).withUnsafeBytes { spelled in
            let known = unsafe UnsafeRawBufferPointer(start: word.utf8Start, count: count)
            var at = 0
            while at + 4 <= count {
                guard unsafe Self.differing(spelled, known, at) == 0 else { return false }
                at += 4
            }
            // The last four bytes may overlap others.
            if at < count, count > 4 { return unsafe Self.differing(spelled, known, count - 4) == 0 }
            while at < count {
                let byte = unsafe known[at]
                guard unsafe (spelled[at] ^ byte) & ~((byte & 0x40) >> 1) == 0 else { return false }
                at += 1
            }
            return true
        }
    }

    /// The bits in which four bytes differ from those of a word, but for the case of its letters.
    @inline(__always)
    private static func differing(
        _ spelled: UnsafeRawBufferPointer,
        _ known: UnsafeRawBufferPointer,
        _ at: Int
    ) -> UInt32 {
        let word = unsafe known.loadUnaligned(fromByteOffset: at, as: UInt32.self)
        // Letters alone have a case: they are what lies from 0x40 on.
        let letters = word & 0x4040_4040
        return unsafe (spelled.loadUnaligned(fromByteOffset: at, as: UInt32.self) ^ word) & ~(letters >> 1)
    }
}

extension Span where Element == UInt8 {
    /// Whether two spans hold the same bytes, compared eight at a time.
    func isEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return unsafe withUnsafeBytes { left in
            unsafe other.withUnsafeBytes { right in
                var at = 0
                while at + 8 <= left.count {
                    guard
                        unsafe left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                            == right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    else { return false }
                    at += 8
                }
                while at < left.count {
                    if unsafe left[at] != right[at] { return false }
                    at += 1
                }
                return true
            }
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
        span.extracting(range).isEqual(other.span.extracting(otherRange))
    }

    /// Whether two ranges of two buffers hold the same bytes but for the case of ASCII letters.
    public func isEqualIgnoringCase(_ range: Range<Int>, to other: [UInt8], _ otherRange: Range<Int>) -> Bool {
        // Nearly always the case is the same too.
        if isEqual(range, to: other, otherRange) { return true }
        guard range.count == otherRange.count else { return false }
        for offset in 0..<range.count
        where self[range.lowerBound + offset].lowercased != other[otherRange.lowerBound + offset].lowercased {
            return false
        }
        return true
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

    /// Reads hexadecimal digits of either case that fill the range; nil when there is anything else, nothing at all, or more
    /// than sixteen of them.
    public func hexadecimal(_ range: Range<Int>) -> UInt64? {
        guard 1...16 ~= range.count else { return nil }
        var value: UInt64 = 0
        for at in range {
            let digit: UInt8
            switch self[at] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = self[at] &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = self[at] &- (UInt8(ascii: "a") - 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = self[at] &- (UInt8(ascii: "A") - 10)
            default: return nil
            }
            value = value << 4 | UInt64(digit)
        }
        return value
    }

    /// Appends a constant.
    public mutating func append(text word: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// Appends bytes that lie elsewhere.
    @inline(__always)
    mutating func append(_ part: Span<UInt8>) {
        unsafe part.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// Appends a range of another buffer.
    public mutating func append(_ other: [UInt8], _ range: Range<Int>) { append(other.span.extracting(range)) }

    /// Appends a byte string.
    public mutating func append(_ string: ByteString) { append(string.bytes.span) }

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
