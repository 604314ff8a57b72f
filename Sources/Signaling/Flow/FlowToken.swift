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
    private let hashes: Hashes
    private let key: [UInt8]
    private let epoch: UInt64
    private var input: [UInt8] = []
    private var mac: [UInt8] = []
    private static let macLength = 10

    /// - Parameters:
    ///   - hashes: for the MAC.
    ///   - key: a secret of this node.
    ///   - epoch: tells this life of the node from others, 48 bits.
    init(_ hashes: Hashes, key: [UInt8], epoch: UInt64) {
        self.hashes = hashes
        self.key = key
        self.epoch = epoch
    }

    /// Appends the text of a token.
    mutating func append(_ token: FlowToken, to out: inout [UInt8]) {
        input.removeAll(keepingCapacity: true)
        input.append(bigEndian: epoch, bytes: 6)
        input.append(bigEndian: token.caller.rawValue, bytes: 8)
        input.append(bigEndian: token.callee.rawValue, bytes: 8)
        mac.removeAll(keepingCapacity: true)
        hashes.hmacSHA256(key, input, &mac)
        input.append(contentsOf: mac.prefix(Self.macLength))
        Base64URL.encode(input.span, &out)
    }

    /// Reads a token; nil where it is not one of this node and epoch.
    mutating func read(_ bytes: [UInt8], _ range: Range<Int>) -> FlowToken? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32, raw.bigEndian(0..<6) == epoch else {
            return nil
        }
        input.removeAll(keepingCapacity: true)
        for index in 0..<(32 - Self.macLength) { input.append(raw[index]) }
        mac.removeAll(keepingCapacity: true)
        hashes.hmacSHA256(key, input, &mac)
        var difference: UInt8 = 0
        for index in 0..<Self.macLength { difference |= raw[32 - Self.macLength + index] ^ mac[index] }
        guard difference == 0 else { return nil }
        return FlowToken(
            caller: FlowID(rawValue: raw.bigEndian(6..<14)),
            callee: FlowID(rawValue: raw.bigEndian(14..<22))
        )
    }
}
