import Flows
import PhoneKit
import SIP
import Softphone

/// Operations: how they begin, what they wait for, and how they end.
extension LoadRun {
    /// Begins an operation with phones that rest; where there are none, that is a failure of the plan.
    func begin(_ operation: Operation, _ now: Now) {
        if operation == .abuse {
            let counts = isCounting
            abusers?.begin { [unowned self] in self.abuseEnded(accepted: $0, counts: counts) }
            open[operation.rawValue] += 1
            figures.operations[Operation.abuse.rawValue].begun += counts ? 1 : 0
            return
        }
        guard let phone = takeIdle() else { return starved(operation) }
        switch operation {
        case .ping:
            startOperation(operation, phone, now)
            driver.perform(phone, now: now) { $0.ping(now: now) }
        case .refresh:
            startOperation(operation, phone, now)
            driver.perform(phone, now: now) { $0.refresh(now: now) }
        case .register:
            startOperation(operation, phone, now)
            driver.perform(phone, now: now) { $0.refresh(forgetsChallenges: true, now: now) }
        case .reconnect:
            startOperation(operation, phone, now)
            phones[phone].isRegistered = false
            driver.perform(phone, now: now) { $0.relaunched(now: now) }
        case .message, .call:
            guard let peer = takeIdle() else {
                idle.add(Int32(truncatingIfNeeded: phone))
                return starved(operation)
            }
            startOperation(operation, phone, now)
            phones[phone].peer = Int32(truncatingIfNeeded: peer)
            phones[peer].begin(operation, isCaller: false)
            phones[peer].peer = Int32(truncatingIfNeeded: phone)
            stopwatch.start(driver.latestFlow(of: peer))
            if operation == .message { sendMessage(phone, peer, now) } else { call(phone, peer, now) }
        case .setUp, .abuse: break
        }
    }

    private func takeIdle() -> Int? {
        while let phone = idle.take().map({ Int($0) }) {
            if phones[phone].operation == nil, phones[phone].isRegistered { return phone }
        }
        return nil
    }

    private func starved(_ operation: Operation) {
        guard isCounting else { return }
        figures.operations[operation.rawValue].begun += 1
        fail(operation, "no phone was free")
    }

    func startOperation(_ operation: Operation, _ phone: Int, _ now: Now) {
        open[operation.rawValue] += 1
        let counts = isCounting || operation == .setUp
        if counts { figures.operations[operation.rawValue].begun += 1 }
        let generation = phones[phone].begin(operation, isCaller: true)
        phones[phone].counts = counts
        phones[phone].beganAt = Clock.microseconds()
        patience.add(
            Patience(
                until: now.monotonic + plan.patience,
                phone: Int32(truncatingIfNeeded: phone),
                generation: generation
            )
        )
        stopwatch.start(driver.latestFlow(of: phone))
    }

    /// What an operation has taken so far, in microseconds: the server's part and the network's, not that of the phones.
    ///
    /// In a storm it is the whole of it, since there the question is when all are in.
    private func time(of phone: Int) -> Int64 {
        let flow = driver.latestFlow(of: phone)
        guard !plan.storm || phones[phone].operation != .reconnect, let time = stopwatch.time(of: flow) else {
            return Clock.microseconds() - phones[phone].beganAt
        }
        let peer = Int(phones[phone].peer)
        guard phones.indices.contains(peer) else { return time }
        return max(0, time - stopwatch.held(by: driver.latestFlow(of: peer)))
    }

    /// What a phone does from now on is not timed.
    private func stopTiming(_ phone: Int) {
        if phones.indices.contains(phone) { stopwatch.stop(driver.latestFlow(of: phone)) }
    }

    func arrange(_ kind: Errand.Kind, _ phone: Int, at time: Instant) {
        _ = wheel.arm(
            at: onGrid(time),
            Errand(kind: kind, phone: Int32(truncatingIfNeeded: phone), generation: phones[phone].generation)
        )
    }

    /// Ends the operations whose answers do not come in time.
    func giveUp(_ now: Now) {
        while let first = patience.first, first.until <= now.monotonic {
            _ = patience.take()
            let phone = Int(first.phone)
            if phones[phone].generation == first.generation { end(phone, failure: "no answer in time", now) }
        }
    }

    func perform(_ errand: Errand, _ now: Now) {
        let phone = Int(errand.phone)
        guard phones[phone].generation == errand.generation, let operation = phones[phone].operation else { return }
        switch errand.kind {
        case .answer:
            guard operation == .call, let call = phones[phone].call else { return }
            let body = CallBody.bytes(phones[phone].token &+ 1)
            driver.perform(phone, now: now) { $0.answer(call, session: body, now: now) }
        case .hangUp:
            guard operation == .call, let call = phones[phone].call else { return }
            driver.perform(phone, now: now) { $0.hangUp(call, now: now) }
        }
    }

