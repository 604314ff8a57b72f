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
    private let mac: ShortMAC

    init(_ key: KeyedHash.Key) { mac = ShortMAC(key) }

    /// Appends the text of a nonce: 32 bytes in 43 characters.
    func append(_ nonce: Nonce, to out: inout [UInt8]) {
        let proof = mac.proof(of: words(nonce))
        var raw = InlineArray<32, UInt8>(repeating: 0)
        raw.write(bigEndian: UInt64(bitPattern: nonce.issued), at: 0)
        raw.write(bigEndian: nonce.id, at: 8)
        raw.write(bigEndian: proof.high, at: 16)
        raw.write(bigEndian: proof.low, at: 24)
        Base64URL.encode(raw.span, &out)
    }

    /// Reads the text of a nonce; nil where it is none that this server made.
    func read(_ bytes: [UInt8], _ range: Range<Int>) -> Nonce? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32 else { return nil }
        let nonce = Nonce(issued: Int64(bitPattern: raw.bigEndian(0..<8)), id: raw.bigEndian(8..<16))
        let proof = mac.proof(of: words(nonce))
        // All of it is compared, whatever differs, so that time tells nothing.
        return (raw.bigEndian(16..<24) ^ proof.high) | (raw.bigEndian(24..<32) ^ proof.low) == 0 ? nonce : nil
    }

    private func words(_ nonce: Nonce) -> InlineArray<2, UInt64> { [UInt64(bitPattern: nonce.issued), nonce.id] }
}
