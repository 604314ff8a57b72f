public import SIP

extension Phone {
    /// Begins to register, and stays registered.
    public func start(now: Now) {
        turn(now) {
            isRunning = true
            for line in lines.indices { begin(line) }
        }
    }

    /// Ends all calls and registrations; over when every line has reported `unregistered`.
    public func stop(now: Now) {
        turn(now) {
            isRunning = false
            for call in calls.map(\.handle) { end(call) }
            for line in lines.indices {
                let hasFlow = lines[line].registration.hasFlow
                perform(lines[line].registration.leave(), line)
                if !hasFlow { report(.unregistered(line: line)) }
            }
        }
    }

    /// The network came, went, or is another one.
    ///
    /// On a new network all flows are opened anew at once, and no wait counts: what the old one refused says nothing about
    /// this one.
    ///
    /// - Parameters:
    ///   - isReachable: whether there is a network.
    ///   - network: which one: a number that is another one for another network.
    ///   - now: the time.
    public func reachabilityChanged(isReachable: Bool, network: UInt64, now: Now) {
        turn(now) {
            let isNew = isReachable && (!isOnline || network != self.network)
            isOnline = isReachable
            if !isReachable {
                for line in lines.indices where lines[line].registration.hasFlow { loseFlow(line, .error) }
            } else if isNew {
                self.network = network
                rebuildFlows()
            }
        }
    }

    /// The app was relaunched, or its sockets were taken away: all flows are built anew from nothing.
    public func relaunched(now: Now) {
        turn(now) { rebuildFlows() }
    }

    func rebuildFlows() {
        for line in lines.indices { rebuildFlow(line) }
    }

    /// Lets go of a line's flow and opens another at once.
    func rebuildFlow(_ line: Int) {
        abandonFlow(line)
        lines[line].registration.failed(retry: now.monotonic)
        lines[line].registration.proved()
        lines[line].notBefore = nil
        if isRunning { begin(line) }
    }

    /// A flow that was asked for is open.
    ///
    /// - Parameters:
    ///   - ticket: the ticket of the `connect`.
    ///   - flow: the flow.
    ///   - info: our end and theirs.
    ///   - now: the time.
    public func connected(_ ticket: ConnectTicket, _ flow: FlowID, _ info: FlowInfo, now: Now) {
        turn(now) {
            let line = ticket.line
            guard lines.indices.contains(line), lines[line].attempt == ticket.attempt,
                lines[line].registration.phase == .connecting
            else {
                host.outbox.append(.close(flow, .replaced))
                return
            }
            lines[line].flow = flow
            lines[line].local = info.local
            // Signaling only: media never carries this tag.
            host.outbox.append(
                .tag(
                    flow,
                    FlowTag(
                        addressOfRecord: identity.address.text,
                        instance: Excerpt(identity.instance),
                        regID: lines[line].regID
                    )
                )
            )
            perform(lines[line].registration.opened(), line)
        }
    }

    /// A flow that was asked for could not be opened.
    public func connectFailed(_ ticket: ConnectTicket, _ reason: CloseReason, now: Now) {
        turn(now) {
            let line = ticket.line
            guard lines.indices.contains(line), lines[line].attempt == ticket.attempt,
                lines[line].registration.phase == .connecting
            else { return }
            loseFlow(line, reason)
        }
    }

    /// Bytes came that are no message: a pong.
    public func stirred(_ flow: FlowID, now: Now) {
        turn(now) {
            guard let line = line(of: flow) else { return }
            heard(line)
        }
    }

    /// A flow is gone.
    public func closed(_ flow: FlowID, _ reason: CloseReason, now: Now) {
        turn(now) {
            guard let line = line(of: flow) else { return }
            loseFlow(line, reason, isClosed: true)
        }
    }

    /// Sends a ping on every registered flow, ahead of its time.
    public func ping(now: Now) {
        turn(now) {
            for line in lines.indices { ping(line) }
        }
    }

    /// Renews every registration ahead of its time.
    ///
    /// - Parameters:
    ///   - forgetsChallenges: whether credentials wait until the server asks for them again.
    ///   - now: the time.
    public func refresh(forgetsChallenges: Bool = false, now: Now) {
        turn(now) {
            if forgetsChallenges { digests = [] }
            for line in lines.indices { begin(line) }
        }
    }

    func ping(_ line: Int) {
        guard let flow = lines[line].flow,
            lines[line].keepAlive.ping(pongWithin: host.policy.pongWithin, now: now.monotonic) == .ping
        else { return }
        sendPing(flow)
    }

    private func sendPing(_ flow: FlowID) {
        host.outbox.append(.watch(flow))
        host.outbox.send(flow) { $0.append(text: "\r\n\r\n") }
    }

