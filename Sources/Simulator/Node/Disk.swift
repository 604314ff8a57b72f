import SIP

/// A node's durable storage: what was committed survives, what was not is lost when the node dies.
struct Disk {
    /// A write that waits for its commit.
    struct Write {
        let ticket: UInt64
        let key: ByteString
        let value: [UInt8]?
    }

    /// What would be found after a crash at this moment.
    private(set) var committed: [ByteString: [UInt8]] = [:]
    /// The keys in the order in which they first came, so that a restart reads them in one and the same order.
    private(set) var order: [ByteString] = []
    private(set) var pending: [Write] = []
    /// Whether writes fail.
    var isFaulty = false
    /// When they did last.
    var mendedAt: Int64 = -1_000_000
    private(set) var commits = 0

    mutating func write(_ write: Write) { pending.append(write) }

    /// Commits what waits, all of it or nothing.
    ///
    /// - Returns: what was waiting, and whether it is safe now.
    mutating func commit() -> (writes: [Write], isSafe: Bool) {
        let writes = pending
        pending = []
        guard !isFaulty else { return (writes, false) }
        commits += 1
        for write in writes where committed.updateValue(write.value ?? [], forKey: write.key) == nil {
            order.append(write.key)
        }
        return (writes, true)
    }

    /// The node dies: what waits is gone.
    mutating func crash() { pending = [] }

    /// Whether the records of an address name a device.
    func holds(_ key: ByteString, instance: ByteString) -> Bool {
        guard let value = committed[key], let first = instance.bytes.first, value.count >= instance.count else {
            return false
        }
        for start in 0...(value.count - instance.count) where value[start] == first {
            if value.isEqual(start..<(start + instance.count), to: instance.bytes, instance.range) { return true }
        }
        return false
    }
}
