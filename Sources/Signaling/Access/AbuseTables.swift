import SIP

/// What is remembered of accounts and sources that ask too much, in tables that never grow.
///
/// An entry is found by a hash with a secret seed; two that meet in one share it, which costs them a little patience.
struct AbuseTables {
    private static let bits: UInt64 = 14

    private var requests = [RateBucket](repeating: RateBucket(), count: 1 << Int(bits))
    private var accounts = [Failures](repeating: Failures(), count: 1 << Int(bits))
    private var sources = [Failures](repeating: Failures(), count: 1 << Int(bits))
    private let seed: UInt64

    /// How many wrong passwords there were lately.
    private struct Failures {
        var count: UInt32 = 0
        /// When the last one came.
        var last: Int64 = 0
        /// When the next may come.
        var until: Int64 = .min

        mutating func note(at now: Int64, allowed: Int, forgiving period: Int64, longest: Int64) {
            let forgiven = UInt32(clamping: max(0, now - last) / period)
            count = count > forgiven ? count - forgiven : 0
            // What has been forgiven in part keeps its part.
            last = count == 0 ? now : last + Int64(forgiven) * period
            count += count < 1 << 20 ? 1 : 0
            let excess = Int(count) - allowed
            guard excess > 0 else { return }
            until = now + min(longest, 1000 << Int64(min(excess - 1, 20)))
        }
    }

    /// Empty tables.
    ///
    /// - Parameter seed: random, so that nobody can choose with whom to share an entry.
    init(seed: UInt64) { self.seed = seed }

    /// Counts a request of an account; false where it is too many.
    mutating func admits(_ address: AddressOfRecord, _ limit: RateLimit, at now: Instant) -> Bool {
        limit.admits(&requests[index(address)], at: now)
    }

    /// Seconds until an account may be tried again, in which no password is looked at; 0 for now.
    func delay(_ address: AddressOfRecord, at now: Instant) -> Int64 {
        Self.seconds(until: accounts[index(address)].until, now)
    }

    /// Seconds until a source may try again; 0 for now.
    func delay(_ source: SocketAddress, at now: Instant) -> Int64 {
        Self.seconds(until: sources[index(source)].until, now)
    }

    /// A password was wrong.
    mutating func noteFailure(
        _ address: AddressOfRecord,
        from source: SocketAddress,
        _ settings: Settings,
        at now: Instant
    ) {
        let longest = settings.longestDelay.milliseconds
        if settings.failuresPerAccount > 0 {
            accounts[index(address)].note(
                at: now.milliseconds,
                allowed: settings.failuresPerAccount,
                forgiving: 60_000,
                longest: longest
            )
        }
        if settings.failuresPerSource > 0 {
            sources[index(source)].note(
                at: now.milliseconds,
                allowed: settings.failuresPerSource,
                forgiving: 1000,
                longest: longest
            )
        }
    }

    private static func seconds(until: Int64, _ now: Instant) -> Int64 {
        until <= now.milliseconds ? 0 : (until - now.milliseconds + 999) / 1000
    }

    private func index(_ address: AddressOfRecord) -> Int {
        var hash = seed
        for byte in address.text.bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return fold(hash)
    }

    /// By IPv4 address, and by the /64 of IPv6, as connections are counted.
    private func index(_ source: SocketAddress) -> Int {
        fold(source.ipv4.map { UInt64($0) &+ seed } ?? (source.high ^ ~seed))
    }

    private func fold(_ hash: UInt64) -> Int {
        var mixed = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return Int(truncatingIfNeeded: mixed >> (64 - Self.bits))
    }
}
