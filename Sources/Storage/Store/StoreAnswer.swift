/// What a store reports to the one who asked.
public enum StoreAnswer: Sendable, Equatable {
    /// All appends up to this ticket that have not failed are on the disk.
    case committed(through: UInt64)
    /// These appends are not known to be on the disk, and are not tried again.
    case failed([UInt64], StorageError)
    /// A look-up: the account's credentials, or nil when there is no such account.
    case account(ticket: UInt64, AccountCredentials?)
    /// A look-up that could not be done.
    case lookUpFailed(ticket: UInt64, StorageError)
    /// Another process changed the accounts, or the store has just opened: forget what is cached.
    ///
    /// `exceptions` are all accounts with a list of digest algorithms of their own.
    case accountsChanged(exceptions: [AccountException])
}

/// How a store keeps things.
public struct StoreSettings: Sendable, Hashable {
    /// A log of bindings is closed and merged into the snapshot once it has this many rows.
    public var rowsPerLog = 200_000
    /// The least time from the start of one commit to the start of the next, in microseconds.
    ///
    /// Requests that come in between share one commit: at 20,000 a second this halves the work.
    public var commitFloor: Int64 = 1_000
    /// How often the accounts are looked at for changes by other processes, in milliseconds.
    public var accountCheck: Int64 = 1_000
    /// The first pause after a failed commit, in milliseconds; it doubles up to `longestPause`.
    public var firstPause: Int64 = 100
    /// The longest pause between two tries to write again, in milliseconds.
    public var longestPause: Int64 = 5_000
    /// A bound on one log's size in pages of 4 KB; nil for none.
    var maximumPages: Int?

    /// The defaults.
    public init() {}
}

/// What a store has done since it opened.
public struct StoreStatistics: Sendable, Hashable {
    /// Appends that are on the disk.
    public var appends = 0
    /// Appends that failed.
    public var failedAppends = 0
    /// Transactions, each with one sync.
    public var commits = 0
    /// Look-ups of accounts.
    public var lookUps = 0
    /// Closed logs that are not merged into the snapshot yet.
    public var logsToMerge = 0
}
