extension Span where Element == UInt8 {
    /// The first place of `byte` in a range that is cut to what there is.
    @inline(never)
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        first(from: start, to: end) { $0.places(of: byte) }
    }

    /// The first control character but a tab in a range that is cut to what there is; its end where there is none.
    func endOfText(from start: Int, to end: Int) -> Int {
        let end = Swift.min(end, count)
        var from = start
        while let at = first(
            from: from,
            to: end,
            where: { $0.places(below: StreamByte.space) | $0.places(of: StreamByte.delete) }
        ) {
            if self[at] != StreamByte.tab { return at }
            from = at &+ 1
        }
        return end
    }

    /// The first CR or LF from a place on; the end where there is none.
    @inline(never)
    func firstLineBreak(from start: Int) -> Int {
        var from = start
        // One comparison finds both, and what hardly ever stands there.
        while let at = first(from: from, to: count, where: { $0.places(below: StreamByte.cr &+ 1) }) {
            if self[at] == StreamByte.cr || self[at] == StreamByte.lf { return at }
            from = at &+ 1
        }
        return count
    }

    /// Whether there is neither white space nor a control character in it.
    var isVisible: Bool {
        first(from: 0, to: count) { $0.places(below: StreamByte.space &+ 1) | $0.places(of: StreamByte.delete) } == nil
    }
}

extension [UInt8] {
    /// The first place of a byte within a range.
    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        span.firstIndex(of: byte, from: range.lowerBound, to: range.upperBound)
    }
}
