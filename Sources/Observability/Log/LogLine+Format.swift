extension LogLine {
    /// Appends the line, with its end, in a format.
    func append(as format: LogFormat, to out: inout [UInt8]) {
        switch format {
        case .logfmt: appendLogfmt(to: &out)
        case .json: appendJSON(to: &out)
        }
    }

    private func appendLogfmt(to out: inout [UInt8]) {
        out.append(contentsOf: "at=".utf8)
        Timestamp.append(wall, to: &out)
        out.append(contentsOf: " level=".utf8)
        out.append(contentsOf: level.name.utf8)
        out.append(contentsOf: " subsystem=".utf8)
        appendValue(subsystem, to: &out)
        out.append(contentsOf: " msg=".utf8)
        Escaping.appendQuoted(message, to: &out)
        for field in fields {
            out.append(UInt8(ascii: " "))
            // A key is a constant of the program; should one ever not be, it must not break the line.
            out.append(contentsOf: field.key.utf8.map { Escaping.isPlain($0) ? $0 : UInt8(ascii: "_") })
            out.append(UInt8(ascii: "="))
            appendValue(field.value, to: &out)
        }
        out.append(UInt8(ascii: "\n"))
    }

    private func appendValue(_ value: String, to out: inout [UInt8]) {
        if !value.isEmpty, value.utf8.allSatisfy(Escaping.isPlain) {
            out.append(contentsOf: value.utf8)
        } else {
            Escaping.appendQuoted(value, to: &out)
        }
    }

    private func appendJSON(to out: inout [UInt8]) {
        out.append(contentsOf: "{\"at\":\"".utf8)
        Timestamp.append(wall, to: &out)
        out.append(contentsOf: "\",\"level\":\"".utf8)
        out.append(contentsOf: level.name.utf8)
        out.append(UInt8(ascii: "\""))
        let rest = [LogField("subsystem", subsystem), LogField("msg", message)] + fields
        for field in rest {
            out.append(UInt8(ascii: ","))
            Escaping.appendQuoted(field.key, to: &out)
            out.append(UInt8(ascii: ":"))
            Escaping.appendQuoted(field.value, to: &out)
        }
        out.append(contentsOf: "}\n".utf8)
    }
}