    private func sendMessage(_ phone: Int, _ peer: Int, _ now: Now) {
        phones[phone].token &+= 1
        var text = plan.message
        text.append(text: " ")
        text.append(decimal: UInt64(phone))
        text.append(text: "/")
        text.append(decimal: phones[phone].token)
        let id = driver.perform(phone, now: now) {
            $0.send(Payload(type: "text/plain", bytes: text), to: phones[peer].uri, now: now)
        }
        if id == nil { end(phone, failure: "not registered", now) }
    }

    private func call(_ phone: Int, _ peer: Int, _ now: Now) {
        phones[phone].token = UInt64(truncatingIfNeeded: phone) << 32 | UInt64(phones[phone].generation)
        phones[phone].call = driver.perform(phone, now: now) {
            $0.call(phones[peer].uri, session: CallBody.bytes(phones[phone].token), now: now)
        }
    }

    /// What a phone tells.
    func heard(_ report: PhoneReport, _ now: Now) {
        let phone = report.phone
        switch report.event {
        case .registered: registered(phone, now)
        case .registrationFailed(_, let failure, let retry):
            phones[phone].isRegistered = false
            end(phone, failure: Self.words("not registered", failure), now)
            // A refused phone is of no more use; others come back by themselves.
            if retry == nil { idleAgain(phone) }
        case .flowLost(_, let reason, _):
            phones[phone].isRegistered = false
            if phones[phone].operation == .reconnect { return }
            note("connection lost: \(reason)")
            end(phone, failure: "connection lost", now)
        case .pong: if phones[phone].operation == .ping { end(phone, failure: nil, now) }
        case .incomingCall(let handle, let call): rang(phone, handle, call, now)
        case .callProgress(let handle, let status, _):
            guard phones[phone].call == handle, status == 180, phones[phone].ringTime == nil else { return }
            phones[phone].ringTime = time(of: phone)
            stopTiming(phone)
            stopTiming(Int(phones[phone].peer))
        case .callAccepted(let handle, let body): accepted(phone, handle, body, now)
        case .callConfirmed(let handle, _): if phones[phone].call == handle { phones[phone].isAnswered = true }
        case .callEnded(let handle, let reason): ended(phone, handle, reason, now)
        case .message(_, let payload): messageArrived(phone, payload, now)
        case .answered(_, let outcome): answered(phone, outcome, now)
        case .unregistered, .callArrived, .offered, .offerAnswered, .requestAudio, .releaseAudio,
            .keepAliveHandlerFinished:
            break
        }
    }

    private func registered(_ phone: Int, _ now: Now) {
        let wasRegistered = phones[phone].isRegistered
        phones[phone].isRegistered = true
        switch phones[phone].operation {
        case .setUp, .refresh, .register, .reconnect: end(phone, failure: nil, now)
        case nil: if !wasRegistered { idle.add(Int32(truncatingIfNeeded: phone)) }
        case .ping, .message, .call, .abuse: break
        }
    }

    private func rang(_ phone: Int, _ handle: CallHandle, _ call: IncomingCall, _ now: Now) {
        let caller = Int(phones[phone].peer)
        guard phones[phone].operation == .call, phones.indices.contains(caller), !phones[phone].isCaller,
            CallBody.number(of: call.session) == phones[caller].token, call.from == phones[caller].uri
        else {
            fail(.call, "a phone rang for a call that is not for it")
            driver.perform(phone, now: now) { $0.reject(handle, status: 486, now: now) }
            return
        }
        phones[phone].call = handle
        phones[phone].token = phones[caller].token
        phones[phone].didArrive = true
        if plan.ring <= 0 {
            let body = CallBody.bytes(phones[phone].token &+ 1)
            driver.perform(phone, now: now) { $0.answer(handle, session: body, now: now) }
        } else {
            arrange(.answer, phone, at: now.monotonic + .milliseconds(plan.ring))
        }
    }

    private func accepted(_ phone: Int, _ handle: CallHandle, _ body: [UInt8], _ now: Now) {
        guard phones[phone].call == handle, phones[phone].operation == .call else { return }
        guard CallBody.number(of: body) == phones[phone].token &+ 1 else {
            return end(phone, failure: "the answer has another body than was sent", now)
        }
        phones[phone].isAnswered = true
        arrange(.hangUp, phone, at: now.monotonic + .milliseconds(plan.hold))
    }

