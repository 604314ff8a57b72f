import SIP

/// The stored form of all bindings of one address-of-record.
///
/// One version byte, then each binding: numbers in fixed width, most significant byte first, and strings after their
/// length in two bytes. Flows are not stored: they end with the process.
public enum BindingCodec {
    /// The version this build writes.
    private static let version: UInt8 = 1

    /// The bytes to store.
    public static func encode(_ bindings: [Binding]) -> [UInt8] {
        var out: [UInt8] = [version]
        out.reserveCapacity(bindings.count * 256)
        for binding in bindings {
            out.append(bigEndian: UInt64(binding.regID), bytes: 4)
            out.append(bigEndian: UInt64(binding.q), bytes: 2)
            out.append(bigEndian: UInt64(binding.cseq), bytes: 4)
            out.append(bigEndian: UInt64(bitPattern: binding.lease), bytes: 8)
            out.append(bigEndian: UInt64(bitPattern: binding.refreshed), bytes: 8)
            out.append(bigEndian: binding.gruuSerial, bytes: 8)
            out.append(binding.instance == nil ? 0 : 1)
            for string in [
                binding.contact, binding.parameters, binding.instance ?? Excerpt(), binding.callID, binding.path,
            ] {
                out.append(bigEndian: UInt64(string.count), bytes: 2)
                out.append(string)
            }
        }
        return out
    }

    /// Reads stored bytes; nil where they are not of this form.
    public static func decode(_ bytes: [UInt8]) -> [Binding]? {
        guard bytes.first == version else { return nil }
        var at = 1
        func number(_ width: Int) -> UInt64? {
            defer { at += width }
            return bytes.bigEndian(at: at, bytes: width)
        }
        func string() -> Excerpt? {
            guard let length = number(2), at + Int(length) <= bytes.count else { return nil }
            defer { at += Int(length) }
            return Excerpt(bytes, at..<(at + Int(length)))
        }
        var bindings: [Binding] = []
        while at < bytes.count {
            var texts = Binding.Texts()
            guard let regID = number(4), let q = number(2), let cseq = number(4), let lease = number(8),
                let refreshed = number(8), let serial = number(8), let hasInstance = number(1),
                let contact = string(), let parameters = string(), let instance = string(), let callID = string(),
                let path = string()
            else { return nil }
            texts.contact = contact
            texts.parameters = parameters
            texts.instance = hasInstance == 1 ? instance : nil
            texts.callID = callID
            texts.path = path
            guard var binding = Binding(texts) else { return nil }
            binding.regID = UInt32(truncatingIfNeeded: regID)
            binding.q = UInt16(truncatingIfNeeded: q)
            binding.cseq = UInt32(truncatingIfNeeded: cseq)
            binding.expires = Int64(bitPattern: lease)
            binding.lease = Int64(bitPattern: lease)
            binding.refreshed = Int64(bitPattern: refreshed)
            binding.gruuSerial = serial
            bindings.append(binding)
        }
        return bindings
    }
}
