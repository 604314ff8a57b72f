/// What the carriers tell the rules: the upward half of the line between carrying and deciding.
///
/// All calls come on one thread, with the time of the event. The carrier empties the receiver's `outbox` at the end of
/// each turn of its loop.
public protocol FlowReceiver: AnyObject {
    /// Orders for the carrier.
    var outbox: Outbox { get }

    /// A peer opened a flow.
    func opened(_ flow: FlowID, _ info: FlowInfo, now: Now)

    /// The flow that was asked for by `connect` is open.
    func connected(_ ticket: UInt64, _ flow: FlowID, _ info: FlowInfo, now: Now)

    /// The flow that was asked for by `connect` can't be opened.
    ///
    /// The reason is `peer` when it was refused, `silence` when nobody answered in time, `error` when it can't be tried:
    /// no address, no route, no port or descriptor left.
    func connectFailed(_ ticket: UInt64, _ reason: CloseReason, now: Now)

    /// Bytes came on a flow that was `watch`ed; told once a `watch`, before the message they belong to.
    func stirred(_ flow: FlowID, now: Now)

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
