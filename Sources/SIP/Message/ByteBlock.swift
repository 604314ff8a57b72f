/// Sixteen bytes that are looked at at once.
struct ByteBlock {
    private let bytes: SIMD16<UInt8>

    /// Loads sixteen bytes.
    ///
    /// - Parameters:
    ///   - base: where the buffer begins.
    ///   - place: the first of the sixteen; all lie in the buffer, which is not checked.
    @inline(__always)
    @unsafe fileprivate init(_ base: UnsafeRawPointer, _ place: Int) {
        bytes = unsafe base.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
    }

    /// Loads the sixteen bytes before a place, with zeros for those that lie before the buffer.
    ///
    /// - Parameters:
    ///   - base: where the buffer begins.
    ///   - end: a place behind its first byte; not checked.
    @inline(__always)
    @unsafe fileprivate init(_ base: UnsafeRawPointer, before end: Int) {
        self = unsafe end >= 16 ? ByteBlock(base, end &- 16) : ByteBlock(few: base, end)
    }

    @inline(never)
    @unsafe private init(few base: UnsafeRawPointer, _ count: Int) {
        var bytes = SIMD16<UInt8>()
        for place in 0..<count {
            bytes[16 &- count &+ place] = unsafe base.load(fromByteOffset: place, as: UInt8.self)
        }
        self.bytes = bytes
    }

    /// Which of them are this byte.
    @inline(__always)
    func places(of byte: UInt8) -> Places { Places(bytes .== SIMD16(repeating: byte)) }

    /// Which of them are smaller than this byte.
    @inline(__always)
    func places(below byte: UInt8) -> Places { Places(bytes .< SIMD16(repeating: byte)) }

    /// Places within a block.
    struct Places {
        /// All bits of a place are set, or none.
        private let marks: SIMDMask<SIMD16<Int8>>

        @inline(__always)
        fileprivate init(_ marks: SIMDMask<SIMD16<Int8>>) { self.marks = marks }

        /// The first place from one on, up to 15; nil where there is none.
        @inline(__always)
        func first(from start: Int = 0) -> Int? {
            let words = unsafe unsafeBitCast(marks, to: SIMD2<UInt64>.self)
            let shift = UInt64(truncatingIfNeeded: start & 7) &* 8
            let low = start < 8 ? (UInt64(littleEndian: words.x) &>> shift) &<< shift : 0
            if low != 0 { return low.trailingZeroBitCount / 8 }
            let word = UInt64(littleEndian: words.y)
            let high = start < 8 ? word : (word &>> shift) &<< shift
            return high == 0 ? nil : 8 &+ high.trailingZeroBitCount / 8
        }

        /// Places that are one or the other.
        @inline(__always)
        static func | (left: Places, right: Places) -> Places { Places(left.marks .| right.marks) }
    }
}

extension Span where Element == UInt8 {
    /// The first place of a range, cut to what there is, that a question marks.
    ///
    /// - Parameters:
    ///   - start: where the range begins.
    ///   - end: where it ends.
    ///   - marks: asked for sixteen bytes at a time.
    /// - Returns: the place; nil where there is none.
    @inline(__always)
    func first(from start: Int, to end: Int, where marks: (ByteBlock) -> ByteBlock.Places) -> Int? {
        let end = Swift.min(end, count)
        return unsafe withUnsafeBytes { bytes -> Int? in
            var at = Swift.max(start, 0)
            guard at < end, let base = bytes.baseAddress else { return nil }
            while at &+ 16 <= end {
                if let place = unsafe marks(ByteBlock(base, at)).first() { return at &+ place }
                at &+= 16
            }
            guard at < end else { return nil }
            // Bytes that were looked at already, or lie before the range, come along and don't count.
            let known = at &+ 16 &- end
            return unsafe marks(ByteBlock(base, before: end)).first(from: known).map { at &+ $0 &- known }
        }
    }
}
