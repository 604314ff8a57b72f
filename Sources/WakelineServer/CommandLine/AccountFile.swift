import SIP
import Storage

/// A list of accounts to import: rows of `address,password`, below a header that says so.
struct AccountFile {
    /// One account, and the line it came from.
    struct Row {
        var line: Int
        var address: AccountAddress
        var password: [UInt8]
        var digest: [DigestAlgorithm]?
    }

    /// The rows, in order.
    private(set) var rows: [Row] = []
    /// What is wrong: one line each, with its line number.
    private(set) var problems: [(line: Int, what: String)] = []

    private enum Column: String, CaseIterable {
        case address, password, digest
    }

    /// Reads a whole file; all bad rows are found.
    init(_ bytes: [UInt8]) {
        var reader = CSVReader(bytes)
        guard let header = reader.next() else {
            problems.append((1, "the file is empty; the first line must be: address,password"))
            return
        }
        guard let columns = columns(of: header) else { return }
        var seen: [AccountAddress: Int] = [:]
        while let row = reader.next() {
            if let read = read(row, columns), let first = seen.updateValue(row.line, forKey: read.address) {
                problems.append((row.line, "\(read.address) is in line \(first) already; keep one of the two"))
            }
        }
    }

    private mutating func columns(of header: CSVReader.Row) -> [Column]? {
        let names = header.fields.map { trimmed(String(decoding: $0, as: UTF8.self)).lowercased() }
        let columns = names.compactMap { Column(rawValue: $0) }
        let isKnown = columns.count == names.count && Set(columns).count == columns.count
        guard header.fault == nil, isKnown, columns.contains(.address), columns.contains(.password) else {
            problems.append((header.line, "the first line must be: address,password (or address,password,digest)"))
            return nil
        }
        return columns
    }

    private mutating func read(_ row: CSVReader.Row, _ columns: [Column]) -> Row? {
        if let fault = row.fault {
            problems.append((row.line, "\(fault); write \"\" for a quote within quotes"))
            return nil
        }
        guard row.fields.count == columns.count else {
            problems.append(
                (row.line, "\(row.fields.count) fields instead of \(columns.count); quote what has a comma")
            )
            return nil
        }
        var fields: [Column: [UInt8]] = [:]
        for (column, field) in zip(columns, row.fields) { fields[column] = field }
        do throws(StorageError) {
            let text = String(decoding: fields[.address] ?? [], as: UTF8.self)
            let password = fields[.password] ?? []
            var digest: [DigestAlgorithm]?
            let address = try AccountAddress(trimmed(text))
            guard !password.isEmpty else {
                problems.append((row.line, "the password is empty"))
                return nil
            }
            if let list = fields[.digest], !list.isEmpty {
                digest = DigestAlgorithm.list(String(decoding: list, as: UTF8.self))
                guard digest != nil else {
                    problems.append((row.line, "the digest list is not known; write MD5 or \"SHA-256,MD5\""))
                    return nil
                }
            }
            let read = Row(line: row.line, address: address, password: password, digest: digest)
            rows.append(read)
            return read
        } catch {
            problems.append((row.line, error.description))
            return nil
        }
    }
}
