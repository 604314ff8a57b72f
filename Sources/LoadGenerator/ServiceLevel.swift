/// What a load must reach, as people write it: `call.p99<50ms`, `message.failed<0.1%`, `registered=100%`, `call.rate>450`.
public struct ServiceLevel: Sendable, CustomStringConvertible {
    private enum Figure: Sendable {
        case quantile(Operation, Double)
        case failed(Operation?)
        case rate(Operation)
        case registered
    }

    private enum Comparison: Sendable { case less, more, equal }

    private let figure: Figure
    private let comparison: Comparison
    /// Microseconds, a share from 0 to 1, or operations a second.
    private let bound: Double
    /// As it was written.
    public let description: String

    /// Reads a level.
    ///
    /// - Throws: what is wrong with it, with the mend.
    public init(_ text: String) throws(ServiceLevelError) {
        description = text
        guard let sign = text.firstIndex(where: { "<>=".contains($0) }) else { throw .noComparison(text) }
        let name = text[..<sign].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let value = String(text[text.index(after: sign)...])
        comparison = text[sign] == "<" ? .less : text[sign] == ">" ? .more : .equal
        switch (name.count, name.last) {
        case (1, "registered"):
            figure = .registered
            bound = try Self.share(value)
        case (1, "failed"):
            figure = .failed(nil)
            bound = try Self.share(value)
        case (2, let what?):
            guard let operation = Operation(name[0]) else { throw .unknownOperation(name[0]) }
            switch what {
            case "failed":
                figure = .failed(operation)
                bound = try Self.share(value)
            case "rate":
                figure = .rate(operation)
                guard let rate = Double(value) else { throw .badValue(value, wanted: "operations a second: 450") }
                bound = rate
            default:
                guard what.first == "p", let perCent = Double(what.dropFirst()), (0...100).contains(perCent) else {
                    throw .unknownFigure(what)
                }
                figure = .quantile(operation, perCent / 100)
                bound = try Self.microseconds(value)
            }
        default: throw .unknownFigure(text)
        }
    }

    /// What was reached, and whether it is enough.
    public func judge(_ figures: LoadFigures, phones: Int) -> (isMet: Bool, reached: String) {
        let reached: Double?
        let text: String
        switch figure {
        case .quantile(let operation, let share):
            let time = figures[operation].times.quantile(share)
            reached = time.map(Double.init)
            text = time.map { LoadReport.time($0) } ?? "nothing measured"
        case .failed(let operation):
            let operations = operation.map { [$0] } ?? Operation.allCases
            let failed = operations.reduce(0) { $0 + figures[$1].failed }
            let all = operations.reduce(failed) { $0 + figures[$1].succeeded }
            reached = all > 0 ? Double(failed) / Double(all) : nil
            text = "\(failed) of \(all)"
        case .rate(let operation):
            let rate = figures.seconds > 0 ? Double(figures[operation].succeeded) / figures.seconds : 0
            reached = rate
            text = "\(Int(rate.rounded())) a second"
        case .registered:
            reached = Double(figures.registered) / Double(max(phones, 1))
            text = "\(figures.registered) of \(phones)"
        }
        guard let reached else { return (false, text) }
        switch comparison {
        case .less: return (reached < bound || reached == 0, text)
        case .more: return (reached > bound, text)
        case .equal: return (abs(reached - bound) < 1e-9, text)
        }
    }

    private static func share(_ text: String) throws(ServiceLevelError) -> Double {
        guard text.hasSuffix("%"), let value = Double(text.dropLast()), (0...100).contains(value) else {
            throw .badValue(text, wanted: "a share: 0.1%")
        }
        return value / 100
    }

    private static func microseconds(_ text: String) throws(ServiceLevelError) -> Double {
        for (unit, factor) in [("us", 1.0), ("ms", 1000), ("s", 1_000_000)] where text.hasSuffix(unit) {
            if let value = Double(text.dropLast(unit.count)), value >= 0 { return value * factor }
        }
        throw .badValue(text, wanted: "a time: 50ms")
    }
}

/// Why a service level can't be read.
public enum ServiceLevelError: Error, Hashable, Sendable, CustomStringConvertible {
    case noComparison(String)
    case unknownOperation(String)
    case unknownFigure(String)
    case badValue(String, wanted: String)

    /// What is wrong, and the mend.
    public var description: String {
        switch self {
        case .noComparison(let text):
            "\"\(text)\" compares nothing; write call.p99<50ms, failed<0.1% or registered=100%"
        case .unknownOperation(let name):
            "\"\(name)\" is no operation; choose one of \(Operation.allCases.map(\.name).joined(separator: ", "))"
        case .unknownFigure(let name): "\"\(name)\" is no figure; choose p50, p99, p99.9, failed, rate or registered"
        case .badValue(let value, let wanted): "\"\(value)\" can't be read; write \(wanted)"
        }
    }
}