    func heard(_ line: Int) {
        guard let time = lines[line].keepAlive.heard(fraction: host.random.fraction(), now: now.monotonic) else {
            return
        }
        lines[line].registration.proved()
        report(.pong(line: line, time))
    }

    /// Between which two the server is pinged on a line; nil while it is not registered.
    public func pingInterval(ofLine line: Int) -> ClosedRange<Interval>? {
        lines.indices.contains(line) ? lines[line].keepAlive.interval : nil
    }

    func line(of flow: FlowID) -> Int? { lines.indices.first { lines[$0].flow == flow } }

    /// The first line that requests can go down.
    var usableLine: Int? { lines.indices.first { lines[$0].registration.isUsable && lines[$0].flow != nil } }

    func begin(_ line: Int) {
        guard isOnline else { return }
        let action = lines[line].registration.begin(connectBy: now.monotonic + host.policy.connectWithin)
        perform(action, line)
    }

    func perform(_ action: Registration.Action, _ line: Int) {
        switch action {
        case .none: break
        case .connect:
            lines[line].attempt &+= 1
            let ticket = ConnectTicket(phone: id, line: line, attempt: lines[line].attempt)
            host.outbox.append(.connect(ticket: ticket.rawValue, lines[line].target))
        case .register: sendRegister(line)
        case .unregister: sendRegister(line, expires: 0)
        case .close:
            // Its time to open was over, or nobody wants it any more.
            if lines[line].registration.phase == .connecting {
                loseFlow(line, .silence)
            } else {
                abandonFlow(line)
                report(.unregistered(line: line))
            }
        }
    }

    func lineTimers(_ line: Int) {
        let registrationIsDue = lines[line].registration.deadline.map { $0 <= now.monotonic } ?? false
        if registrationIsDue, !isSuspended || lines[line].registration.phase == .connecting {
            let action = lines[line].registration.timerFired(connectBy: now.monotonic + host.policy.connectWithin)
            perform(action, line)
        }
        let pingIsDue = lines[line].keepAlive.deadline.map { $0 <= now.monotonic } ?? false
        guard pingIsDue, let flow = lines[line].flow, !isSuspended || lines[line].keepAlive.isWaiting else { return }
        switch lines[line].keepAlive.timerFired(pongWithin: host.policy.pongWithin, now: now.monotonic) {
        case .none: break
        case .ping: sendPing(flow)
        case .fail: loseFlow(line, .silence)
        }
    }

    /// Closes a line's flow, if there is one, without a word about it.
    func abandonFlow(_ line: Int) {
        lines[line].keepAlive.end()
        guard let flow = lines[line].flow else { return }
        lines[line].flow = nil
        host.outbox.append(.close(flow, .replaced))
        flowGone(flow)
    }

    /// A line's flow failed: what went over it is over, and the next attempt gets its time.
    ///
    /// - Parameters:
    ///   - line: which.
    ///   - reason: why.
    ///   - status: the answer that says so, where it was one.
    ///   - isClosed: whether it is closed already.
    func loseFlow(_ line: Int, _ reason: CloseReason, status: UInt16? = nil, isClosed: Bool = false) {
        let flow = lines[line].flow
        let hadBinding = lines[line].registration.isUsable
        let wasLeaving = lines[line].registration.phase == .leaving
        lines[line].keepAlive.end()
        lines[line].flow = nil
        var retry: Interval?
        if isOnline {
            // A system takes sockets away from suspended apps, which says nothing about the way.
            if !isSuspended { lines[line].registration.countFailure() }
            retry = wait(line)
        }
        lines[line].registration.failed(retry: retry.map { now.monotonic + $0 })
        if let flow {
            if !isClosed { host.outbox.append(.close(flow, reason)) }
            flowGone(flow)
        }
        // Somebody waits: the next flow is opened at once, though only the first time that one is lost.
        if isOnline, isWaitingForFlow, lines[line].registration.failures <= 1, !wasLeaving { begin(line) }
        if wasLeaving {
            report(.unregistered(line: line))
        } else if hadBinding, status == nil {
            report(.flowLost(line: line, reason, retry: retry))
        } else {
            report(.registrationFailed(line: line, status.map { .status($0) } ?? .flow(reason), retry: retry))
        }
    }

    /// How long a line that failed has to wait (RFC 5626 section 4.5).
    private func wait(_ line: Int) -> Interval {
        let others = lines.indices.contains { $0 != line && lines[$0].registration.isUsable }
        let wait = host.policy.backoff.wait(
            failures: lines[line].registration.failures,
            isAlone: !others,
            fraction: host.random.fraction()
        )
        guard let notBefore = lines[line].notBefore else { return wait }
        lines[line].notBefore = nil
        return max(wait, notBefore - now.monotonic)
    }
}
