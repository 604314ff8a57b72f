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

    /// Reads a nonce; nil where this server did not make it.
    mutating func read(_ bytes: [UInt8], _ range: Range<Int>) -> Nonce? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32 else { return nil }
        let nonce = Nonce(issued: Int64(bitPattern: raw.bigEndian(0..<8)), id: raw.bigEndian(8..<16))
        fill(nonce)
        var difference: UInt8 = 0
        for index in 0..<16 { difference |= raw[16 + index] ^ mac[index] }
        return difference == 0 ? nonce : nil
    }

    private mutating func fill(_ nonce: Nonce) {
        input.removeAll(keepingCapacity: true)
        input.append(bigEndian: UInt64(bitPattern: nonce.issued), bytes: 8)
        input.append(bigEndian: nonce.id, bytes: 8)
        mac.removeAll(keepingCapacity: true)
        hashes.hmacSHA256(key, input, &mac)
    }
}
