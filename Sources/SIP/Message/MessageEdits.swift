/// Changes to a message on its way through: what is untouched leaves byte for byte as it came.
///
/// A short list of replacements in order of place, with what is inserted in one scratch buffer. Reused from message to
/// message, it allocates nothing.
public struct MessageEdits {
    private struct Edit: BitwiseCopyable {
        var at: Int
        var deleted: Int
        @Packed var inserted: Range<Int>

        /// Whether it comes before an edit that was made earlier.
        func isBefore(_ earlier: Edit) -> Bool {
            at < earlier.at || at == earlier.at && deleted == 0 && earlier.deleted > 0
        }
    }

    private var edits = RefilledList<Edit>()
    private var scratch: [UInt8] = []

    /// No changes.
    public init() {
        scratch.reserveCapacity(1024)
    }

    /// Forgets all changes and keeps the memory.
    public mutating func removeAll() {
        edits.removeAll(keeping: 1 << 10)
        if !scratch.isEmpty { scratch.removeAll(keepingCapacity: true) }
    }

    /// Replaces a range of the message by what `write` appends.
    ///
    /// Replacements must not overlap; several insertions at one place stand in the order in which they were made, and
    /// before what is replaced there.
    public mutating func replace(_ range: Range<Int>, _ write: (inout [UInt8]) -> Void) {
        let start = scratch.count
        write(&scratch)
        let edit = Edit(at: range.lowerBound, deleted: range.count, inserted: start..<scratch.count)
        edits.append(edit)
        var position = edits.count - 1
        while position > 0, edit.isBefore(edits[position - 1]) {
            edits[position] = edits[position - 1]
            position -= 1
        }
        edits[position] = edit
    }

    /// Inserts what `write` appends before a place of the message.
    public mutating func insert(at place: Int, _ write: (inout [UInt8]) -> Void) {
        replace(place..<place, write)
    }

    /// Removes a range of the message.
    public mutating func remove(_ range: Range<Int>) {
        replace(range) { _ in }
    }

    /// Removes the first value of a comma list: the whole line where it is the only one in its field.
    public mutating func removeFirstValue(_ field: HeaderField, of message: Message) {
        let end = message.bytes.listValueEnd(field.value)
        if end < field.value.upperBound {
            remove(field.value.lowerBound..<(end + 1))
        } else {
            remove(field.line)
        }
    }

    /// Appends the message with its changes.
    public func apply(to message: Message, _ out: inout [UInt8]) {
        apply(to: message, 0..<message.body.upperBound, &out)
    }

    /// Appends one part of the message with the changes that lie in it.
    func apply(to message: Message, _ range: Range<Int>, _ out: inout [UInt8]) {
        var at = range.lowerBound
        for place in edits.indices {
            let edit = edits[place]
            guard edit.at >= at, edit.at + edit.deleted <= range.upperBound else { continue }
            out.append(message.bytes, at..<edit.at)
            out.append(scratch, edit.inserted)
            at = edit.at + edit.deleted
        }
        out.append(message.bytes, at..<range.upperBound)
    }
}
