/// Reads comma-separated values (RFC 4180): quoted fields, doubled quotes, either line end.
struct CSVReader: Sequence, IteratorProtocol {
    /// One row, and the line where it begins.
    struct Row: Equatable {
        var line: Int
        var fields: [[UInt8]]
        /// What is wrong with it, when it can't be told into fields.
        var fault: String?
    }

    private let bytes: [UInt8]
    private var at = 0
    private var line = 1

    /// Reads a whole file.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark, as spreadsheets write it.
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { at = 3 }
    }

    /// The next row that is not empty.
    mutating func next() -> Row? {
        while at < bytes.count {
            let row = readRow()
            if row.fault != nil || row.fields != [[]] { return row }
        }
        return nil
    }

    private mutating func readRow() -> Row {
        var row = Row(line: line, fields: [])
        while true {
            row.fields.append(readField(&row.fault))
            guard at < bytes.count else { return row }
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: ",") { continue }
            line += 1
            return row
        }
    }

    /// Reads to the next comma or line end, and stays on it.
    private mutating func readField(_ fault: inout String?) -> [UInt8] {
        var field: [UInt8] = []
        let isQuoted = at < bytes.count && bytes[at] == UInt8(ascii: "\"")
        if isQuoted {
            at += 1
            readQuoted(&field, &fault)
        }
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: ","), bytes[at] != UInt8(ascii: "\n") { at += 1 }
        var rest = bytes[start..<at]
        if rest.last == UInt8(ascii: "\r"), at == bytes.count || bytes[at] == UInt8(ascii: "\n") { rest.removeLast() }
        if isQuoted, !rest.isEmpty {
            fault = fault ?? "there is something behind the closing quote"
        }
        return field + rest
    }

    /// Reads to the closing quote, and past it.
    private mutating func readQuoted(_ field: inout [UInt8], _ fault: inout String?) {
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard byte == UInt8(ascii: "\"") else {
                field.append(byte)
                continue
            }
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return }
            at += 1
            field.append(byte)
        }
        fault = "the quote is never closed"
    }
}
