/// What a server must know to check a password, and never the password itself.
///
/// `H(user:realm:password)` in lower-case hexadecimal (RFC 7616 section 3.4.2), for each algorithm; the realm is the
/// domain of the address. Whoever has these can register as the user: they never leave the data directory.
public struct AccountCredentials: Hashable, Sendable {
    /// 32 hexadecimal digits.
    public var ha1MD5: [UInt8]
    /// 64 hexadecimal digits.
    public var ha1SHA256: [UInt8]
    /// The algorithms to offer to this account alone, like `MD5` or `SHA-256,MD5`; nil for the server's list.
    public var digest: String?

    /// Puts credentials together.
    public init(ha1MD5: [UInt8], ha1SHA256: [UInt8], digest: String? = nil) {
        self.ha1MD5 = ha1MD5
        self.ha1SHA256 = ha1SHA256
        self.digest = digest
    }
}

/// An account to add.
public struct Account: Hashable, Sendable {
    /// Whose it is.
    public var address: AccountAddress
    /// What its password is checked against.
    public var credentials: AccountCredentials

    /// Puts an account together.
    public init(address: AccountAddress, credentials: AccountCredentials) {
        self.address = address
        self.credentials = credentials
    }
}

/// An account as lists show it: nothing in it is secret.
public struct AccountSummary: Hashable, Sendable {
    /// `user@domain`.
    public var address: String
    /// The list of algorithms of its own, when it has one.
    public var digest: String?
    /// When it was added, in milliseconds since 1970-01-01 00:00 UTC.
    public var created: Int64

    /// Puts a summary together.
    public init(address: String, digest: String?, created: Int64) {
        self.address = address
        self.digest = digest
        self.created = created
    }
}

/// An account whose list of digest algorithms is not the server's.
public struct AccountException: Hashable, Sendable {
    /// The bytes of `user@domain`.
    public var account: [UInt8]
    /// Its own list, like `MD5` or `SHA-256,MD5`.
    public var digest: String

    /// Puts an exception together.
    public init(account: [UInt8], digest: String) {
        self.account = account
        self.digest = digest
    }
}
