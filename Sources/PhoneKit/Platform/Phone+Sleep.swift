public import SIP

/// What a phone does while its app is suspended, and when it is woken.
extension Phone {
    /// Sets how often the system calls the keep-alive handler, or that it does not.
    ///
    /// - Parameter interval: 600 s or more; nil for never.
    /// - Throws: `KeepAliveHandlerError` where it is less; the handler then stays as it was.
    public func setKeepAliveHandler(interval: Interval?) throws(KeepAliveHandlerError) { try handler.set(interval) }

    /// The app is suspended: nothing that can wait is done before the handler is called, bytes or a push come.
    public func suspended(now: Now) {
        turn(now) {
            isSuspended = true
            suspendedAt = self.now.monotonic
        }
    }

    /// The app runs again, or somebody has taken the phone in hand.
    ///
    /// What became due meanwhile is done, and flows that are gone are opened at once, whatever they would have waited for.
    /// Sockets that no keep-alive handler held for a suspended app are built anew.
    public func resumed(now: Now) {
        turn(now) {
            let wasSuspended = isSuspended
            isSuspended = false
            // Such a socket is as good as dead by now, and waiting until it proves to be takes too long.
            if wasSuspended, handler.interval == nil, self.now.monotonic - suspendedAt > .seconds(30) {
                for line in lines.indices where lines[line].flow != nil { rebuildFlow(line) }
            }
            hurry()
            for line in lines.indices { lineTimers(line) }
        }
    }

    /// The system calls the keep-alive handler, due or early.
    ///
    /// All that is due before the next call is done in one go; `keepAliveHandlerFinished` tells that all answers are here,
    /// or that the ten seconds are over.
    public func keepAliveHandlerCalled(now: Now) {
        turn(now) {
            let horizon = handler.called(now: self.now.monotonic)
            for line in lines.indices {
                if let deadline = lines[line].registration.deadline, deadline <= horizon,
                    lines[line].registration.phase == .registered || lines[line].registration.phase == .waiting
                {
                    begin(line)
                }
                // A REGISTER is as good as a ping.
                if lines[line].registration.phase == .registered { ping(line) }
            }
        }
    }

    func handlerTimer() {
        guard let deadline = handler.deadline, deadline <= now.monotonic else { return }
        finishHandler()
    }

    func finishHandlerIfDone() {
        guard handler.deadline != nil, exchanges.allSatisfy(\.isAccepted),
            !lines.contains(where: { $0.keepAlive.isWaiting || $0.registration.phase == .connecting })
        else { return }
        finishHandler()
    }

    private func finishHandler() {
        handler.finish()
        report(.keepAliveHandlerFinished)
    }

    /// A push came.
    ///
    /// A call it tells of is shown at once, as platforms demand, and once: also where it is over already, which is then told
    /// at once. The server hears from the phone by a REGISTER, down a new flow where there is none (RFC 8599 section 4.1.3).
    ///
    /// - Parameters:
    ///   - call: the call it is for; nil where it only wakes.
    ///   - validUntil: milliseconds since 1970 when the call is over anyway, as the push says; nil where it does not.
    ///   - now: the time.
    public func pushed(call: IncomingCall?, validUntil: Int64? = nil, now: Now) {
        turn(now) {
            if let call { announce(call, validUntil: validUntil) }
            for line in lines.indices where isRunning {
                lines[line].notBefore = nil
                begin(line)
            }
        }
    }

    private func announce(_ call: IncomingCall, validUntil: Int64?) {
        let isKnown = calls.contains { $0.callID == call.callID.bytes }
        guard !isKnown, !history.has(call.callID.bytes, now: now.monotonic) else { return }
        let handle = CallHandle(number: newNumber())
        let entry = Call(
            handle: handle,
            isIncoming: true,
            phase: .announced,
            callID: call.callID.bytes,
            localTag: host.random.next()
        )
        entry.isShown = true
        // A registration takes its time; once it stands, the call is to follow soon.
        entry.deadline = now.monotonic + host.policy.transactionTime
        calls.append(entry)
        report(.incomingCall(handle, call))
        if let validUntil, validUntil <= now.wall { return finish(handle, .missed) }
        takeAudio(handle)
    }
}
