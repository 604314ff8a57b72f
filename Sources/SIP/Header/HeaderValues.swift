/// The values of all header fields of one name, comma lists taken apart (RFC 3261 section 7.3.1).
///
/// A comma within a quoted string or within angle brackets separates nothing.
public struct HeaderValues: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private let fields: [HeaderField]
    private let name: HeaderName
    private var index = 0
    private var at = 0
    private var end = 0

    init(_ message: Message, _ name: HeaderName) {
        bytes = message.bytes
        fields = message.fields
        self.name = name
    }

    /// The next value, without white space at its ends.
    ///
    /// Empty values are given as they are: most fields allow none.
    public mutating func next() -> Range<Int>? {
        while at >= end {
            guard index < fields.count else { return nil }
            let field = fields[index]
            index += 1
            guard field.name == name else { continue }
            at = field.value.lowerBound
            // One past the end stands for the comma that follows a last value.
            end = field.value.upperBound + 1
        }
        let valueEnd = bytes.listValueEnd(at..<(end - 1))
        let value = bytes.trimmed(at..<valueEnd)
        at = valueEnd + 1
        return value
    }
}

extension Message {
    /// All values of a header field, in order.
    public func values(_ name: HeaderName) -> HeaderValues { HeaderValues(self, name) }

    /// The first value of a header field.
    public func firstValue(_ name: HeaderName) -> Range<Int>? {
        guard let field = first(name) else { return nil }
        return bytes.trimmed(field.value.lowerBound..<bytes.listValueEnd(field.value))
    }

    /// Whether a list of option tags or tokens holds this one, given in lower case.
    public func lists(_ token: StaticString, in name: HeaderName) -> Bool {
        for field in fields where field.name == name {
            for value in HeaderValuesOfOne(bytes, field.value) where bytes.isEqualIgnoringCase(value, token) {
                return true
            }
        }
        return false
    }
}

/// The values of one header field.
struct HeaderValuesOfOne: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var at: Int
    private let end: Int

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        at = range.lowerBound
        end = range.upperBound
    }

    mutating func next() -> Range<Int>? {
        guard at <= end else { return nil }
        let valueEnd = bytes.listValueEnd(at..<end)
        let value = bytes.trimmed(at..<valueEnd)
        at = valueEnd + 1
        return value
    }
}

extension [UInt8] {
    /// Where the first value of a comma list ends.
    public func listValueEnd(_ range: Range<Int>) -> Int {
        // Hardly any value is one of a list, and a comma is found much faster than what may hide one.
        guard first(UInt8(ascii: ","), in: range) != nil else { return range.upperBound }
        var at = range.lowerBound
        var inBrackets = false
        while true {
            at = firstListMark(at..<range.upperBound)
            guard at < range.upperBound else { return range.upperBound }
            switch self[at] {
            case UInt8(ascii: "\"") where !inBrackets:
                guard let after = quotedStringEnd(at..<range.upperBound) else { return range.upperBound }
                at = after
                continue
            case UInt8(ascii: "<"): inBrackets = true
            case UInt8(ascii: ">"): inBrackets = false
            case UInt8(ascii: ",") where !inBrackets: return at
            default: break
            }
            at += 1
        }
    }

    /// The first place of what decides where a value of a comma list ends; the range's end where there is none.
    private func firstListMark(_ range: Range<Int>) -> Int {
        span.first(from: range.lowerBound, to: range.upperBound) {
            $0.places(of: UInt8(ascii: ",")) | $0.places(of: UInt8(ascii: "\"")) | $0.places(of: UInt8(ascii: "<"))
                | $0.places(of: UInt8(ascii: ">"))
        } ?? range.upperBound
    }
}
