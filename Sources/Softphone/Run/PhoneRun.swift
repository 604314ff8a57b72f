import Observability
import PhoneKit
public import Reactor
public import SIP

/// One run of a phone from its registration to its end: does an errand, and tells each step in a line.
///
/// Without an errand it stays registered until it is interrupted. Lives on its loop, and stops it at the end.
public final class PhoneRun {
    /// How it ended; to be read when the loop has stopped.
    public internal(set) var verdict = PhoneVerdict.done

    let phone: VoicePhone
    let errand: PhoneErrand
    let teller: EventTeller
    let say: (EventRecord) -> Void
    let loop: EventLoop
    /// What is still to be done, the next first.
    var steps: [Step]
    /// The request whose answer is waited for.
    var asked: (id: RequestID, step: Step)?
    /// The call of this errand that is under way, when this side made it.
    var current: Int?
    /// Calls that are still wanted; nil for any number.
    var callsWanted: Int?
    var stage = Stage.starting
    var lines: Set<Int>
    private var failedLines: Set<Int> = []
    private var registeredLines: Set<Int> = []

    enum Step {
        case message(String, to: ByteString)
        case options(ByteString)
        case call(ByteString)
    }

    enum Stage: Hashable {
        /// Nothing has registered yet.
        case starting
        /// Has been registered.
        case running
        /// Waits for the ends of calls.
        case hangingUp
        /// Waits for the ends of registrations.
        case leaving
        /// Waits for the ends of connections.
        case closing
    }

    /// How long each stage of the end may take.
    static let endingTime = Interval.seconds(2)

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - phone: who does it; its observers are taken over.
    ///   - errand: what is to be done.
    ///   - servers: what to call the servers, in the order of the phone's proxies.
    ///   - address: whom the phone registers.
    ///   - isJSON: whether lines are JSON objects.
    ///   - loop: the loop of the phone.
    ///   - print: writes a line.
    public init(
        _ phone: VoicePhone,
        _ errand: PhoneErrand,
        servers: [String],
        address: AddressOfRecord,
        isJSON: Bool,
        loop: EventLoop,
        print: @escaping (String) -> Void
    ) {
        self.phone = phone
        self.errand = errand
        self.loop = loop
        lines = Set(servers.indices)
        teller = EventTeller(servers: servers, address: address.description.shown)
        say = { print(isJSON ? $0.json(at: wallClock()) : $0.text) }
        let calls = errand.call.map { Array(repeating: Step.call($0), count: max(errand.count ?? 1, 1)) } ?? []
        steps =
            (errand.message.map { [.message($0.text, to: $0.to)] } ?? [])
            + (errand.options.map { [.options($0)] } ?? []) + calls
        callsWanted = errand.call == nil ? errand.count : nil
        phone.observer = { [unowned self] in self.take($0) }
        phone.endOfTurn = { [unowned self] in self.continueEnding() }
    }

    /// Begins; the rest happens on the loop.
    public func start() {
        phone.start()
        phone.turnEnded()
    }

    /// Ends in good order: hangs up, unregisters, closes.
    ///
    /// A second time does not wait.
    public func interrupt() {
        switch stage {
        case .starting, .running:
            // What was to be done is not done, unless it was to stay.
            let isWaiting = callsWanted.map { $0 > 0 } ?? false
            if isWaiting || !steps.isEmpty || asked != nil || current != nil { verdict = .failed }
            end()
        case .hangingUp, .leaving, .closing: loop.stop()
        }
    }

    func take(_ event: VoiceEvent) {
        if case .outcome(let id, let outcome) = event { return takeOutcome(id, outcome) }
        if isWorthALine(event) { say(teller.record(event)) }
        follow(event)
    }

