import SIP
import Observability
import Storage

/// What the `account` subcommands do, on the accounts of one data directory.
public struct AccountCommands {
    private let terminal: Terminal
    private let directory: String

    /// Works on the data directory that a command line asks for; nil when that is wrong, which was reported.
    public init?(_ arguments: ParsedArguments, _ terminal: Terminal) {
        guard let configuration = ConfigurationOptions.load(arguments, for: .administration, terminal) else {
            return nil
        }
        self.terminal = terminal
        directory = configuration.data
    }

    /// Adds one account.
    ///
    /// - Parameters:
    ///   - address: `user@domain`.
    ///   - password: in clear, or `-` for the first line of the standard input.
    ///   - digest: a list of algorithms of its own, like `MD5`.
    ///   - replacing: whether an account that is there gets the new password.
    /// - Returns: the exit code.
    public func add(_ address: String, password: String, digest: String?, replacing: Bool) -> ExitCode {
        var secret = Array(password.utf8)
        if password == "-" {
            let line = terminal.input().flatMap { $0.split(separator: 0x0a, omittingEmptySubsequences: false).first }
            secret = Array(line ?? [])
            if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
        }
        guard !secret.isEmpty else { return refuse("the password is empty; give one") }
        var list: [DigestAlgorithm]?
        if let digest {
            list = DigestAlgorithm.list(digest)
            guard list != nil else { return refuse("--digest \(digest) is not known; write MD5 or SHA-256,MD5") }
        }
        return attempt { () throws(StorageError) in
            let address = try AccountAddress(address)
            guard let hasher = hasher() else { return .failure }
            let credentials = hasher.credentials(for: address, password: secret, digest: list)
            let account = Account(address: address, credentials: credentials)
            try open().add(account, now: wallClock(), replacing: replacing)
            terminal.print("added \(address)")
            return .success
        }
    }

    /// Removes one account.
    public func remove(_ address: String) -> ExitCode {
        attempt { () throws(StorageError) in
            let address = try AccountAddress(address)
            guard try open().remove(address) else { return refuse("there is no account \(address)") }
            terminal.print("removed \(address)")
            return .success
        }
    }

    /// Prints accounts in order, a line each.
    ///
    /// - Parameters:
    ///   - prefix: only addresses that begin like this.
    ///   - limit: no more than this many; must be a number.
    ///   - asJSON: whether each line is a JSON object.
    /// - Returns: the exit code.
    public func list(prefix: String?, limit: String?, asJSON: Bool) -> ExitCode {
        var bound: Int?
        if let limit {
            bound = Int(limit)
            guard let bound, bound >= 0 else { return refuse("--limit \(limit) is no number; write --limit 100") }
        }
        return attempt { () throws(StorageError) in
            var text = ""
            for account in try open().list(prefix: prefix ?? "", limit: bound) {
                text += asJSON ? json(account) : plain(account)
                if text.utf8.count > 1 << 16 {
                    terminal.output(text)
                    text = ""
                }
            }
            terminal.output(text)
            return .success
        }
    }

    /// Adds all accounts of a file, or none.
    ///
    /// - Parameters:
    ///   - path: comma-separated values with a header, or `-` for the standard input.
    ///   - replacing: whether accounts that are there get the new passwords.
    /// - Returns: the exit code.
    public func load(_ path: String, replacing: Bool) -> ExitCode {
        let bytes: [UInt8]
        switch path == "-" ? terminal.input().map(Result.success) ?? .failure(.noInput) : readWholeFile(path) {
        case .success(let read): bytes = read
        case .failure(let fault): return refuse("\(path): can't be read: \(fault.reason); check the path")
        }
        let file = AccountFile(bytes)
        guard file.problems.isEmpty else {
            for problem in file.problems.prefix(50) { terminal.report("\(path):\(problem.line): \(problem.what)") }
            if file.problems.count > 50 { terminal.report("\(path): and \(file.problems.count - 50) more") }
            terminal.report("nothing was imported")
            return .usage
        }
        return attempt { () throws(StorageError) in
            guard let hasher = hasher() else { return .failure }
            let database = try open()
            let progress = Progress(total: file.rows.count, terminal)
            defer { progress.end() }
            let accounts = file.rows.lazy.map { row in
                Account(
                    address: row.address,
                    credentials: hasher.credentials(for: row.address, password: row.password, digest: row.digest)
                )
            }
            var done = 0
            do throws(StorageError) {
                _ = try database.add(all: accounts, now: wallClock(), replacing: replacing) {
                    done = $0
                    progress.update($0)
                }
            } catch {
                progress.end()
                if error.kind == .exists { terminal.report("\(path):\(file.rows[done].line): nothing was imported") }
                throw error
            }
            progress.end()
            terminal.print("imported \(done) accounts into \(database.path)")
            return .success
        }
    }

    private func open() throws(StorageError) -> AccountDatabase {
        try AccountDatabase(DataDirectory(path: directory))
    }

    private func hasher() -> PasswordHasher? {
        do throws(CryptoError) {
            return try PasswordHasher()
        } catch {
            terminal.report("\(error); check the installation of OpenSSL")
            return nil
        }
    }

    private func refuse(_ text: String) -> ExitCode {
        terminal.report(text)
        return .usage
    }

    private func attempt(_ body: () throws(StorageError) -> ExitCode) -> ExitCode {
        do throws(StorageError) {
            return try body()
        } catch {
            terminal.report("\(error)")
            return ExitCode(error)
        }
    }

    private func plain(_ account: AccountSummary) -> String {
        let digest = account.digest.map { "  \($0)" } ?? ""
        return "\(account.address)  \(Timestamp.text(account.created))\(digest)\n"
    }

    private func json(_ account: AccountSummary) -> String {
        var out = Array("{\"address\":".utf8)
        Escaping.appendQuoted(account.address, to: &out)
        out += Array(",\"created\":\"\(Timestamp.text(account.created))\",\"digest\":".utf8)
        if let digest = account.digest { Escaping.appendQuoted(digest, to: &out) } else { out += Array("null".utf8) }
        return String(decoding: out, as: UTF8.self) + "}\n"
    }
}

extension FileFault {
    fileprivate static let noInput = FileFault(reason: "the standard input can't be read")
}
