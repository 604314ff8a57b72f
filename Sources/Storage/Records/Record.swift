/// A key and what is remembered under it from now on.
struct Record: Hashable, Sendable {
    var key: [UInt8]
    /// Nil forgets the key.
    var value: [UInt8]?
}

/// Bytes that are hashed in one go.
struct RecordKey: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
