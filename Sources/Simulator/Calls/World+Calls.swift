import PhoneKit
import SIP
import Signaling

/// People and their calls.
extension World {
    /// What a person does in a day, spread over it.
    func arrangeDay(_ handset: Handset, _ random: inout SeededRandom) {
        func first(_ perDay: Double) -> Int64 {
            60_000 + Int64(random.fraction() * min(86_400_000 / max(perDay, 1e-6), 1e15))
        }
        arrange(.dial, handset.index, in: first(scenario.callsPerDay))
        arrange(.says, handset.index, in: first(scenario.messagesPerDay))
    }

    /// Somebody wants to call.
    func dial(_ handset: Handset) {
        guard !isQuieting else { return }
        let pause = peopleRandom.pause(mean: 86_400_000 / max(scenario.callsPerDay, 0.001))
        arrange(.dial, handset.index, in: pause)
        guard handset.state != .flat, handset.calls.isEmpty, devices.count > nodes.count else { return }
        // Somebody else, of the same node.
        var callee = peopleRandom.below(devices.count)
        callee -= callee % nodes.count
        callee += handset.user % nodes.count
        if callee >= devices.count { callee = handset.user % nodes.count }
        guard callee != handset.user else { return }
        takeInHand(handset)
        let number = calls.count
        calls.append(CallRecord(number: number, caller: handset.index, callee: callee, wishedAt: time))
        openCalls += 1
        wake(callee)
        arrange(.place, number, 0, in: 200)
        // Twice the longest that it may ring and be talked, and it is over whatever happens.
        arrange(.mustBeOver, number, in: 900_000)
    }

    private func takeInHand(_ handset: Handset) {
        launch(handset)
        handset.state = .inUse
        let network = handset.network
        use(handset) { $0.reachabilityChanged(isReachable: true, network: network, now: now) }
        if handset.kind != .desk { arrange(.fallsAsleep, handset.index, in: peopleRandom.within(20_000...120_000)) }
    }

    /// The app's own service pushes to devices that sleep, before the call is placed.
    private func wake(_ user: Int) {
        for device in devices[user] where handsets[device].state != .inUse { push(handsets[device]) }
    }

    /// The call is placed as soon as the caller is registered, and the other side is too or had its time.
    func place(_ number: Int, attempt: Int) {
        guard let call = calls[number], call.placedAt == nil else { return }
        let caller = handsets[call.caller]
        guard let phone = caller.phone, caller.state == .inUse else { return close(number, .lost) }
        let isReady = phone.isRegistered && devices[call.callee].contains { handsets[$0].phone?.isRegistered ?? false }
        if !isReady, attempt < 24 {
            if attempt == 8 { wake(call.callee) }
            return arrange(.place, number, attempt + 1, in: 500)
        }
        calls[number]?.placedAt = time
        calls[number]?.epoch = nodes[caller.node].epoch
        calls[number]?.expected = reachable(call.callee)
        calls[number]?.callerPipes = caller.pipes.map { (Int($0), pipes[Int($0)].generation) }
        caller.notes.add(.called, call.callee, at: time)
        var uri: [UInt8] = []
        handsets[devices[call.callee][0]].identity.address.appendURI(to: &uri)
        var handle: CallHandle?
        use(caller) { phone in
            let made = phone.call(ByteString(uri), session: [], now: now)
            handle = made
            guard let callID = phone.callID(of: made) else { return }
            calls[number]?.callID = callID
            calls[number]?.handle = made
            callNumbers[callID] = number
            caller.calls.append((made, number))
        }
        guard handle != nil else { return close(number, .lost) }
        if isConnected(caller), calls[number]?.expected.isEmpty == false {
            arrange(.mustRing, number, in: 3000)
        }
        arrange(.callerGivesUp, number, in: peopleRandom.within(12_000...45_000))
    }

    /// The devices of a user that the server can reach at this moment.
    private func reachable(_ user: Int) -> [(handset: Int, pipe: Int, generation: Int32)] {
        var found: [(handset: Int, pipe: Int, generation: Int32)] = []
        for device in devices[user] {
            let handset = handsets[device]
            guard handset.phone?.isRegistered ?? false, handset.calls.isEmpty else { continue }
            for place in handset.pipes {
                let generation = pipes[Int(place)].generation
                if isSound(Int(place), generation) { found.append((device, Int(place), generation)) }
            }
        }
        return found
    }

    func record(_ step: JournalStep) {
        guard let number = callNumbers[step.callID.string] else { return }
        calls[number]?.steps.append(step)
    }

