/// The figures of a load as text and as JSON.
public struct LoadReport {
    private let figures: LoadFigures
    private let plan: LoadPlan

    /// Reports on a load.
    public init(_ figures: LoadFigures, _ plan: LoadPlan) {
        self.figures = figures
        self.plan = plan
    }

    /// A table, then failures by kind.
    public var text: String {
        var lines = [
            "\(figures.registered) of \(plan.phones) phones registered; set-up took \(Self.decimal(figures.setUpSeconds)) s"
        ]
        var rows = [["", "done", "failed", "a second", "p50", "p99", "p99.9", "most"]]
        for operation in Operation.allCases where figures[operation].begun > 0 {
            let one = figures[operation]
            let rate = operation == .setUp ? figures.setUpSeconds : figures.seconds
            rows.append([
                operation.name, "\(one.succeeded)", "\(one.failed)",
                rate > 0 ? Self.decimal(Double(one.succeeded) / rate) : "-",
                Self.time(one.times.quantile(0.5)), Self.time(one.times.quantile(0.99)),
                Self.time(one.times.quantile(0.999)), one.times.count > 0 ? Self.time(one.times.longest) : "-",
            ])
        }
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let cells = row.indices.map { column in
                let pad = String(repeating: " ", count: widths[column] - row[column].count)
                return column == 0 ? row[column] + pad : pad + row[column]
            }
            lines.append(cells.joined(separator: "  "))
        }
        for operation in Operation.allCases {
            for (why, count) in figures[operation].failures.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }) {
                lines.append("\(operation.name) failed \(count) times: \(why)")
            }
        }
        let ended = figures.ended
        if ended > 0 {
            var cpu = "CPU of an operation: \(Self.decimal(Double(figures.ownCPU) / Double(ended))) us here"
            if let server = figures.serverCPU {
                cpu += ", \(Self.decimal(Double(server) / Double(ended))) us in the server"
            }
            lines.append(cpu)
        }
        if let memory = figures.serverMemory, figures.registered > 0 {
            lines.append(
                "memory of the server: \((memory.after - memory.before) / Int64(figures.registered)) bytes a phone"
            )
        }
        return lines.joined(separator: "\n")
    }

    /// One JSON object, its keys those of `docs/load.md`.
    public var json: String {
        var operations: [String] = []
        for operation in Operation.allCases where figures[operation].begun > 0 {
            let one = figures[operation]
            let failures = one.failures.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value)" }
            let times = [("p50_us", 0.5), ("p90_us", 0.9), ("p99_us", 0.99), ("p999_us", 0.999)].map {
                "\"\($0.0)\":\(one.times.quantile($0.1) ?? 0)"
            }
            operations.append(
                "\(Self.quoted(operation.name)):{\"begun\":\(one.begun),\"done\":\(one.succeeded),"
                    + "\"failed\":\(one.failed),\(times.joined(separator: ",")),\"max_us\":\(one.times.longest),"
                    + "\"failures\":{\(failures.joined(separator: ","))}}"
            )
        }
        var fields = [
            "\"phones\":\(plan.phones)", "\"registered\":\(figures.registered)",
            "\"setup_s\":\(Self.decimal(figures.setUpSeconds, digits: 3))",
            "\"seconds\":\(Self.decimal(figures.seconds, digits: 3))", "\"own_cpu_us\":\(figures.ownCPU)",
        ]
        if let cpu = figures.serverCPU { fields.append("\"server_cpu_us\":\(cpu)") }
        if let memory = figures.serverMemory {
            fields.append("\"server_memory_before\":\(memory.before),\"server_memory_after\":\(memory.after)")
        }
        fields.append("\"operations\":{\(operations.joined(separator: ","))}")
        return "{\(fields.joined(separator: ","))}"
    }

    /// A time as people read it; `-` for none.
    static func time(_ microseconds: Int64?) -> String {
        guard let microseconds else { return "-" }
        if microseconds < 1000 { return "\(microseconds) us" }
        if microseconds < 1_000_000 { return "\(decimal(Double(microseconds) / 1000)) ms" }
        return "\(decimal(Double(microseconds) / 1_000_000)) s"
    }

    /// So many digits behind the point.
    static func decimal(_ value: Double, digits: Int = 1) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int64((abs(value) * scale).rounded())
        let rest = String(whole % Int64(scale))
        let sign = value < 0 && whole > 0 ? "-" : ""
        return "\(sign)\(whole / Int64(scale)).\(String(repeating: "0", count: digits - rest.count))\(rest)"
    }

    /// A JSON string.
    static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case "\u{0}"..."\u{1f}":
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