    /// One side of a call is over; when both are, it is looked at as a whole.
    private func ended(_ phone: Int, _ handle: CallHandle, _ reason: CallEnd, _ now: Now) {
        guard phones[phone].operation == .call, phones[phone].call == handle else { return }
        phones[phone].call = nil
        let isCaller = phones[phone].isCaller
        if isCaller, !phones[phone].isAnswered {
            return end(phone, failure: "call \(Self.words(reason))", now)
        }
        guard !isCaller else { return }
        let caller = Int(phones[phone].peer)
        guard phones.indices.contains(caller), phones[caller].peer == Int32(truncatingIfNeeded: phone) else { return }
        // The caller hung up, and the BYE is here: the last that was to come.
        guard reason == .remote, phones[phone].isAnswered, phones[caller].isAnswered else {
            return end(caller, failure: "call \(Self.words(reason))", now)
        }
        end(caller, failure: phones[caller].ringTime == nil ? "the caller never heard it ring" : nil, now)
    }

    private func messageArrived(_ phone: Int, _ payload: Payload, _ now: Now) {
        let sender = Int(phones[phone].peer)
        guard phones[phone].operation == .message, phones.indices.contains(sender) else {
            return fail(.message, "a message came to the wrong phone, or late")
        }
        var text = plan.message
        text.append(text: " ")
        text.append(decimal: UInt64(sender))
        text.append(text: "/")
        text.append(decimal: phones[sender].token)
        if payload.bytes == text { phones[phone].didArrive = true } else { fail(.message, "a message was changed") }
    }

    private func answered(_ phone: Int, _ outcome: Outcome, _ now: Now) {
        guard phones[phone].operation == .message, phones[phone].isCaller else { return }
        switch outcome {
        case .answered(200):
            let peer = Int(phones[phone].peer)
            let didArrive = phones.indices.contains(peer) && phones[peer].didArrive
            end(phone, failure: didArrive ? nil : "answered, but not delivered", now)
        case .answered(let status): end(phone, failure: "answered \(status)", now)
        case .failed(let failure): end(phone, failure: Self.words("message", failure), now)
        }
    }

    /// An operation is over.
    func end(_ phone: Int, failure: String?, _ now: Now) {
        guard let operation = phones[phone].operation else { return }
        let peer = Int(phones[phone].peer)
        // A call or message belongs to the phone that began it.
        if !phones[phone].isCaller, operation == .call || operation == .message {
            if phones.indices.contains(peer), phones[peer].operation == operation { end(peer, failure: failure, now) }
            return
        }
        open[operation.rawValue] -= 1
        let time = phones[phone].ringTime ?? time(of: phone)
        if let failure {
            if phones[phone].counts { fail(operation, failure) } else { note(failure) }
        } else {
            sample.succeeded[operation.rawValue] += 1
            sampleTimes[operation.rawValue].note(time)
            if phones[phone].counts {
                figures.operations[operation.rawValue].succeeded += 1
                figures.operations[operation.rawValue].times.note(time)
            }
        }
        if let call = phones[phone].call {
            phones[phone].call = nil
            driver.perform(phone, now: now) { $0.hangUp(call, now: now) }
        }
        phones[phone].peer = -1
        idleAgain(phone)
        if operation == .call || operation == .message, phones.indices.contains(peer) {
            phones[peer].peer = -1
            if let call = phones[peer].call {
                phones[peer].call = nil
                driver.perform(peer, now: now) { $0.hangUp(call, now: now) }
            }
            idleAgain(peer)
        }
    }

    private func idleAgain(_ phone: Int) {
        phones[phone].operation = nil
        phones[phone].generation &+= 1
        let takesPart = !plan.storm || phone < plan.steady
        if phones[phone].isRegistered, takesPart { idle.add(Int32(truncatingIfNeeded: phone)) }
    }

    func fail(_ operation: Operation, _ why: String) {
        sample.failed += 1
        figures.operations[operation.rawValue].failures[why, default: 0] += 1
    }

    /// A failure outside of what counts is told in the second it happened only.
    private func note(_ why: String) { sample.failed += 1 }

    private func abuseEnded(accepted what: String?, counts: Bool) {
        open[Operation.abuse.rawValue] -= 1
        if let what {
            fail(.abuse, "neither refused nor closed: \(what)")
        } else {
            sample.succeeded[Operation.abuse.rawValue] += 1
            figures.operations[Operation.abuse.rawValue].succeeded += counts ? 1 : 0
        }
    }

    static func words(_ what: String, _ failure: Failure) -> String {
        switch failure {
        case .status(let status): "\(what): \(status)"
        case .flow(let reason): "\(what): connection \(reason)"
        case .timeout: "\(what): no answer in time"
        }
    }

    static func words(_ end: CallEnd) -> String {
        switch end {
        case .rejected(let status): "refused: \(status)"
        case .local: "ended here"
        case .remote: "ended by the other side too early"
        case .cancelled: "cancelled"
        case .answeredElsewhere: "answered elsewhere"
        case .unanswered: "not answered"
        case .missed: "missed"
        case .lost: "lost"
        }
    }
}
