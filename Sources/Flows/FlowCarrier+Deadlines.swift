import SIP

extension FlowCarrier {
    /// Sees to it that a flow's timer expires no later than its deadline.
    ///
    /// A deadline that moves later leaves the timer alone, so traffic costs no timer work.
    func armDeadline(_ record: Record) {
        let deadline = record.pointee.deadline
        guard deadline < record.pointee.timerAt else { return }
        record.pointee.timerAt = deadline
        if !wheel.rearm(record.pointee.timer, at: deadline) {
            record.pointee.timer = wheel.arm(at: deadline, record.pointee.id.rawValue)
        }
    }

    /// Closes the flows whose deadline has come, and arms the timers of the others again.
    func expireDeadlines(_ now: Now) {
        while let raw = wheel.expire(at: now.monotonic) {
            guard let record = table[FlowID(rawValue: raw)], record.pointee.isOpen else { continue }
            record.pointee.timer = .none
            record.pointee.timerAt = .distantFuture
            if record.pointee.closeBy <= now.monotonic {
                tearDown(record, record.pointee.closeReason)
            } else if record.pointee.state.contains(.isClosing) {
                armDeadline(record)
            } else if min(record.pointee.messageBy, record.pointee.authenticateBy) <= now.monotonic {
                beginClose(record, .limit)
            } else if record.pointee.deadline <= now.monotonic {
                beginClose(record, .silence)
            } else {
                armDeadline(record)
            }
        }
    }
}
