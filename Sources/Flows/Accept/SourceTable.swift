import SIP

/// Who has how many connections: by IPv4 address, and by the /64 of IPv6, which is one customer (RFC 6177).
///
/// A source is forgotten when its connections are gone and it could open a whole burst again, so the table holds no more
/// than there are connections, and what was accepted within one burst's time.
struct SourceTable {
    /// Which address, or which block of them.
    struct Source: Hashable {
        private let bits: UInt64
        private let isIPv4: Bool

        init(_ address: SocketAddress) {
            isIPv4 = address.ipv4 != nil
            bits = address.ipv4.map { UInt64($0) } ?? address.high
        }
    }

    private struct Entry {
        var connections: Int32 = 0
        var bucket = RateBucket()
    }

    private var entries: [Source: Entry] = [:]
    /// Sources without connections, and when each may be forgotten; those before `head` are.
    private var leaving: [(source: Source, at: Instant)] = []
    private var head = 0

    /// Number of sources remembered.
    var count: Int { entries.count }

    /// Counts a new connection.
    ///
    /// - Returns: false where it is one too many, or comes too soon.
    mutating func open(_ address: SocketAddress, most: Int, rate: RateLimit, at now: Instant) -> Bool {
        forget(now)
        let source = Source(address)
        var entry = entries[source] ?? Entry()
        let isWithin = (most == 0 || Int(entry.connections) < most) && rate.admits(&entry.bucket, at: now)
        if isWithin { entry.connections += 1 }
        guard isWithin || entries[source] != nil else { return false }
        entries[source] = entry
        return isWithin
    }

    /// Counts a connection off.
    mutating func close(_ address: SocketAddress, rate: RateLimit, at now: Instant) {
        let source = Source(address)
        guard var entry = entries[source] else { return }
        entry.connections -= 1
        guard entry.connections <= 0, entry.bucket.isIdle(at: now) else {
            entries[source] = entry
            if entry.connections <= 0 {
                leaving.append((source, Instant(milliseconds: now.milliseconds + rate.memory)))
            }
            return
        }
        entries[source] = nil
    }

    /// Forgets who left long enough ago.
    private mutating func forget(_ now: Instant) {
        while head < leaving.count, leaving[head].at <= now {
            let source = leaving[head].source
            if let entry = entries[source], entry.connections <= 0, entry.bucket.isIdle(at: now) {
                entries[source] = nil
            }
            head += 1
        }
        guard head > 0, head == leaving.count || head > 4096 else { return }
        leaving.removeFirst(head)
        head = 0
    }
}
