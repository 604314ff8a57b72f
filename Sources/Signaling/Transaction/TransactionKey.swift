import SIP

/// What finds the server transaction of a request (RFC 3261 section 17.2.3), as 128 bits.
///
/// Branch, sent-by and method, hashed twice with the process's own seed: nobody outside can make two requests collide,
/// and looking up allocates nothing. A request without the magic cookie is matched by the fields RFC 2543 used.
struct TransactionKey: Hashable {
    private let high: Int
    private let low: Int

    /// The key of a request; that of the INVITE where the request is its ACK or CANCEL.
    init(_ message: Message, _ via: Via, flow: FlowID, method: Method) {
        var first = Hasher()
        var second = Hasher()
        second.combine(0x5749_4b45)
        let bytes = message.bytes
        func feed(_ range: Range<Int>) {
            let part = bytes.span.extracting(range)
            unsafe part.withUnsafeBytes {
                unsafe first.combine(bytes: $0)
                unsafe second.combine(bytes: $0)
            }
            first.combine(range.count)
            second.combine(range.count)
        }
        if let branch = via.branch, branch.count > 7,
            bytes.isEqual(branch.lowerBound..<branch.lowerBound + 7, "z9hG4bK")
        {
            feed(branch)
            feed(via.sentBy)
        } else {
            feed(message.requestURI)
            feed(via.value)
            if let field = message.first(.callID) { feed(field.value) }
            if let tag = try? message.tag(.from) { feed(tag) }
            if let sequence = try? message.cseq() { first.combine(sequence.number) }
        }
        first.combine(method)
        second.combine(method)
        if method == .other {
            feed(message.methodRange)
        }
        // A branch is the client's word; another client's transaction must stay out of its reach.
        first.combine(flow)
        second.combine(flow)
        high = first.finalize()
        low = second.finalize()
    }
}
