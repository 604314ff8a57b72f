import SIP

/// One way to the server: an outbound proxy, the flow to it, and the registration over that (RFC 5626 section 4.2).
struct Line {
    /// 1 for the first proxy, 2 for the second.
    let regID: UInt32
    let target: FlowTarget
    var registration = Registration()
    var keepAlive = KeepAlive()
    /// The open flow.
    var flow: FlowID?
    /// Our end of it.
    var local = SocketAddress(ipv4: 0, port: 0)
    /// Counts flows, so that a late answer to an earlier `connect` is known as such.
    var attempt: UInt16 = 0
    /// The Call-ID of all its REGISTERs, as a number.
    let callID: UInt64
    var cseq: UInt32 = 0
    /// How long is asked for; more than the policy says where the server wants it.
    var expires: UInt32
    /// Whether the first hop takes part in outbound; it said 439 where it does not.
    var usesOutbound = true
    /// When a 503 or another refusal allows the next attempt.
    var notBefore: Instant?

    init(regID: UInt32, target: FlowTarget, callID: UInt64, expires: UInt32) {
        self.regID = regID
        self.target = target
        self.callID = callID
        self.expires = expires
    }
}
