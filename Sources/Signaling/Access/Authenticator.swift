import SIP

/// Digest authentication (RFC 7616, RFC 8760): challenges without memory, and answers checked against accounts.
final class Authenticator {
    /// What the credentials of a request are worth.
    enum Outcome: Equatable {
        /// The account whose password the sender knows.
        case identity(AddressOfRecord)
        /// None, or wrong: ask for them. Stale where only the nonce was to blame.
        case challenge(isStale: Bool)
        /// The password is wrong, or there is no such account: ask again, and remember.
        case wrong(AddressOfRecord)
        /// The account has to be looked up first.
        case unknownAccount(AddressOfRecord)
        /// The credentials can't be read.
        case malformed
    }

    var accounts: AccountCache
    /// The settings in force: algorithms, and the lifetime of nonces.
    var settings: Settings
    /// Accounts with a list of algorithms of their own.
    var exceptions: [AddressOfRecord: [DigestAlgorithm]] = [:]
    private let nonces: Nonces
    private var replays = ReplayWindow()
    private var digest: DigestResponse
    /// What an account that does not exist is checked against, so that it takes as long.
    private let nobody: Account?
    private var ha1: [UInt8] = []

    init(_ hashes: Hashes, key: [UInt8], settings: Settings) {
        nonces = Nonces(KeyedHash.Key(key))
        digest = DigestResponse(hashes)
        accounts = AccountCache(capacity: settings.maxCachedAccounts)
        self.settings = settings
        var hash: [UInt8] = []
        var hex: [UInt8] = []
        hashes.hmacSHA256(key, [0], &hash)
        hex.append(hexOf: hash)
        nobody = Account(ha1MD5: Array(hex.prefix(32)), ha1SHA256: hex)
    }

    /// The algorithms offered to an account and a user agent: the most particular list there is.
    func algorithms(for address: AddressOfRecord?, _ message: Message) -> [DigestAlgorithm] {
        if let address, let own = exceptions[address] { return own }
        if !settings.userAgentAlgorithms.isEmpty, let field = message.first(.userAgent) {
            for (prefix, algorithms) in settings.userAgentAlgorithms
            where message.bytes[field.value].starts(with: prefix.bytes) {
                return algorithms
            }
        }
        return settings.algorithms
    }

    /// Appends a fresh nonce.
    func appendNonce(now: Now, random: UInt64, to out: inout [UInt8]) {
        nonces.append(Nonce(issued: now.wall, id: random), to: &out)
    }

    /// Checks the credentials of a request.
    ///
    /// - Parameters:
    ///   - message: the request.
    ///   - name: Authorization or Proxy-Authorization.
    ///   - realm: the domain they must be for.
    ///   - now: the time.
    /// - Returns: what they are worth.
    func check(
        _ message: Message,
        _ name: HeaderName,
        realm: ByteString,
        now: Now
    ) -> Outcome {
        for field in message.fields where field.name == name {
            let parsed: Credentials?
            do {
                parsed = try Credentials.parse(message, field)
            } catch {
                return .malformed
            }
            guard let credentials = parsed, message.bytes.isEqual(credentials.realm, to: realm.bytes, realm.range)
            else { continue }
            if let qop = credentials.qop, !message.bytes.isEqualIgnoringCase(qop, "auth") { return .malformed }
            return check(credentials, in: message, realm: realm, now: now)
        }
        return .challenge(isStale: false)
    }

    private func check(
        _ credentials: Credentials,
        in message: Message,
        realm: ByteString,
        now: Now
    ) -> Outcome {
        guard !credentials.username.isEmpty else { return .challenge(isStale: false) }
        let address = AddressOfRecord(message.bytes, verbatim: credentials.username, domain: realm)
        guard let algorithm = credentials.algorithm,
            algorithms(for: address, message).contains(algorithm)
        else { return .challenge(isStale: false) }
        guard let (address, known) = accounts[address] else { return .unknownAccount(address) }
        ha1.removeAll(keepingCapacity: true)
        (known ?? nobody)?.appendHA1(algorithm, to: &ha1)
        let isRight = digest.verify(credentials, in: message, ha1: ha1, algorithm: algorithm)
        guard isRight, known != nil else { return .wrong(address) }
        guard let nonce = nonces.read(message.bytes, credentials.nonce) else { return .challenge(isStale: true) }
        guard nonce.issued <= now.wall,
            now.wall - nonce.issued <= settings.nonceLifetime.milliseconds,
            replays.use(
                nonce.id,
                issued: nonce.issued,
                count: credentials.count ?? 1,
                oldest: now.wall - settings.nonceLifetime.milliseconds
            )
        else { return .challenge(isStale: true) }
        return .identity(address)
    }
}
