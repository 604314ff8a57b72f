import PhoneKit
import SIP

/// Handsets: what hardware, system and app do around the phone's rules.
extension World {
    /// Makes users and their devices, and turns all on within a few minutes.
    func populate() {
        var random = SeededRandom(seed: scenario.seed, stream: 6)
        handsets.reserveCapacity(scenario.phones)
        while handsets.count < scenario.phones {
            let user = devices.count
            let count = random.happens(scenario.twoDevices) && handsets.count + 1 < scenario.phones ? 2 : 1
            devices.append([])
            for _ in 0..<count { addHandset(user, &random) }
        }
        accounts = Array(repeating: nil, count: devices.count)
        let spread = Int64(max(1000, handsets.count * 2))
        for handset in handsets {
            arrange(.isOpened, handset.index, in: random.within(0...spread))
            arrangeDay(handset, &random)
        }
    }

    private func addHandset(_ user: Int, _ random: inout SeededRandom) {
        let index = handsets.count
        let draw = random.fraction()
        var kind = draw < 0.15 ? Handset.Kind.desk : draw < 0.55 ? .open : draw < 0.95 ? .pushed : .held
        // A handler every ten minutes keeps no flow that has to be used more often.
        if kind == .held, scenario.flowTimer < 660 { kind = .pushed }
        let name = ByteString("u\(user)")
        var instance: [UInt8] = []
        instance.append(text: "urn:uuid:00000000-0000-1000-8000-")
        instance.append(hex: UInt64(index), digits: 12)
        let target = FlowTarget(transport: .tcp, host: "10.0.0.1", port: 5060)
        let push = PushParameters(
            provider: "apns",
            parameter: "TEAM123456.example.phone",
            token: ByteString("a\(index)"),
            alertToken: ByteString("b\(index)")
        )
        let identity = PhoneIdentity(
            address: AddressOfRecord(user: name, domain: Self.domain),
            secret: .password(name),
            instance: ByteString(instance),
            proxies: kind == .desk ? [target, target] : [target],
            push: kind == .pushed ? push : nil
        )
        let access =
            kind == .desk ? 0 : Access.firstMobile + random.below(Access.all.count - Access.firstMobile)
        handsets.append(
            Handset(
                index: index,
                user: user,
                kind: kind,
                identity: identity,
                node: user % nodes.count,
                access: UInt8(access)
            )
        )
        devices[user].append(index)
    }

    /// Hands an event to a phone's rules, and carries out what they want.
    func use(_ handset: Handset, _ body: (Phone) -> Void) {
        guard let phone = handset.phone else { return }
        body(phone)
        serve(handset, phone)
    }

    private func serve(_ handset: Handset, _ phone: Phone) {
        let outbox = host.outbox
        if !outbox.isEmpty {
            for entry in outbox.entries {
                switch entry {
                case .send(let flow, let range): sendUp(handset, flow, outbox.arena[range])
                case .close(let flow, _): closeFromPhone(handset, flow)
                case .connect(let ticket, _): connect(handset, ticket: ticket)
                case .tag(let flow, let tag): if let pipe = pipe(flow) { pipes[pipe].regID = tag.regID }
                case .watch, .keepAlive: break
                }
            }
            outbox.removeAll()
        }
        host.takeReports(into: &reports)
        if !reports.isEmpty {
            let batch = reports
            for report in batch { heard(report.event, handset) }
        }
        guard handset.phone === phone, let deadline = phone.nextDeadline, deadline.milliseconds < handset.timerAt else {
            return
        }
        handset.timerAt = max(deadline.milliseconds, time)
        queue.arrange(Event(.phoneTimer, handset.index), at: handset.timerAt)
    }

    func phoneTimer(_ handset: Handset) {
        guard time >= handset.timerAt else { return }
        handset.timerAt = .max
        guard let phone = handset.phone, let deadline = phone.nextDeadline else { return }
        if deadline.milliseconds <= time {
            use(handset) { $0.advance(to: now) }
        } else {
            handset.timerAt = deadline.milliseconds
            queue.arrange(Event(.phoneTimer, handset.index), at: handset.timerAt)
        }
    }

