public import PhoneKit
public import SIP

/// Carries any number of phones over one `FlowCarrier`: hands each what happens on its flows, and keeps its deadlines.
///
/// Phones are numbered from 0 in the order they are added. A phone costs a row in two arrays, a flow a row in a third,
/// so tens of thousands of phones can share a driver. What phones report is handed on in the turn in which it happens.
///
/// Lives on the loop of its carrier, as do its phones.
public final class PhoneDriver {
    /// What the phones share.
    public let host: PhoneHost
    /// Is told what happens to phones; it may have them do something by `perform`.
    public var observer: ((PhoneReport, Now) -> Void)?
    /// Is shown every message that comes and goes; costs nothing where it is nil.
    public var tracer: ((TracedMessage) -> Void)?

    /// Who has a flow.
    private struct Owner {
        var flow: FlowID
        var phone: Int32
    }

    /// When the wheel knows that a phone is to be looked after.
    private struct Alarm {
        var timer: TimerWheel<Int32>.TimerID
        var at: Instant
    }

    private var phones: [Phone] = []
    /// By phone.
    private var latestFlows: [FlowID] = []
    private var alarms: [Alarm] = []
    /// By the flow's slot.
    private var owners: [Owner?] = []
    private var wheel: TimerWheel<Int32>
    private var batch: [PhoneReport] = []
    private var isDelivering = false

    /// Makes a driver without phones.
    public init(host: PhoneHost, now: Now) {
        self.host = host
        wheel = TimerWheel(now: now.monotonic)
    }

    /// How many phones there are.
    public var count: Int { phones.count }

    /// When a phone is to be looked after.
    public var nextDeadline: Instant? { wheel.nextDeadline }

    /// Adds a phone, which does nothing before it is started.
    ///
    /// - Parameters:
    ///   - identity: who it is.
    ///   - now: the time.
    /// - Returns: its number.
    public func add(_ identity: PhoneIdentity, now: Now) -> Int {
        let number = phones.count
        phones.append(Phone(id: number, identity: identity, host: host, now: now))
        alarms.append(Alarm(timer: .none, at: .distantFuture))
        latestFlows.append(FlowID(rawValue: 0))
        return number
    }

    /// Has a phone do something.
    ///
    /// What it sends leaves at the end of the carrier's turn; outside of a turn, call `turnEnded` of the carrier.
    ///
    /// - Parameters:
    ///   - number: the phone's number, as `add` gave it.
    ///   - now: the time.
    ///   - body: what it is to do.
    /// - Returns: what `body` returns.
    @discardableResult
    public func perform<Result>(_ number: Int, now: Now, _ body: (Phone) -> Result) -> Result {
        let sent = host.outbox.entries.count
        let result = body(phones[number])
        if tracer != nil { traceSent(by: number, from: sent) }
        setAlarm(number)
        deliver(now)
        return result
    }

    /// The open flows of a phone; looks at all flows.
    public func flows(of number: Int) -> [FlowID] {
        owners.compactMap { $0.flatMap { Int($0.phone) == number ? $0.flow : nil } }
    }

    /// The flow that a phone opened last, open or not; one of no use before the first.
    public func latestFlow(of number: Int) -> FlowID { latestFlows[number] }

    func own(_ flow: FlowID, _ number: Int) {
        latestFlows[number] = flow
        while owners.count <= flow.slot { owners.append(nil) }
        owners[flow.slot] = Owner(flow: flow, phone: Int32(truncatingIfNeeded: number))
    }

    func disown(_ flow: FlowID) {
        if owner(of: flow) != nil { owners[flow.slot] = nil }
    }

    /// The phone that a flow belongs to; nil for a late event of an earlier flow.
    func owner(of flow: FlowID) -> Int? {
        guard owners.indices.contains(flow.slot), let owner = owners[flow.slot], owner.flow == flow else { return nil }
        return Int(owner.phone)
    }

    /// Whether there is a phone of this number.
    func has(_ number: Int) -> Bool { phones.indices.contains(number) }

    /// Looks after the phones whose deadlines have come.
    func expire(_ now: Now) {
        while let raw = wheel.expire(at: now.monotonic) {
            let number = Int(raw)
            alarms[number] = Alarm(timer: .none, at: .distantFuture)
            if let deadline = phones[number].nextDeadline, deadline <= now.monotonic {
                perform(number, now: now) { $0.advance(to: now) }
            } else {
                setAlarm(number)
            }
        }
    }

    /// Sees to it that a phone is looked after no later than it wants to be.
    ///
    /// A deadline that moves later leaves the timer alone: traffic costs no timer work.
    private func setAlarm(_ number: Int) {
        guard let deadline = phones[number].nextDeadline, deadline < alarms[number].at else { return }
        alarms[number].at = deadline
        if !wheel.rearm(alarms[number].timer, at: deadline) {
            alarms[number].timer = wheel.arm(at: deadline, Int32(truncatingIfNeeded: number))
        }
    }

    /// Hands reports on, those included that come of doing so.
    private func deliver(_ now: Now) {
        guard !isDelivering else { return }
        isDelivering = true
        defer { isDelivering = false }
        while !host.reports.isEmpty {
            host.takeReports(into: &batch)
            guard let observer else { continue }
            for report in batch { observer(report, now) }
        }
    }

    private func traceSent(by number: Int, from start: Int) {
        let outbox = host.outbox
        for index in start..<max(outbox.entries.count, start) {
            guard case .send(let flow, let range) = outbox.entries[index] else { continue }
            tracer?(TracedMessage(phone: number, flow: flow, isSent: true, bytes: Array(outbox.arena[range])))
        }
    }
}

/// A message, or a ping, as it goes over a flow.
public struct TracedMessage: Sendable {
    /// The phone's number.
    public var phone: Int
    /// The flow.
    public var flow: FlowID
    /// Whether the phone sends it.
    public var isSent: Bool
    /// All of it, secrets included.
    public var bytes: [UInt8]
}
