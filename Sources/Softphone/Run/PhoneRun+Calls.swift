import PhoneKit
import SIP

/// Calls, as the errand wants them.
extension PhoneRun {
    /// How long a call lasts that this side made, where nothing else is said.
    private static let ordinaryDuration = Interval.seconds(5)

    func callCame(_ call: Int) {
        guard stage == .running else { return phone.reject(call, status: 480) }
        switch errand.answer {
        case .ring: break
        case .accept: later(errand.ring) { $0.phone.answer(call) }
        case .reject(let status): later(errand.ring) { $0.phone.reject(call, status: status) }
        }
    }

    func callAnswered(_ call: Int, _ isIncoming: Bool) {
        guard let duration = errand.duration ?? (isIncoming ? nil : Self.ordinaryDuration) else { return }
        later(duration) { $0.phone.hangUp(call) }
    }

    func callEnded(_ summary: CallSummary) {
        if summary.number == current {
            current = nil
            if !summary.isGood { verdict = .failed }
            return next()
        }
        guard let wanted = callsWanted, summary.isIncoming, stage == .running else { return }
        callsWanted = wanted - 1
        if !isGood(summary) { verdict = .failed }
        if wanted <= 1 { end() }
    }

    /// A call that was to be refused is good when it was.
    private func isGood(_ summary: CallSummary) -> Bool {
        if case .reject = errand.answer { return summary.end == .local && summary.talked == nil }
        return summary.isGood
    }

    /// Does something after a while; at once, but not in the middle of what happens now, where that is none.
    private func later(_ interval: Interval, _ action: @escaping (PhoneRun) -> Void) {
        phone.agenda.after(interval) { [unowned self] in action(self) }
    }
}
