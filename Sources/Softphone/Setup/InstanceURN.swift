import Glibc
public import SIP

/// The URN by which a server knows a device again (RFC 5626 section 4.1).
public enum InstanceURN {
    /// The URN of a phone that keeps nothing: the same for an address on a host at every start.
    ///
    /// A UUID of version 8, whose bits are a hash (RFC 9562 section 5.8).
    ///
    /// - Parameters:
    ///   - address: whom the phone registers.
    ///   - host: which machine it runs on.
    ///   - hashes: SHA-256.
    /// - Returns: `urn:uuid:...`
    public static func derived(from address: AddressOfRecord, host: String, _ hashes: Hashes) -> ByteString {
        var hash: [UInt8] = []
        hashes.sha256(Array("wakeline phone ".utf8) + address.text.bytes + [0] + Array(host.utf8), &hash)
        var bytes = hash.prefix(16) + repeatElement(0, count: max(16 - hash.count, 0))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        var out = Array("urn:uuid:".utf8)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { out.append(UInt8(ascii: "-")) }
            out.append(hex: UInt64(byte), digits: 2)
        }
        return ByteString(out)
    }

    /// Whether a text is a URN that can stand in a Contact.
    public static func isValid(_ text: String) -> Bool {
        text.lowercased().hasPrefix("urn:") && text.utf8.count > 4
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !"\"<>\\".utf8.contains($0) }
    }

    /// The name of this machine.
    public static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
