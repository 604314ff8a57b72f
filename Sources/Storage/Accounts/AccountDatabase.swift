/// The accounts of a data directory: `accounts.db`.
///
/// The command line and a running server may use it at once: readers never wait, and writers wait for each other.
/// One object belongs to one thread.
public final class AccountDatabase {
    /// The name of the file.
    public static let fileName = "accounts.db"

    static let schema = Schema(
        content: "accounts",
        migrations: [
            """
            CREATE TABLE accounts (
                address TEXT PRIMARY KEY,
                ha1_md5 TEXT NOT NULL,
                ha1_sha256 TEXT NOT NULL,
                digest TEXT,
                created INTEGER NOT NULL
            ) WITHOUT ROWID;
            CREATE INDEX accounts_digest ON accounts (address, digest) WHERE digest IS NOT NULL;
            """
        ]
    )

    /// Where the file is.
    public var path: String { database.path }

    private let database: Database
    private let select: Statement
    private let insert: Statement

    /// Opens the accounts of a data directory, and makes the file when it is missing.
    public init(_ directory: DataDirectory) throws(StorageError) {
        database = try Database(path: directory.file(Self.fileName), busyTimeout: 5_000)
        try database.useWriteAheadLog()
        // What is looked up is remembered elsewhere, and the kernel caches the file.
        try database.execute("PRAGMA synchronous=FULL; PRAGMA cache_size=-128")
        try Self.schema.prepare(database)
        select = try database.prepare("SELECT ha1_md5, ha1_sha256, digest FROM accounts WHERE address = ?")
        insert = try database.prepare(
            """
            INSERT INTO accounts (address, ha1_md5, ha1_sha256, digest, created) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (address) DO UPDATE SET ha1_md5 = ?2, ha1_sha256 = ?3, digest = ?4 WHERE ?6
            """
        )
    }

    /// Adds one account.
    ///
    /// - Parameters:
    ///   - account: whom.
    ///   - now: milliseconds since 1970-01-01 00:00 UTC.
    ///   - replacing: whether an account of the same address gets the new credentials.
    /// - Throws: an error of kind `exists` when it is there and must not be replaced.
    public func add(_ account: Account, now: Int64, replacing: Bool = false) throws(StorageError) {
        try write(account, now: now, replacing: replacing)
    }

    /// Adds many accounts: all of them or, at the first error, none.
    ///
    /// - Parameters:
    ///   - accounts: made as they are needed, so hashing can go on in between.
    ///   - now: milliseconds since 1970-01-01 00:00 UTC.
    ///   - replacing: whether accounts that are there get the new credentials.
    ///   - progress: called after each account with the number done.
    /// - Returns: how many were written.
    /// - Throws: an error of kind `exists` when one is there and must not be replaced.
    public func add(
        all accounts: some Sequence<Account>,
        now: Int64,
        replacing: Bool = false,
        progress: (Int) -> Void = { _ in }
    ) throws(StorageError) -> Int {
        try database.transaction { () throws(StorageError) in
            var count = 0
            for account in accounts {
                try write(account, now: now, replacing: replacing)
                count += 1
                progress(count)
            }
            return count
        }
    }

    /// Removes an account; returns whether it was there.
    public func remove(_ address: AccountAddress) throws(StorageError) -> Bool {
        let statement = try database.prepare("DELETE FROM accounts WHERE address = ?")
        try statement.bind(1, text: address.bytes)
        try statement.run()
        return database.changes > 0
    }

    /// Accounts in the order of their addresses.
    ///
    /// - Parameters:
    ///   - prefix: only addresses that begin like this.
    ///   - limit: no more than this many.
    /// - Returns: what can be shown of them.
    /// - Throws: what the database says.
    public func list(prefix: String = "", limit: Int? = nil) throws(StorageError) -> [AccountSummary] {
        let statement = try database.prepare(
            """
            SELECT address, digest, created FROM accounts
            WHERE address >= ?1 AND substr(CAST(address AS BLOB), 1, length(CAST(?1 AS BLOB))) = CAST(?1 AS BLOB)
            ORDER BY address LIMIT ?2
            """
        )
        try statement.bind(1, text: prefix)
        try statement.bind(2, Int64(limit ?? -1))
        var found: [AccountSummary] = []
        while try statement.step() {
            let digest = statement.isNull(1) ? nil : statement.text(1)
            found.append(AccountSummary(address: statement.text(0), digest: digest, created: statement.number(2)))
        }
        return found
    }

    /// Number of accounts.
    public func count() throws(StorageError) -> Int {
        Int(try database.number("SELECT count(*) FROM accounts"))
    }

    /// The credentials of an account, or nil when there is none.
    ///
    /// - Parameter account: the bytes of `user@domain`; the domain in any case.
    /// - Returns: what its password is checked against.
    /// - Throws: what the database says.
    public func lookUp(_ account: [UInt8]) throws(StorageError) -> AccountCredentials? {
        defer { select.reset() }
        try select.bind(1, text: AccountAddress.folded(account))
        guard try select.step() else { return nil }
        return AccountCredentials(
            ha1MD5: select.bytes(0),
            ha1SHA256: select.bytes(1),
            digest: select.isNull(2) ? nil : select.text(2)
        )
    }

    /// Runs look-ups on one state of the file, which is locked once for all of them.
    ///
    /// Where that can't be had, each of them finds out by itself what is wrong.
    func together(_ lookUps: () -> Void) {
        let isTogether = (try? database.execute("BEGIN")) != nil
        lookUps()
        guard isTogether else { return }
        if (try? database.execute("COMMIT")) == nil { database.rollBack() }
    }

    /// The accounts with a list of digest algorithms of their own.
    public func exceptions() throws(StorageError) -> [AccountException] {
        let statement = try database.prepare("SELECT address, digest FROM accounts WHERE digest IS NOT NULL")
        var found: [AccountException] = []
        while try statement.step() {
            found.append(AccountException(account: statement.bytes(0), digest: statement.text(1)))
        }
        return found
    }

    /// A number that changes whenever another connection has changed the file.
    func changeMark() throws(StorageError) -> Int64 {
        try database.number("PRAGMA data_version")
    }

    private func write(_ account: Account, now: Int64, replacing: Bool) throws(StorageError) {
        try insert.bind(1, text: account.address.bytes)
        try insert.bind(2, text: account.credentials.ha1MD5)
        try insert.bind(3, text: account.credentials.ha1SHA256)
        try insert.bind(4, text: account.credentials.digest)
        try insert.bind(5, now)
        try insert.bind(6, replacing ? 1 : 0)
        try insert.run()
        guard database.changes > 0 else {
            throw StorageError(.exists, file: path, detail: "the account \(account.address) exists")
        }
    }
}
