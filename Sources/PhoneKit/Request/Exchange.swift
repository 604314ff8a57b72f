import SIP

/// A request that waits for its answer: a client transaction on a reliable flow (RFC 3261 section 17.1).
///
/// Nothing is retransmitted, so what is left of the four timers is one deadline.
struct Exchange {
    /// What the request was for.
    enum Purpose: Hashable {
        case register(line: Int)
        case invite(CallHandle)
        /// An INVITE within its dialog.
        case offer(CallHandle)
        case bye(CallHandle)
        case cancel
        case acknowledgeProvisional(CallHandle)
        case request(RequestID)
    }

    /// The number in its branch.
    let branch: UInt64
    var flow: FlowID
    let purpose: Purpose
    /// The request as it was sent: to be sent again with credentials, cancelled or acknowledged.
    var bytes: [UInt8]
    /// When it has failed; for an accepted INVITE, when no further 2xx can come (RFC 6026 section 7.2).
    var deadline: Instant
    /// When another line is tried beside this one, if nothing has come back.
    var signOfLifeBy: Instant?
    /// Whether a provisional answer came.
    var isProceeding = false
    /// Whether a 2xx came: it waits for more of them.
    var isAccepted = false
    /// How often credentials were sent.
    var attempts = 0
}
