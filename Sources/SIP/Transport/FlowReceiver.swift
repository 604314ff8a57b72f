/// What the carriers tell the rules: the upward half of the line between carrying and deciding.
///
/// All calls come on one thread, with the time of the event. The carrier empties the receiver's `outbox` at the end of
/// each turn of its loop.
public protocol FlowReceiver: AnyObject {
    /// Orders for the carrier.
    var outbox: Outbox { get }

    /// A flow opened.
    func opened(_ flow: FlowID, _ info: FlowInfo, now: Now)

    /// One whole message came; the bytes are borrowed from the read buffer.
    func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now)

    /// The stream can't be framed any more. `head` is what there is of the message, as far as the limits allow.
    /// The receiver may answer; it then closes the flow.
    func refused(_ flow: FlowID, _ fault: FramingFault, head: Span<UInt8>, now: Now)

    /// The write queue is over its mark: send nothing that can wait.
    func congested(_ flow: FlowID, now: Now)

    /// The write queue is empty again.
    func drained(_ flow: FlowID, now: Now)

    /// The flow is gone; nothing can be sent on it.
    func closed(_ flow: FlowID, _ reason: CloseReason, now: Now)

    /// Time went by.
    func advance(to now: Now)

    /// When `advance` is wanted, or nil.
    var nextDeadline: Instant? { get }
}
