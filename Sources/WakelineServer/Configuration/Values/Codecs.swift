import Flows
import Observability
import SIP

extension Codec where Value == Interval {
    /// Durations within bounds.
    static func duration(from least: Interval = .zero, to most: Interval = .seconds(365 * 86_400)) -> Codec {
        scalar(
            "duration",
            { text throws(ValueFault) in
                let value = try Units.duration(text)
                guard (least...most).contains(value) else {
                    let range = "from \(Units.text(least)) to \(Units.text(most))"
                    throw ValueFault("\"\(text)\" is not \(range)", mend: "write a duration \(range)")
                }
                return value
            },
            Units.text
        )
    }
}

extension Codec where Value == Int {
    /// Sizes in bytes, within bounds.
    static func size(_ range: ClosedRange<Int>) -> Codec {
        scalar(
            "size",
            { text throws(ValueFault) in try within(range, try Units.size(text), text, Units.text(size:)) },
            Units.text(size:)
        )
    }

    /// Whole numbers within bounds.
    static func number(_ range: ClosedRange<Int>) -> Codec {
        scalar(
            "number",
            { text throws(ValueFault) in
                guard let value = Int(text) else {
                    throw ValueFault("\"\(text)\" is no whole number", mend: "write a number like \(range.upperBound)")
                }
                return try within(range, value, text) { "\($0)" }
            },
            { "\($0)" }
        )
    }

    private static func within(
        _ range: ClosedRange<Int>,
        _ value: Int,
        _ text: String,
        _ show: (Int) -> String
    ) throws(ValueFault) -> Int {
        guard range.contains(value) else {
            let bounds = "from \(show(range.lowerBound)) to \(show(range.upperBound))"
            throw ValueFault("\"\(text)\" is not \(bounds)", mend: "write a value \(bounds)")
        }
        return value
    }
}

extension Codec where Value == Double {
    /// Parts of a whole, from 0 to below 1.
    static var fraction: Codec {
        scalar(
            "fraction",
            { text throws(ValueFault) in
                guard let value = Double(text), (0..<1).contains(value) else {
                    throw ValueFault("\"\(text)\" is no fraction", mend: "write a number from 0 to below 1, like 0.1")
                }
                return value
            },
            { "\($0)" }
        )
    }
}

extension Codec where Value == Bool {
    /// Yes or no.
    static var bool: Codec {
        scalar(
            "true or false",
            { text throws(ValueFault) in
                switch text.lowercased() {
                case "true", "yes", "on": return true
                case "false", "no", "off": return false
                default: throw ValueFault("\"\(text)\" is neither true nor false", mend: "write true or false")
                }
            },
            { "\($0)" }
        )
    }
}

extension Codec where Value == String {
    /// A path.
    static var path: Codec {
        scalar(
            "path",
            { text throws(ValueFault) in
                guard !text.isEmpty else { throw ValueFault("the path is empty", mend: "write a path") }
                return text
            },
            quoted
        )
    }

    /// A domain name or an IPv4 address, made lower case.
    static var domain: Codec {
        scalar(
            "domain",
            { text throws(ValueFault) in
                guard isHostName(text) else {
                    throw ValueFault("\"\(text)\" is no domain", mend: "write a name like example.com, without a port")
                }
                return text.lowercased()
            },
            quoted
        )
    }
}

extension Codec where Value: Sendable {
    /// One of a few words.
    static func word(_ form: String, _ words: [(String, Value)], _ show: @escaping @Sendable (Value) -> String) -> Codec
    {
        scalar(
            form,
            { text throws(ValueFault) in
                guard let found = words.first(where: { $0.0 == text.lowercased() }) else {
                    let known = words.map(\.0)
                    let close = Suggestion.closest(to: text, among: known).map { "\"\($0)\"" }
                    throw ValueFault(
                        "\"\(text)\" is no \(form)",
                        mend: close.map { "did you mean \($0)?" } ?? "write \(known.joined(separator: ", "))"
                    )
                }
                return found.1
            },
            show
        )
    }
}

extension Codec where Value == LogLevel {
    /// A level of logging.
    static var level: Codec { word("log level", LogLevel.allCases.map { ($0.name, $0) }, \.name) }
}

extension Codec where Value == LogFormat {
    /// A format of log lines.
    static var logFormat: Codec { word("log format", LogFormat.allCases.map { ($0.rawValue, $0) }, \.rawValue) }
}

extension Codec where Value == DigestAlgorithm {
    /// A digest algorithm.
    static var algorithm: Codec {
        word("algorithm", DigestAlgorithm.allCases.map { ($0.text.lowercased(), $0) }, \.text)
    }
}

extension Codec where Value == ListenAddress {
    /// A place to accept connections.
    static var listenAddress: Codec {
        scalar(
            "tcp://ADDRESS:PORT",
            { text throws(ValueFault) in
                do throws(ListenAddressError) {
                    return try ListenAddress(text)
                } catch {
                    throw ValueFault(error.problem, mend: error.mend)
                }
            },
            { quoted($0.description) }
        )
    }
}

extension Codec where Value == CIDR {
    /// A range of addresses.
    static var addressRange: Codec {
        scalar(
            "ADDRESS/LENGTH",
            { text throws(ValueFault) in
                do throws(CIDRError) {
                    return try CIDR(text)
                } catch {
                    throw ValueFault(error.problem, mend: error.mend)
                }
            },
            { quoted($0.description) }
        )
    }
}

extension Codec where Value == Configuration.AdvertisedAddress? {
    /// A host, with or without a port, or nothing.
    static var advertised: Codec {
        scalar(
            "HOST[:PORT]",
            { text throws(ValueFault) in try Configuration.AdvertisedAddress(text) },
            { $0.map { quoted($0.description) } ?? "" }
        )
    }
}
