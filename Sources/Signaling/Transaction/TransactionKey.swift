import SIP

/// What finds the server transaction of a request (RFC 3261 section 17.2.3), as 128 bits.
///
/// Branch, sent-by and method, hashed with a secret of the node: nobody outside can make two requests collide, and looking
/// up allocates nothing. A request without the magic cookie is matched by the fields RFC 2543 used.
struct TransactionKey: Equatable, BitwiseCopyable {
    private let high: UInt64
    private let low: UInt64

    /// The key of a request; that of the INVITE where the request is its ACK or CANCEL.
    init(_ message: Message, _ via: Via, flow: FlowID, method: Method, _ key: KeyedHash.Key) {
        var hash = KeyedHash(key)
        let bytes = message.bytes
        // A branch is the client's word; another client's transaction must stay out of its reach.
        hash.combine(flow.rawValue)
        hash.combine(UInt64(method.rawValue))
        if method == .other { hash.combine(bytes, message.methodRange) }
        if let branch = via.branch, branch.count > 7,
            bytes.isEqual(branch.lowerBound..<branch.lowerBound + 7, "z9hG4bK")
        {
            hash.combine(bytes, branch)
            hash.combine(bytes, via.sentBy)
        } else {
            hash.combine(bytes, message.requestURI)
            hash.combine(bytes, via.value)
            if let field = message.first(.callID) { hash.combine(bytes, field.value) }
            if let tag = try? message.tag(.from) { hash.combine(bytes, tag) }
            if let sequence = try? message.cseq() { hash.combine(UInt64(sequence.number)) }
        }
        (high, low) = hash.finish()
    }

    /// Half of it is random enough to find a place in a table.
    var hash: Int { Int(truncatingIfNeeded: low) }
}
