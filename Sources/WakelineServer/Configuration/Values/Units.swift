import SIP

/// Numbers with units, as people write them: `30s`, `64KB`.
enum Units {
    /// Milliseconds of a unit, the largest first.
    private static let durations: [(name: String, factor: Int64)] = [
        ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]
    /// Bytes of a unit, the largest first.
    private static let sizes: [(name: String, factor: Int64)] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)]

    /// Reads `500ms`, `30s`, `5m`, `1h`, `30d`, or plain seconds.
    static func duration(_ text: String) throws(ValueFault) -> Interval {
        let fault = ValueFault("\"\(text)\" is no duration", mend: "write 500ms, 30s, 5m, 1h, 30d or plain seconds")
        guard let (number, unit) = split(text) else { throw fault }
        guard let factor = unit.isEmpty ? 1_000 : durations.first(where: { $0.name == unit })?.factor else {
            throw fault
        }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw fault }
        return .milliseconds(value)
    }

    /// Reads `64KB`, `1MB`, `1GB`, or plain bytes.
    static func size(_ text: String) throws(ValueFault) -> Int {
        let fault = ValueFault("\"\(text)\" is no size", mend: "write 64KB, 1MB, 1GB or plain bytes")
        guard let (number, unit) = split(text) else { throw fault }
        let name = unit.uppercased()
        guard let factor = ["", "B"].contains(name) ? 1 : sizes.first(where: { $0.name == name })?.factor else {
            throw fault
        }
        let (value, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw fault }
        return Int(value)
    }

    /// A duration in the largest unit that says it exactly.
    static func text(_ interval: Interval) -> String {
        guard interval.milliseconds != 0 else { return "0s" }
        return text(interval.milliseconds, durations)
    }

    /// A size in the largest unit that says it exactly.
    static func text(size: Int) -> String {
        size == 0 ? "0" : text(Int64(size), sizes)
    }

    private static func text(_ value: Int64, _ units: [(name: String, factor: Int64)]) -> String {
        for unit in units where value % unit.factor == 0 { return "\(value / unit.factor)\(unit.name)" }
        return "\(value)"
    }

    private static func split(_ text: String) -> (number: Int64, unit: String)? {
        let digits = text.prefix { ("0"..."9").contains($0) && $0.isASCII }
        guard let number = Int64(digits) else { return nil }
        return (number, trimmed(text[digits.endIndex...]))
    }
}
