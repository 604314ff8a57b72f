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
///
/// What was made or checked lately is remembered: the ACK of a call, and the BYE of a short one, cost no hash.
struct FlowTokens {
    /// The MAC of a token, as far as it is sent.
    private struct MAC: Equatable {
        var high: UInt64
        var low: UInt16
    }

    private struct Memory {
        var token: FlowToken
        var mac: MAC
    }

    private let hashes: Hashes
    private let key: [UInt8]
    private let epoch: UInt64
    private var input: [UInt8] = []
    private var hash: [UInt8] = []
    /// One place for each of so many tokens, taken by the last that belongs there.
    private var recent: [Memory]
    private static let macLength = 10
    private static let places = 1024

    /// - Parameters:
    ///   - hashes: for the MAC.
    ///   - key: a secret of this node.
    ///   - epoch: tells this life of the node from others, 48 bits.
    init(_ hashes: Hashes, key: [UInt8], epoch: UInt64) {
        self.hashes = hashes
        self.key = key
        self.epoch = epoch
        let nobody = FlowID(rawValue: 0)
        recent = Array(
            repeating: Memory(token: FlowToken(caller: nobody, callee: nobody), mac: MAC(high: 0, low: 0)),
            count: Self.places
        )
    }

    /// Appends the text of a token.
    mutating func append(_ token: FlowToken, to out: inout [UInt8]) {
        let mac = mac(of: token)
        write(token)
        input.append(bigEndian: mac.high, bytes: 8)
        input.append(bigEndian: UInt64(mac.low), bytes: 2)
        Base64URL.encode(input.span, &out)
    }

    /// Reads a token; nil where it is not one of this node and epoch.
    mutating func read(_ bytes: [UInt8], _ range: Range<Int>) -> FlowToken? {
        var raw = InlineArray<32, UInt8>(repeating: 0)
        guard range.count == 43, Base64URL.decode(bytes, range, &raw) == 32, raw.bigEndian(0..<6) == epoch else {
            return nil
        }
        let token = FlowToken(
            caller: FlowID(rawValue: raw.bigEndian(6..<14)),
            callee: FlowID(rawValue: raw.bigEndian(14..<22))
        )
        let sent = MAC(high: raw.bigEndian(22..<30), low: UInt16(truncatingIfNeeded: raw.bigEndian(30..<32)))
        let mac = mac(of: token)
        // All of it is compared, whatever differs, so that time tells nothing.
        guard (sent.high ^ mac.high) | UInt64(sent.low ^ mac.low) == 0 else { return nil }
        return token
    }

    private mutating func mac(of token: FlowToken) -> MAC {
        // The low bits are those of the slots.
        let sum = token.caller.rawValue &* 31 &+ token.callee.rawValue
        let place = Int(truncatingIfNeeded: sum % UInt64(Self.places))
        if recent[place].token == token, token.caller.rawValue != 0 { return recent[place].mac }
        write(token)
        hash.removeAll(keepingCapacity: true)
        hashes.hmacSHA256(key, input, &hash)
        var mac = MAC(high: 0, low: 0)
        for byte in hash.prefix(8) { mac.high = mac.high << 8 | UInt64(byte) }
        for byte in hash.dropFirst(8).prefix(Self.macLength - 8) { mac.low = mac.low << 8 | UInt16(byte) }
        recent[place] = Memory(token: token, mac: mac)
        return mac
    }

    /// Writes what a MAC is of.
    private mutating func write(_ token: FlowToken) {
        input.removeAll(keepingCapacity: true)
        input.append(bigEndian: epoch, bytes: 6)
        input.append(bigEndian: token.caller.rawValue, bytes: 8)
        input.append(bigEndian: token.callee.rawValue, bytes: 8)
    }
}
