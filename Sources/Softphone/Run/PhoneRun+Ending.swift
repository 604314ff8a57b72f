import Reactor
import SIP

/// The end of a run: calls first, then registrations, then connections.
extension PhoneRun {
    /// Begins the end.
    func end() {
        guard stage == .starting || stage == .running else { return }
        steps = []
        enter(.hangingUp)
        phone.hangUpAll()
    }

    /// Goes on with the end, at the end of each turn.
    func continueEnding() {
        if stage == .hangingUp, !phone.isBusy { leave() }
        if stage == .leaving, lines.isEmpty { close() }
        if stage == .closing, !phone.isConnected { loop.stop() }
    }

    private func leave() {
        enter(.leaving)
        phone.leave()
    }

    private func close() {
        stage = .closing
        // Forgets all that was to be done later, and so comes before what is to be done now.
        phone.close()
        limit(.closing)
    }

    private func enter(_ stage: Stage) {
        self.stage = stage
        limit(stage)
    }

    /// Nobody waits for ever for what others have to confirm.
    private func limit(_ stage: Stage) {
        phone.agenda.after(Self.endingTime) { [unowned self] in
            guard self.stage == stage else { return }
            switch stage {
            case .starting, .running: break
            case .hangingUp: self.leave()
            case .leaving: self.close()
            case .closing: self.loop.stop()
            }
        }
    }
}
