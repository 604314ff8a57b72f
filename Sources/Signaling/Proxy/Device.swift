import SIP

/// One way to a device: the flow it registered on.
struct Way: Equatable {
    /// What the Request-URI becomes; nil leaves it as it is.
    var contact: Excerpt?
    var flow: FlowID
    /// The Path it registered through, as a Route value; empty where there was none.
    var path = Excerpt()
}

/// The ways to one device, best first: never none, and nearly always one, which is kept without an array.
struct Ways: Equatable, Sequence {
    private(set) var first: Way
    private var others: [Way] = []

    init(_ first: Way) { self.first = first }

    var count: Int { others.count + 1 }

    mutating func append(_ way: Way) { others.append(way) }

    /// A way by its rank; the last one for a rank beyond it.
    subscript(index: Int) -> Way {
        get { index <= 0 || others.isEmpty ? first : others[Swift.min(index, others.count) - 1] }
        set {
            if index <= 0 || others.isEmpty {
                first = newValue
            } else {
                others[Swift.min(index, others.count) - 1] = newValue
            }
        }
    }

    func makeIterator() -> some IteratorProtocol<Way> { ([first] + others).makeIterator() }
}

/// One phone that is to be reached: its ways are tried in turn, and never ring it twice.
struct Device: Equatable {
    var instance: Excerpt?
    /// In thousandths: devices of one q are tried at once, lower ones after higher ones.
    var q: UInt16
    var ways: Ways
}
