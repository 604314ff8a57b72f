/// A tel URI (RFC 3966), in the form in which two of them are compared.
public struct TelURI: Hashable, Sendable {
    /// The number without visual separators, in lower case; begins with `+` when it is global.
    public var number: ByteString
    /// The parameters, names and values in lower case, sorted by name.
    public var parameters: [ByteString]

    /// Whether the number is global.
    public var isGlobal: Bool { number.bytes.first == UInt8(ascii: "+") }

    /// Reads a URI that fills the range; nil when it is not a tel URI.
    public init?(_ bytes: [UInt8], _ range: Range<Int>) {
        guard range.count > 4, bytes.isEqualIgnoringCase(range.lowerBound..<range.lowerBound + 4, "tel:") else {
            return nil
        }
        let start = range.lowerBound + 4
        let end = bytes.first(UInt8(ascii: ";"), in: start..<range.upperBound) ?? range.upperBound
        var digits: [UInt8] = []
        for position in start..<end {
            let isGlobal = digits.first == UInt8(ascii: "+")
            switch bytes[position] {
            case let byte where byte.isVisualSeparator: continue
            case UInt8(ascii: "+") where position == start: digits.append(bytes[position])
            case let byte where byte.isIn(.digit): digits.append(byte)
            case UInt8(ascii: "*") where !isGlobal, UInt8(ascii: "#") where !isGlobal: digits.append(bytes[position])
            case let byte where byte.isIn(.hexadecimal) && !isGlobal: digits.append(byte.lowercased)
            default: return nil
            }
        }
        let isGlobal = digits.first == UInt8(ascii: "+")
        guard digits.count > (isGlobal ? 1 : 0), bytes.areURIParameters(end..<range.upperBound) else { return nil }
        let list = Parameters(bytes, end..<range.upperBound).map { Self.comparable(bytes, $0) }
        // A local number means nothing without its context (RFC 3966 section 5.1.5).
        let hasContext = list.contains { $0.bytes.starts(with: "phone-context=".utf8) }
        guard isGlobal || hasContext else { return nil }
        number = ByteString(digits)
        parameters = list.sorted()
    }

    /// `name=value` in lower case, numbers without visual separators (RFC 3966 section 4).
    private static func comparable(_ bytes: [UInt8], _ parameter: Parameter) -> ByteString {
        var text = bytes[parameter.name].map(\.lowercased)
        guard let value = parameter.value else { return ByteString(text) }
        let isNumber =
            bytes.isEqualIgnoringCase(parameter.name, "ext")
            || bytes.isEqualIgnoringCase(parameter.name, "phone-context") && bytes[value].first == UInt8(ascii: "+")
        text.append(UInt8(ascii: "="))
        text.append(contentsOf: bytes[value].lazy.filter { !isNumber || !$0.isVisualSeparator }.map(\.lowercased))
        return ByteString(text)
    }
}

extension UInt8 {
    /// What makes a number easier to read and means nothing (RFC 3966 section 3).
    fileprivate var isVisualSeparator: Bool {
        self == UInt8(ascii: "-") || self == UInt8(ascii: ".") || self == UInt8(ascii: "(") || self == UInt8(ascii: ")")
    }
}
