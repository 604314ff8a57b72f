import PhoneKit
public import SIP

/// What the carrier tells, handed to the phone it is for.
extension PhoneDriver: FlowReceiver {
    /// Orders of all phones.
    public var outbox: Outbox { host.outbox }

    /// Phones listen nowhere, so nobody opens a flow to them.
    public func opened(_ flow: FlowID, _ info: FlowInfo, now: Now) { outbox.append(.close(flow, .replaced)) }

    /// A flow that a phone asked for is open.
    public func connected(_ ticket: UInt64, _ flow: FlowID, _ info: FlowInfo, now: Now) {
        let ticket = ConnectTicket(rawValue: ticket)
        guard has(ticket.phone) else { return outbox.append(.close(flow, .replaced)) }
        own(flow, ticket.phone)
        perform(ticket.phone, now: now) { $0.connected(ticket, flow, info, now: now) }
    }

    /// A flow that a phone asked for can't be opened.
    public func connectFailed(_ ticket: UInt64, _ reason: CloseReason, now: Now) {
        let ticket = ConnectTicket(rawValue: ticket)
        guard has(ticket.phone) else { return }
        perform(ticket.phone, now: now) { $0.connectFailed(ticket, reason, now: now) }
    }

    /// A pong came.
    public func stirred(_ flow: FlowID, now: Now) {
        guard let number = owner(of: flow) else { return }
        perform(number, now: now) { $0.stirred(flow, now: now) }
    }

    /// A message came.
    public func received(_ flow: FlowID, _ bytes: Span<UInt8>, now: Now) {
        guard let number = owner(of: flow) else { return }
        if let tracer {
            var copy: [UInt8] = []
            copy.reserveCapacity(bytes.count)
            for index in bytes.indices { copy.append(bytes[index]) }
            tracer(TracedMessage(phone: number, flow: flow, isSent: false, bytes: copy))
        }
        perform(number, now: now) { $0.received(flow, bytes, now: now) }
    }

    /// What comes is no SIP: a phone has nobody to tell, and opens another flow.
    public func refused(_ flow: FlowID, _ fault: FramingFault, head: Span<UInt8>, now: Now) {
        outbox.append(.close(flow, .garbage))
    }

    /// A phone sends little: nothing it has can wait.
    public func congested(_ flow: FlowID, now: Now) {}

    /// Nothing waits.
    public func drained(_ flow: FlowID, now: Now) {}

    /// A flow is gone.
    public func closed(_ flow: FlowID, _ reason: CloseReason, now: Now) {
        guard let number = owner(of: flow) else { return }
        disown(flow)
        perform(number, now: now) { $0.closed(flow, reason, now: now) }
    }

    /// Time went by.
    public func advance(to now: Now) { expire(now) }
}
