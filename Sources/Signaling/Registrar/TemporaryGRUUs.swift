import SIP

/// Temporary GRUUs without memory (RFC 5627 section 3.2): each hides the serial of its instance's binding under a fresh
/// keystream, so no two can be told to belong together, and a MAC tells ours from made-up ones.
///
/// The serial changes with the Call-ID of the registration; with it all temporary GRUUs given before end, as they must.
struct TemporaryGRUUs {
    private let mac: ShortMAC
    static let prefix = "tgruu."

    init(_ key: KeyedHash.Key) { mac = ShortMAC(key) }

    /// Appends the user part of a new temporary GRUU.
    func append(serial: UInt64, random: UInt64, to out: inout [UInt8]) {
        let hidden = serial ^ mask(random)
        var raw = InlineArray<24, UInt8>(repeating: 0)
        raw.write(bigEndian: random, at: 0)
        raw.write(bigEndian: hidden, at: 8)
        raw.write(bigEndian: proof(random, hidden), at: 16)
        out.append(text: "tgruu.")
        Base64URL.encode(raw.span, &out)
    }

    /// Reads the user part of a temporary GRUU; nil where it is none of ours.
    func serial(_ user: ByteString) -> UInt64? {
        guard user.bytes.starts(with: Self.prefix.utf8), user.count == 38 else { return nil }
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard Base64URL.decode(user.bytes, 6..<user.count, &raw) == 24 else { return nil }
        let random = raw.bigEndian(0..<8)
        let hidden = raw.bigEndian(8..<16)
        return raw.bigEndian(16..<24) == proof(random, hidden) ? hidden ^ mask(random) : nil
    }

    private func proof(_ random: UInt64, _ hidden: UInt64) -> UInt64 { mac.proof(of: [random, hidden]).high }

    private func mask(_ random: UInt64) -> UInt64 { mac.proof(of: [random]).high }
}
