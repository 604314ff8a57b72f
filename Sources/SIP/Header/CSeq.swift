/// The sequence number and method of a request (RFC 3261 section 20.16).
public struct CSeq: Hashable, Sendable {
    /// The number, less than 2^31.
    public var number: UInt32
    /// The method.
    public var method: Method
    /// The method as written.
    @Packed public var methodRange: Range<Int>
}

extension Message {
    /// The CSeq.
    ///
    /// - Throws: `MessageFault.missing(.cseq)` or `.malformed(.cseq)`.
    public func cseq() throws(MessageFault) -> CSeq {
        if let known = prepared.first?.sequence { return known }
        guard let field = first(.cseq) else { throw .missing(.cseq) }
        var at = field.value.lowerBound
        let end = field.value.upperBound
        while at < end, bytes[at].isIn(.digit) { at += 1 }
        let digits = field.value.lowerBound..<at
        let spaces = at
        while at < end, bytes[at].isLWS { at += 1 }
        guard let number = bytes.decimal(digits), number < 1 << 31, at > spaces, at < end else {
            throw .malformed(.cseq)
        }
        for position in at..<end where !bytes[position].isIn(.token) { throw .malformed(.cseq) }
        return CSeq(
            number: UInt32(truncatingIfNeeded: number),
            method: Method(bytes.span, at..<end),
            methodRange: at..<end
        )
    }
}
