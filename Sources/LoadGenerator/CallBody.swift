import SIP

/// A body of the size of a real session description, with a number that tells one call from another.
enum CallBody {
    private static let head = Array("v=0\r\no=- ".utf8)
    private static let tail = Array(
        """
         1 IN IP4 192.0.2.1\r
        s=-\r
        c=IN IP4 192.0.2.1\r
        t=0 0\r
        m=audio 40000 RTP/AVP 0 8 101\r
        a=rtpmap:0 PCMU/8000\r
        a=rtpmap:8 PCMA/8000\r
        a=rtpmap:101 telephone-event/8000\r
        a=sendrecv\r

        """.utf8
    )

    /// Writes the body of a number.
    static func bytes(_ number: UInt64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(head.count + 20 + tail.count)
        out.append(contentsOf: head)
        out.append(decimal: number)
        out.append(contentsOf: tail)
        return out
    }

    /// The number of a body; nil where it is no such body, to the byte.
    static func number(of body: [UInt8]) -> UInt64? {
        let end = body.count - tail.count
        guard end > head.count, body.isEqual(0..<head.count, to: head, 0..<head.count),
            body.isEqual(end..<body.count, to: tail, 0..<tail.count)
        else { return nil }
        return body.decimal(head.count..<end)
    }
}