    /// What a phone's rules tell its app.
    private func heard(_ event: PhoneEvent, _ handset: Handset) {
        switch event {
        case .registered(let line, let expires, let isRefresh):
            if isRefresh { tally.refreshes += 1 } else { tally.registrations += 1 }
            handset.notes.add(.registered, line, at: time)
            checkSuccession(handset, regID: UInt32(truncatingIfNeeded: line + 1))
            if handset.identity.push != nil { handset.parkedUntil = now.wall + Int64(expires) * 1000 }
        case .registrationFailed(let line, let failure, _):
            tally.refusedRegistrations += 1
            handset.notes.add(.registrationFailed, line, at: time)
            if case .status(let status) = failure, status == 401 || status == 403 {
                broke(
                    .everythingEnds,
                    "phone \(handset.index) was refused with its right password",
                    handset.notes.lines
                )
            }
        case .unregistered(let line):
            handset.notes.add(.unregistered, line, at: time)
            handset.parkedUntil = 0
        case .flowLost(let line, _, _):
            tally.lostFlows += 1
            handset.troubleAt = time
            handset.notes.add(.flowLost, line, at: time)
        case .pong, .callProgress, .callArrived, .callConfirmed, .offered, .offerAnswered, .requestAudio, .releaseAudio,
            .keepAliveHandlerFinished:
            break
        case .incomingCall(let handle, let call): rang(handset, handle, call)
        case .callAccepted(let handle, _): accepted(handset, handle)
        case .callEnded(let handle, let end): ended(handset, handle, end)
        case .message(_, let payload): messageArrived(handset, payload)
        case .answered(let id, let outcome): messageAnswered(handset, id, outcome)
        }
    }

    /// Whether a phone has a sound connection.
    func isConnected(_ handset: Handset) -> Bool {
        handset.pipes.contains { isSound(Int($0), pipes[Int($0)].generation) }
    }

    /// The user takes the phone in hand.
    func isOpened(_ handset: Handset) {
        guard handset.state != .flat else { return }
        launch(handset)
        handset.state = .inUse
        handset.notes.add(.woke, 0, at: time)
        arrangeSleep(handset)
        demandRegistration(handset)
    }

    /// Sees to it that the app runs.
    func launch(_ handset: Handset) {
        if handset.phone == nil {
            let phone = Phone(id: handset.index, identity: handset.identity, host: host, now: now)
            handset.phone = phone
            handset.notes.add(.launched, 0, at: time)
            if handset.kind == .held { try? phone.setKeepAliveHandler(interval: .seconds(600)) }
            let network = handset.network
            use(handset) { $0.reachabilityChanged(isReachable: true, network: network, now: now) }
            use(handset) { $0.start(now: now) }
        } else {
            use(handset) { $0.resumed(now: now) }
        }
    }

    private func arrangeSleep(_ handset: Handset) {
        guard handset.kind != .desk else { return }
        arrange(.fallsAsleep, handset.index, in: peopleRandom.within(20_000...120_000))
    }

    /// The screen goes dark; what that means is the platform's affair.
    func fallsAsleep(_ handset: Handset) {
        guard handset.state == .inUse else { return }
        if !handset.calls.isEmpty || isQuieting { return arrangeSleep(handset) }
        handset.state = .asleep
        handset.notes.add(.slept, 0, at: time)
        switch handset.kind {
        case .desk, .open: break
        case .held:
            use(handset) { $0.suspended(now: now) }
            arrange(.keepAliveHandler, handset.index, in: peopleRandom.within(480_000...600_000))
        case .pushed:
            use(handset) { $0.suspended(now: now) }
            // The system takes the sockets away.
            for place in handset.pipes.map(Int.init) {
                let flow = phoneFlow(place)
                let isOpen = pipes[place].phoneKnows
                let ticket = ConnectTicket(rawValue: pipes[place].ticket)
                dropFromPhone(handset, place, isSaid: true)
                use(handset) {
                    if isOpen { $0.closed(flow, .error, now: now) } else { $0.connectFailed(ticket, .error, now: now) }
                }
            }
        }
    }