    /// A device rings.
    func rang(_ handset: Handset, _ handle: CallHandle, _ incoming: IncomingCall) {
        handset.notes.add(.rang, Int(handle.number), at: time)
        guard let number = callNumbers[incoming.callID], let call = calls[number] else {
            return broke(.rightDevice, "phone \(handset.index) rang for a call nobody made", handset.notes.lines)
        }
        if call.callee != handset.user {
            broke(.rightDevice, "phone \(handset.index) rang for user \(call.callee)", journal(call))
        }
        if call.rings.contains(where: { $0.handset == handset.index }) {
            broke(.oneRing, "phone \(handset.index) rang twice for call \(number)", journal(call))
        }
        if let endedAt = call.endedAt, call.callerWasConnected, time - endedAt > 2000,
            time - cutUntil[Int(handset.access)] > 5000
        {
            broke(
                .oneRing,
                "phone \(handset.index) rang \(time - endedAt) ms after call \(number) was over",
                journal(call)
            )
        }
        if call.rings.isEmpty, let placedAt = call.placedAt {
            Tally.note(time - placedAt, in: &tally.ringTimes)
            Tally.note(time - call.wishedAt, in: &tally.reachTimes)
        }
        calls[number]?.rings.append(CallRecord.Ring(handset: handset.index, at: time))
        handset.calls.append((handle, number))
        arrange(.decide, handset.index, Int(handle.number), in: peopleRandom.within(1500...14_000))
    }

    /// The person called takes the call, refuses it, or lets it ring.
    func decide(_ handset: Handset, _ handle: Int) {
        guard let entry = handset.calls.first(where: { $0.handle.number == UInt32(truncatingIfNeeded: handle) }),
            let call = calls[entry.call], call.caller != handset.index
        else { return }
        let draw = peopleRandom.fraction()
        if draw < 0.7 {
            handset.notes.add(.answered, handle, at: time)
            use(handset) { $0.answer(entry.handle, session: [], now: now) }
            arrange(.handsetHangsUp, handset.index, handle, in: peopleRandom.within(5000...240_000))
        } else if draw < 0.85 {
            use(handset) { $0.reject(entry.handle, status: 486, now: now) }
        }
    }

    func hangsUp(_ handset: Handset, _ handle: Int) {
        guard let entry = handset.calls.first(where: { $0.handle.number == UInt32(truncatingIfNeeded: handle) }) else {
            return
        }
        if let call = calls[entry.call], call.answeredAt != nil {
            let isOverThere =
                handset.index == call.caller ? call.rings.allSatisfy { $0.endedAt != nil } : call.endedAt != nil
            if isOverThere { tally.silentEnds += 1 }
        }
        use(handset) { $0.hangUp(entry.handle, now: now) }
    }

    func callerGivesUp(_ number: Int) {
        guard let call = calls[number], call.answeredAt == nil, call.endedAt == nil, let handle = call.handle else {
            return
        }
        use(handsets[call.caller]) { $0.hangUp(handle, now: now) }
    }

    func accepted(_ handset: Handset, _ handle: CallHandle) {
        guard let entry = handset.calls.first(where: { $0.handle == handle }) else { return }
        calls[entry.call]?.answeredAt = time
        arrange(.handsetHangsUp, handset.index, Int(handle.number), in: peopleRandom.within(5000...240_000))
    }

    /// A device's part in a call is over.
    func ended(_ handset: Handset, _ handle: CallHandle, _ end: CallEnd) {
        handset.notes.add(.ended, Int(handle.number), at: time)
        guard let place = handset.calls.firstIndex(where: { $0.handle == handle }) else { return }
        let number = handset.calls.remove(at: place).call
        guard let call = calls[number] else { return }
        if handset.index == call.caller {
            if end == .lost { checkPatience(handset, call) }
            close(number, Self.outcome(of: call, end))
        } else {
            if let ring = call.rings.firstIndex(where: { $0.handset == handset.index }) {
                calls[number]?.rings[ring].endedAt = time
            }
            // The caller hears nothing any more, and hangs up where no BYE comes.
            if call.answeredAt != nil, call.endedAt == nil, end != .answeredElsewhere {
                leaveAfterSilence(number, call.caller)
            }
        }
        forgetIfDone(number)
    }

    private static func outcome(of call: CallRecord, _ end: CallEnd) -> CallRecord.Outcome {
        if call.answeredAt != nil { return .answered }
        switch end {
        case .rejected(let status):
            switch status {
            case 486, 600, 603: return .busyOrRejected
            case 404, 408, 430, 480: return .unreachable
            default: return .lost
            }
        case .local: return call.rings.isEmpty ? .unreachable : .cancelled
        case .unanswered: return .unanswered
        case .lost, .remote, .cancelled, .answeredElsewhere, .missed: return .lost
        }
    }

