import Observability
import SIP

/// An event as it is told: a line for people, and the same in fields for programs.
struct EventRecord {
    /// What kind it is; stable.
    var type: String
    /// For people.
    var text: String
    /// For programs; the keys are stable.
    var fields: [(key: String, value: Value)] = []

    /// A value of JSON.
    enum Value {
        case text(String)
        case whole(Int64)
        case number(Double)
        case truth(Bool)
        case nothing
    }

    /// The record as one JSON object.
    ///
    /// - Parameter wall: milliseconds since 1970.
    /// - Returns: the object, without a line end.
    func json(at wall: Int64) -> String {
        var out: [UInt8] = Array("{\"type\":".utf8)
        Escaping.appendQuoted(type, to: &out)
        out.append(contentsOf: ",\"time\":\"".utf8)
        Timestamp.append(wall, to: &out)
        out.append(UInt8(ascii: "\""))
        for (key, value) in fields {
            out.append(UInt8(ascii: ","))
            Escaping.appendQuoted(key, to: &out)
            out.append(UInt8(ascii: ":"))
            switch value {
            case .text(let text): Escaping.appendQuoted(text, to: &out)
            case .whole(let number): out.append(contentsOf: "\(number)".utf8)
            case .number(let number): out.append(contentsOf: (number.isFinite ? "\(number)" : "null").utf8)
            case .truth(let isTrue): out.append(contentsOf: (isTrue ? "true" : "false").utf8)
            case .nothing: out.append(contentsOf: "null".utf8)
            }
        }
        out.append(UInt8(ascii: "}"))
        return String(decoding: out, as: UTF8.self)
    }
}

extension EventRecord.Value {
    /// Seconds with three digits.
    static func seconds(_ interval: Interval?) -> EventRecord.Value {
        interval.map { .number(Double($0.milliseconds) / 1000) } ?? .nothing
    }

    static func text(_ string: ByteString) -> EventRecord.Value { .text(string.description) }
}