    private func follow(_ event: VoiceEvent) {
        switch event {
        case .registered(let line, _, _, _):
            registeredLines.insert(line)
            failedLines.remove(line)
            lines.insert(line)
            guard stage == .starting else { return }
            stage = .running
            next()
        case .registrationFailed(let line, let failure, let retry):
            lineFailed(line, failure, retry)
        case .unregistered(let line): lines.remove(line)
        case .flowLost(let line, _, _): registeredLines.remove(line)
        case .answered(let call, _, let isIncoming): callAnswered(call, isIncoming)
        case .incoming(let call, _, _, _): callCame(call)
        case .ended(let summary): callEnded(summary)
        case .pong, .calling, .progress, .heard, .held, .changed, .trouble, .message, .outcome: break
        }
    }

    /// Whether an event is worth a line: leaving where the phone was not is none, nor is a pong.
    private func isWorthALine(_ event: VoiceEvent) -> Bool {
        switch event {
        // It is told with what follows from it.
        case .pong, .registrationFailed: false
        case .unregistered(let line): registeredLines.contains(line)
        default: true
        }
    }

    /// A line can't register.
    ///
    /// Before anything has, that ends the run once all lines have failed; after that the phone tries again, unless the
    /// server will not have it.
    private func lineFailed(_ line: Int, _ failure: Failure, _ retry: Interval?) {
        failedLines.insert(line)
        registeredLines.remove(line)
        if retry == nil { lines.remove(line) }
        let isOver =
            switch stage {
            case .starting: failedLines.count >= teller.servers.count
            case .running: lines.isEmpty
            case .hangingUp, .leaving, .closing: true
            }
        // Who ends does not try again.
        say(teller.record(.registrationFailed(line: line, failure, retry: isOver ? nil : retry)))
        guard isOver, stage == .starting || stage == .running else { return }
        if case .status = failure { verdict = .failed } else { verdict = .unreachable }
        end()
    }

    /// Does the next of what is to be done.
    func next() {
        guard stage == .running, asked == nil, current == nil else { return }
        guard let step = steps.first else {
            if errand.call != nil || errand.message != nil || errand.options != nil { end() }
            return
        }
        steps.removeFirst()
        switch step {
        case .call(let uri):
            do throws(VoiceError) {
                current = try phone.call(uri)
            } catch {
                fail("the call could not be made: \(error)")
            }
        case .message(let text, let to):
            ask(step, phone.send(Payload(type: "text/plain", bytes: Array(text.utf8)), to: to))
        case .options(let uri): ask(step, phone.askOptions(of: uri))
        }
    }

    private func ask(_ step: Step, _ id: RequestID?) {
        guard let id else { return fail("the phone is not registered any more") }
        asked = (id, step)
    }

    private func fail(_ reason: String) {
        say(EventRecord(type: "failed", text: reason, fields: [("reason", .text(reason))]))
        verdict = .failed
        end()
    }

    private func takeOutcome(_ id: RequestID, _ outcome: Outcome) {
        guard let asked, asked.id == id else { return }
        self.asked = nil
        let (type, what, uri) =
            switch asked.step {
            case .message(_, let to): ("message_sent", "the message to \(to.shown)", to)
            case .options(let to): ("options", "the OPTIONS for \(to.shown)", to)
            case .call(let to): ("call", "the call to \(to.shown)", to)
            }
        switch outcome {
        case .answered(let status):
            let isGood = status < 300
            if !isGood { verdict = .failed }
            say(
                EventRecord(
                    type: isGood ? type : "\(type)_failed",
                    text: "\(what) was \(isGood ? "accepted" : "refused"): \(meaning(ofStatus: status))",
                    fields: [("to", .text(uri)), ("status", .whole(Int64(status))), ("reason", .nothing)]
                )
            )
        case .failed(let failure):
            verdict = .failed
            say(
                EventRecord(
                    type: "\(type)_failed",
                    text: "\(what) was not answered",
                    fields: [("to", .text(uri))] + teller.failureFields(failure)
                )
            )
        }
        next()
    }
}