    /// The caller's part is over.
    func close(_ number: Int, _ outcome: CallRecord.Outcome) {
        guard let call = calls[number], call.endedAt == nil else { return }
        let caller = handsets[call.caller]
        calls[number]?.endedAt = time
        calls[number]?.outcome = outcome
        calls[number]?.callerWasConnected =
            nodes[caller.node].epoch == call.epoch && !call.callerPipes.isEmpty
            && call.callerPipes.allSatisfy { isSound($0.pipe, $0.generation) }
        tally.outcomes[Int(outcome.rawValue)] += 1
        if call.answeredAt != nil {
            for ring in call.rings where ring.endedAt == nil { leaveAfterSilence(number, ring.handset) }
        }
        arrange(.mustBeSilent, number, in: 2000 + 2 * 2 * 400)
        forgetIfDone(number)
    }

    /// A person who hears nothing any more hangs up.
    private func leaveAfterSilence(_ number: Int, _ handset: Int) {
        guard let entry = handsets[handset].calls.first(where: { $0.call == number }) else { return }
        arrange(.handsetHangsUp, handset, Int(entry.handle.number), in: peopleRandom.within(8000...20_000))
    }

    /// A device is gone without a word.
    func deviceIsGone(_ handset: Handset, _ handle: CallHandle, _ number: Int) {
        guard let call = calls[number] else { return }
        if call.caller == handset.index {
            close(number, call.answeredAt == nil ? .lost : .answered)
            calls[number]?.callerWasConnected = false
        } else {
            if let ring = call.rings.firstIndex(where: { $0.handset == handset.index }) {
                calls[number]?.rings[ring].endedAt = time
            }
            if call.answeredAt != nil { leaveAfterSilence(number, call.caller) }
        }
        forgetIfDone(number)
    }

    /// Forgets a call that everybody is done with.
    func forgetIfDone(_ number: Int) {
        guard let call = calls[number], let endedAt = call.endedAt, time - endedAt > 3600,
            call.rings.allSatisfy({ $0.endedAt != nil })
        else { return }
        callNumbers[call.callID] = nil
        calls[number] = nil
        openCalls -= 1
    }

    /// Somebody sends a message.
    func says(_ handset: Handset) {
        guard !isQuieting else { return }
        let pause = peopleRandom.pause(mean: 86_400_000 / max(scenario.messagesPerDay, 0.001))
        arrange(.says, handset.index, in: pause)
        guard handset.state != .flat, devices.count > 1 else { return }
        let other = handsets[devices[peopleRandom.below(devices.count)][0]]
        guard other.node == handset.node, other.user != handset.user, handset.phone?.isRegistered ?? false else {
            return
        }
        var uri: [UInt8] = []
        other.identity.address.appendURI(to: &uri)
        let text = Payload(type: "text/plain", bytes: Array("to u\(other.user)".utf8))
        tally.messagesSent += 1
        var ways: [(pipe: Int, generation: Int32)] = []
        for index in devices[other.user] + [handset.index] {
            for place in handsets[index].pipes { ways.append((Int(place), pipes[Int(place)].generation)) }
        }
        use(handset) { phone in
            if let id = phone.send(text, to: ByteString(uri), now: now) { handset.messages.append((id, ways)) }
        }
    }

    /// A message has its answer, or will never have one, which only a network can be to blame for.
    func messageAnswered(_ handset: Handset, _ id: RequestID, _ outcome: Outcome) {
        guard let place = handset.messages.firstIndex(where: { $0.id == id }) else { return }
        let message = handset.messages.remove(at: place)
        switch outcome {
        case .answered: tally.messagesAnswered += 1
        case .failed(let failure):
            tally.messagesFailed += 1
            let wasSound = message.pipes.allSatisfy { isSound($0.pipe, $0.generation) }
            let wasCut = cutUntil.contains { time - $0 < 60_000 }
            if failure == .timeout, wasSound, !wasCut {
                broke(.everythingEnds, "a message of phone \(handset.index) got no answer", handset.notes.lines)
            }
        }
    }

    func messageArrived(_ handset: Handset, _ payload: Payload) {
        tally.messagesDelivered += 1
        handset.notes.add(.message, 0, at: time)
        if payload.bytes != Array("to u\(handset.user)".utf8) {
            broke(
                .rightDevice,
                "phone \(handset.index) got a message for another: \(ByteString(payload.bytes))",
                handset.notes.lines
            )
        }
    }
}