    func keepAliveHandler(_ handset: Handset) {
        guard handset.kind == .held, handset.phone != nil, handset.state == .asleep else { return }
        use(handset) { $0.keepAliveHandlerCalled(now: now) }
        // Early at times, and never much later than was asked for.
        arrange(.keepAliveHandler, handset.index, in: peopleRandom.within(480_000...600_000))
    }

    /// The app is ended, or the battery is empty: nothing is said to anybody.
    func isKilled(_ handset: Handset, _ isFlat: Int) {
        guard handset.phone != nil, !isQuieting else { return }
        tally.kills += 1
        handset.notes.add(isFlat == 1 ? .flat : .killed, 0, at: time)
        for (handle, call) in handset.calls { deviceIsGone(handset, handle, call) }
        handset.calls = []
        handset.phone = nil
        handset.timerAt = .max
        handset.state = isFlat == 1 ? .flat : .killed
        for place in handset.pipes.map(Int.init) {
            // A system closes what a process had; an empty battery closes nothing.
            dropFromPhone(handset, place, isSaid: isFlat == 0)
        }
        arrange(isFlat == 1 ? .isCharged : .isOpened, handset.index, in: faultRandom.within(60_000...3_600_000))
    }

    func isCharged(_ handset: Handset) {
        guard handset.state == .flat else { return }
        handset.state = .killed
        handset.notes.add(.charged, 0, at: time)
        isOpened(handset)
    }

    /// The phone moves to another network: its old connections go nowhere, and nobody tells the other side.
    func changesNetwork(_ handset: Handset) {
        guard handset.kind != .desk, handset.state != .flat, !isQuieting else { return }
        tally.networkChanges += 1
        handset.network += 1
        handset.notes.add(.changedNetwork, Int(handset.network), at: time)
        handset.troubleAt = time
        handset.access = UInt8(Access.firstMobile + faultRandom.below(Access.all.count - Access.firstMobile))
        for place in handset.pipes { pipes[Int(place)].isDead = true }
        let network = handset.network
        if handset.state == .asleep, handset.kind == .pushed || handset.kind == .held {
            // A suspended app hears of it when it runs again.
            return
        }
        use(handset) { $0.reachabilityChanged(isReachable: true, network: network, now: now) }
    }

    /// A push is on its way, if it is not lost.
    func push(_ handset: Handset) {
        guard handset.state != .flat, handset.kind == .pushed else { return }
        tally.pushes += 1
        guard !faultRandom.happens(scenario.faults > 0 && !isQuieting ? 0.02 : 0) else {
            tally.lostPushes += 1
            return
        }
        // As a rule at once; now and then it takes seconds.
        let delay = networkRandom.happens(0.05) ? networkRandom.within(1000...8000) : networkRandom.within(80...600)
        arrange(.pushArrives, handset.index, in: delay)
    }

    func pushArrives(_ handset: Handset) {
        guard handset.state != .flat, !isCut[Int(handset.access)] else { return }
        handset.notes.add(.pushed, 0, at: time)
        useRadio(handset, .push)
        // The system relaunches an app that was ended.
        launch(handset)
        if handset.state != .inUse {
            handset.state = .inUse
            arrangeSleep(handset)
        }
        let network = handset.network
        use(handset) { $0.reachabilityChanged(isReachable: true, network: network, now: now) }
        use(handset) { $0.pushed(call: nil, now: now) }
        demandRegistration(handset)
    }

    /// A phone that somebody took in hand, or that a push woke, is to be registered soon.
    private func demandRegistration(_ handset: Handset) {
        arrange(.mustBeRegistered, handset.index, Int(nodes[handset.node].epoch), in: 10_000)
    }
}
