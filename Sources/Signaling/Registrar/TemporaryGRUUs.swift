import SIP

/// Temporary GRUUs without memory (RFC 5627 section 3.2): each hides the serial of its instance's binding under a fresh
/// keystream, so no two can be told to belong together, and a MAC tells ours from made-up ones.
///
/// The serial changes with the Call-ID of the registration; with it all temporary GRUUs given before end, as they must.
struct TemporaryGRUUs {
    private let hashes: Hashes
    private let key: [UInt8]
    static let prefix = "tgruu."

    init(_ hashes: Hashes, key: [UInt8]) {
        self.hashes = hashes
        self.key = key
    }

    /// Appends the user part of a new temporary GRUU.
    func append(serial: UInt64, random: UInt64, to out: inout [UInt8]) {
        var raw: [UInt8] = []
        raw.append(bigEndian: random, bytes: 8)
        raw.append(bigEndian: serial ^ mask(random), bytes: 8)
        var mac: [UInt8] = []
        hashes.hmacSHA256(key, raw + [1], &mac)
        raw.append(contentsOf: mac.prefix(8))
        out.append(text: "tgruu.")
        Base64URL.encode(raw.span, &out)
    }

    /// Reads the user part of a temporary GRUU; nil where it is none of ours.
    func serial(_ user: ByteString) -> UInt64? {
        guard user.bytes.starts(with: Self.prefix.utf8), user.count == 38 else { return nil }
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard Base64URL.decode(user.bytes, 6..<user.count, &raw) == 24 else { return nil }
        let random = raw.bigEndian(0..<8)
        var input: [UInt8] = []
        for index in 0..<16 { input.append(raw[index]) }
        var mac: [UInt8] = []
        hashes.hmacSHA256(key, input + [1], &mac)
        var difference: UInt8 = 0
        for index in 0..<8 { difference |= raw[16 + index] ^ mac[index] }
        return difference == 0 ? raw.bigEndian(8..<16) ^ mask(random) : nil
    }

    private func mask(_ random: UInt64) -> UInt64 {
        var input: [UInt8] = []
        input.append(bigEndian: random, bytes: 8)
        var mac: [UInt8] = []
        hashes.hmacSHA256(key, input + [0], &mac)
        return mac.bigEndian(at: 0, bytes: 8) ?? 0
    }
}
