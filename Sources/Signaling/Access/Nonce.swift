import SIP

/// A nonce that carries its own proof: when it was made, a random number, and a MAC over both.
///
/// Nothing is kept for it until it is used.
struct Nonce {
    /// When it was made: milliseconds since 1970.
    var issued: Int64
    /// What tells it from others.
    var id: UInt64
}

/// Makes and checks nonces.
struct Nonces {
    private let hashes: Hashes
    private let key: [UInt8]
    private var input: [UInt8] = []
    private var mac: [UInt8] = []

    init(_ hashes: Hashes, key: [UInt8]) {
        self.hashes = hashes
        self.key = key
    }

    /// Appends the text of a nonce: 32 bytes in 43 characters.
    mutating func append(_ nonce: Nonce, to out: inout [UInt8]) {
        fill(nonce)
        input.append(contentsOf: mac.prefix(16))
        Base64URL.encode(input.span, &out)
    }

    /// What a text claims to be: a nonce, and the proof that this server made it.
    struct Claim {
        let nonce: Nonce
        fileprivate let mac: (UInt64, UInt64)
    }

    /// Reads the text of a nonce; nil where it is none.
    static func claim(_ bytes: [UInt8], _ range: Range<Int>) -> Claim? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32 else { return nil }
        return Claim(
            nonce: Nonce(issued: Int64(bitPattern: raw.bigEndian(0..<8)), id: raw.bigEndian(8..<16)),
            mac: (raw.bigEndian(16..<24), raw.bigEndian(24..<32))
        )
    }

    /// Whether this server made a nonce.
    ///
    /// All of the proof is compared, whatever differs, so that time tells nothing.
    mutating func isProved(_ claim: Claim) -> Bool {
        fill(claim.nonce)
        guard let high = mac.bigEndian(at: 0, bytes: 8), let low = mac.bigEndian(at: 8, bytes: 8) else { return false }
        return (claim.mac.0 ^ high) | (claim.mac.1 ^ low) == 0
    }

    private mutating func fill(_ nonce: Nonce) {
        input.removeAll(keepingCapacity: true)
        input.append(bigEndian: UInt64(bitPattern: nonce.issued), bytes: 8)
        input.append(bigEndian: nonce.id, bytes: 8)
        mac.removeAll(keepingCapacity: true)
        hashes.hmacSHA256(key, input, &mac)
    }
}
