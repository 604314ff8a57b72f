/// A report as one HTML page with plots, which needs nothing but itself.
public struct LoadPage {
    private let figures: LoadFigures
    private let plan: LoadPlan
    private let levels: [ServiceLevel]

    /// Reports on a load.
    public init(_ figures: LoadFigures, _ plan: LoadPlan, _ levels: [ServiceLevel]) {
        self.figures = figures
        self.plan = plan
        self.levels = levels
    }

    private static let colours = [
        "#4363d8", "#3cb44b", "#f58231", "#911eb4", "#e6194b", "#008080", "#9a6324", "#808000",
    ]

    /// The page.
    public var html: String {
        let active = Operation.allCases.filter { operation in
            figures.samples.contains { $0.succeeded[operation.rawValue] > 0 }
        }
        func series(_ value: (LoadFigures.Sample, Operation) -> Double) -> [(String, String, [Double])] {
            active.map { operation in
                (operation.name, Self.colours[operation.rawValue], figures.samples.map { value($0, operation) })
            }
        }
        var parts = [
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Load</title><style>",
            "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}",
            "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ddd}",
            "td:first-child,th:first-child{text-align:left}.missed{color:#b00}svg{width:100%;height:auto}</style></head><body>",
            "<h1>Load: \(plan.phones) phones</h1><p>\(figures.registered) registered; set-up took ",
            "\(LoadReport.decimal(figures.setUpSeconds)) s; measured for \(LoadReport.decimal(figures.seconds)) s.</p>",
            table,
        ]
        if !levels.isEmpty { parts.append(judged) }
        parts.append("<h2>Done each second</h2>" + plot(series { Double($0.succeeded[$1.rawValue]) }, unit: "/s"))
        parts.append("<h2>p50, milliseconds</h2>" + plot(series { Double($0.p50[$1.rawValue]) / 1000 }, unit: " ms"))
        parts.append("<h2>p99, milliseconds</h2>" + plot(series { Double($0.p99[$1.rawValue]) / 1000 }, unit: " ms"))
        if figures.samples.contains(where: { $0.failed > 0 }) {
            let failed = [("failed", "#e6194b", figures.samples.map { Double($0.failed) })]
            parts.append("<h2>Failed each second</h2>" + plot(failed, unit: "/s"))
        }
        return parts.joined() + "</body></html>\n"
    }

    private var table: String {
        var rows = [
            "<table><tr><th></th><th>done</th><th>failed</th><th>p50</th><th>p99</th><th>p99.9</th><th>most</th></tr>"
        ]
        for operation in Operation.allCases where figures[operation].begun > 0 {
            let one = figures[operation]
            let times = [0.5, 0.99, 0.999].map { "<td>\(LoadReport.time(one.times.quantile($0)))</td>" }.joined()
            rows.append(
                "<tr><td>\(operation.name)</td><td>\(one.succeeded)</td><td>\(one.failed)</td>\(times)"
                    + "<td>\(LoadReport.time(one.times.longest))</td></tr>"
            )
        }
        rows.append("</table>")
        for operation in Operation.allCases {
            for (why, count) in figures[operation].failures.sorted(by: { $0.key < $1.key }) {
                rows.append("<p class=\"missed\">\(operation.name): \(count) times \(Self.escaped(why))</p>")
            }
        }
        return rows.joined()
    }

    private var judged: String {
        let items = levels.map { level in
            let verdict = level.judge(figures, phones: plan.phones)
            let words = "\(level.description): \(verdict.isMet ? "reached" : "missed"), it was \(verdict.reached)"
            return "<li\(verdict.isMet ? "" : " class=\"missed\"")>\(Self.escaped(words))</li>"
        }
        return "<h2>Service levels</h2><ul>\(items.joined())</ul>"
    }

    /// Lines over the seconds of the load.
    private func plot(_ series: [(name: String, colour: String, values: [Double])], unit: String) -> String {
        let width = 900.0
        let height = 240.0
        let most = max(series.flatMap(\.values).max() ?? 0, 0.001)
        let count = max(figures.samples.count - 1, 1)
        var out = "<svg viewBox=\"0 0 \(Int(width) + 90) \(Int(height) + 30)\" role=\"img\">"
        for step in 0...4 {
            let y = height - height * Double(step) / 4 + 6
            let value = LoadReport.decimal(most * Double(step) / 4)
            out += "<line x1=\"80\" x2=\"\(Int(width) + 80)\" y1=\"\(Int(y))\" y2=\"\(Int(y))\" stroke=\"#ddd\"/>"
            out += "<text x=\"74\" y=\"\(Int(y) + 5)\" text-anchor=\"end\" font-size=\"13\">\(value)\(unit)</text>"
        }
        for line in series {
            let points = line.values.enumerated().map { index, value in
                let x = 80 + width * Double(index) / Double(count)
                return "\(LoadReport.decimal(x)),\(LoadReport.decimal(height - height * value / most + 6))"
            }
            out +=
                "<polyline fill=\"none\" stroke=\"\(line.colour)\" stroke-width=\"2\" points=\"\(points.joined(separator: " "))\"/>"
        }
        for (index, line) in series.enumerated() {
            out +=
                "<text x=\"\(90 + index * 110)\" y=\"\(Int(height) + 26)\" font-size=\"13\" fill=\"\(line.colour)\">\(line.name)</text>"
        }
        return out + "</svg>"
    }

    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text {
            switch character {
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "&": out += "&amp;"
            default: out.append(character)
            }
        }
        return out
    }
}
