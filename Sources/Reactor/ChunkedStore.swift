/// Fixed-size elements by number, in chunks that never move.
///
/// Grows without copying what is there, so a growth spurt of a full node stops nobody, and an element may be known to C
/// by its address.
public struct ChunkedStore<Element>: ~Copyable {
    private var chunks: [UnsafeMutablePointer<Element>] = []
    private let blank: Element
    private static var shift: Int { 8 }
    private static var size: Int { 1 << shift }

    /// An empty store.
    ///
    /// - Parameter blank: what an element is before it is written.
    public init(blank: Element) { self.blank = blank }

    deinit {
        for chunk in chunks {
            chunk.deinitialize(count: Self.size)
            chunk.deallocate()
        }
    }

    /// How many elements there is room for.
    public var count: Int { chunks.count << Self.shift }

    /// Makes room for one more chunk of elements.
    public mutating func grow() {
        let chunk = UnsafeMutablePointer<Element>.allocate(capacity: Self.size)
        chunk.initialize(repeating: blank, count: Self.size)
        chunks.append(chunk)
    }

    /// The address of an element, which holds as long as the store; nil where there is none.
    @inline(__always)
    public func address(_ index: Int) -> UnsafeMutablePointer<Element>? {
        let chunk = index >> Self.shift
        guard chunk >= 0, chunk < chunks.count else { return nil }
        return chunks[chunk] + (index & (Self.size - 1))
    }
}
