import SIP

/// What a Record-Route, Path or Service-Route URI of this server carries as its user (RFC 5626 section 5.2).
///
/// Node, epoch, the two flows of the dialog, and a MAC over all of it: never an address, never a descriptor. 43 characters.
struct FlowToken: Hashable {
    /// The flow the request came on.
    var caller: FlowID
    /// The flow it went down.
    var callee: FlowID
}

/// Makes and checks flow tokens.
struct FlowTokens {
    private let mac: ShortMAC
    private let epoch: UInt64

    /// - Parameters:
    ///   - key: a secret of this node.
    ///   - epoch: tells this life of the node from others, 48 bits.
    init(_ key: KeyedHash.Key, epoch: UInt64) {
        mac = ShortMAC(key)
        self.epoch = epoch
    }

    /// Appends the text of a token.
    func append(_ token: FlowToken, to out: inout [UInt8]) {
        let proof = proof(of: token)
        var raw = InlineArray<32, UInt8>(repeating: 0)
        // Each is written over the two bytes that the one before has too many.
        raw.write(bigEndian: epoch << 16, at: 0)
        raw.write(bigEndian: token.caller.rawValue, at: 6)
        raw.write(bigEndian: token.callee.rawValue, at: 14)
        raw.write(bigEndian: proof.high, at: 22)
        raw[30] = UInt8(truncatingIfNeeded: proof.low >> 8)
        raw[31] = UInt8(truncatingIfNeeded: proof.low)
        Base64URL.encode(raw.span, &out)
    }

    /// Reads a token; nil where it is not one of this node and epoch.
    func read(_ bytes: [UInt8], _ range: Range<Int>) -> FlowToken? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32, raw.bigEndian(0..<6) == epoch else {
            return nil
        }
        let token = FlowToken(
            caller: FlowID(rawValue: raw.bigEndian(6..<14)),
            callee: FlowID(rawValue: raw.bigEndian(14..<22))
        )
        let proof = proof(of: token)
        // All of it is compared, whatever differs, so that time tells nothing.
        let difference = (raw.bigEndian(22..<30) ^ proof.high) | (raw.bigEndian(30..<32) ^ proof.low & 0xffff)
        return difference == 0 ? token : nil
    }

    /// As far as it is sent: 80 bits.
    private func proof(of token: FlowToken) -> (high: UInt64, low: UInt64) {
        mac.proof(of: [epoch, token.caller.rawValue, token.callee.rawValue])
    }
}
