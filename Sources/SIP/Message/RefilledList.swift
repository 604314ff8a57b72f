/// A list that is filled and emptied again and again, and keeps its memory: emptying it costs next to nothing.
public struct RefilledList<Element: BitwiseCopyable> {
    /// The elements, and behind them what was there before.
    private var slots: [Element] = []
    /// Number of elements.
    public private(set) var count = 0

    /// An empty list.
    public init() {}

    /// Whether there is no element.
    @inline(__always)
    public var isEmpty: Bool { count == 0 }

    /// All places, in order.
    @inline(__always)
    public var indices: Range<Int> { 0..<count }

    /// The element at a place.
    public subscript(place: Int) -> Element {
        @inline(__always) get {
            precondition(place < count)
            return slots[place]
        }
        @inline(__always) set {
            precondition(place < count)
            slots[place] = newValue
        }
    }

    /// Adds an element at the end.
    @inline(__always)
    public mutating func append(_ element: Element) {
        if count < slots.count { slots[count] = element } else { slots.append(element) }
        count += 1
    }

    /// Forgets all elements.
    ///
    /// - Parameter bound: more memory than so many elements need is given back.
    @inline(__always)
    public mutating func removeAll(keeping bound: Int) {
        count = 0
        if slots.count > bound { slots = [] }
    }
}
