extension Span where Element == UInt8 {
    /// The first place of `byte` in a range that is cut to what there is.
    @inline(__always)
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        let end = Swift.min(end, count)
        var index = Swift.max(start, 0)
        while let word = word(index, before: end) {
            if let place = word.places(of: byte).first { return index &+ place }
            index &+= 8
        }
        while index < end {
            if self[index] == byte { return index }
            index &+= 1
        }
        return nil
    }

    /// Passes over eight bytes at a time that hold no control character, up to an end that is cut to what there is.
    @inline(__always)
    func endOfText(from start: Int, to end: Int) -> Int {
        var index = Swift.max(start, 0)
        while let word = word(index, before: end),
            (word.places(below: StreamByte.space) | word.places(of: StreamByte.delete)).isEmpty
        {
            index &+= 8
        }
        return index
    }
}
