import Flows
import Media
public import Observability
public import PhoneKit
public import Reactor
public import SIP

/// A phone with a voice: one PhoneKit phone on real sockets, and the sound of its calls.
///
/// It makes offers and answers, has sound only while a call lasts, plays a tone and tells which tone it hears. What it
/// is told to do is up to its owner; `PhoneRun` is one.
///
/// Lives on its loop, whose end of turn it takes over.
public final class VoicePhone {
    /// Is told what happens.
    public var observer: ((VoiceEvent) -> Void)?
    /// Called at the end of each turn; what it has the phone do leaves in the same turn.
    public var endOfTurn: (() -> Void)?
    /// Carries the phone.
    public let driver: PhoneDriver
    /// How it sounds.
    public let settings: VoiceSettings

    let loop: EventLoop
    let carrier: FlowCarrier<PhoneDriver>
    let number: Int
    let agenda: Agenda
    var calls: [VoiceCall] = []
    private var callsMade = 0
    private var isListening = false

    /// How long a tone must have been there to count as heard, in seconds.
    static let heardFor = 0.2
    /// How long a callee may take to hear this side before that is told.
    static let deafFor = 1.5
    /// How often it is looked what is heard.
    private static let listenEvery = Interval.milliseconds(100)

    /// Makes a phone, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - identity: who it is, and where its servers are, in numbers.
    ///   - policy: how it behaves.
    ///   - settings: how it sounds.
    ///   - hashes: MD5 and SHA-256.
    ///   - random: random bits.
    ///   - loop: the loop of the calling thread.
    ///   - logger: for trouble with sockets.
    public init(
        _ identity: PhoneIdentity,
        policy: PhonePolicy = PhonePolicy(),
        settings: VoiceSettings = VoiceSettings(),
        hashes: Hashes,
        random: RandomSource,
        loop: EventLoop,
        logger: Logger
    ) {
        self.settings = settings
        self.loop = loop
        let host = PhoneHost(policy: policy, hashes: hashes, random: random)
        driver = PhoneDriver(host: host, now: loop.time)
        number = driver.add(identity, now: loop.time)
        carrier = FlowCarrier(loop: loop, receiver: driver, logger: logger)
        agenda = Agenda(loop: loop)
        driver.observer = { [unowned self] report, now in self.take(report.event, now) }
        loop.endOfTurn = { [unowned self] in self.turnEnded() }
    }

    /// Begins to register, and stays registered.
    public func start() { perform { $0.start(now: $1) } }

    /// Leaves: each line reports `unregistered`.
    ///
    /// Calls are to be hung up before.
    public func leave() { perform { $0.stop(now: $1) } }

    /// Closes all connections, and forgets what it was to do.
    public func close() {
        agenda.cancelAll()
        carrier.closeAll(.shutdown)
    }

    /// Whether connections are open.
    public var isConnected: Bool { carrier.openFlows > 0 }

    /// Whether a line is registered.
    public var isRegistered: Bool { perform { phone, _ in phone.isRegistered } }

    /// Whether there are calls, those included whose end is not yet confirmed.
    public var isBusy: Bool { perform { phone, _ in phone.unfinished.calls > 0 } }

    /// Sends a message.
    ///
    /// - Returns: the request, which ends with `outcome`; nil where nothing is registered.
    public func send(_ payload: Payload, to uri: ByteString) -> RequestID? {
        perform { $0.send(payload, to: uri, now: $1) }
    }

    /// Asks what somebody can do.
    ///
    /// - Returns: the request, which ends with `outcome`; nil where nothing is registered.
    public func askOptions(of uri: ByteString) -> RequestID? { perform { $0.askOptions(of: uri, now: $1) } }

    /// Refuses a call that comes in.
    public func reject(_ call: Int, status: UInt16) {
        guard let handle = self.call(call)?.handle else { return }
        perform { $0.reject(handle, status: status, now: $1) }
    }

    /// Ends a call, whatever it is doing.
    public func hangUp(_ call: Int) {
        guard let handle = self.call(call)?.handle else { return }
        perform { $0.hangUp(handle, now: $1) }
    }

    /// Ends all calls.
    public func hangUpAll() { for call in calls.map(\.number) { hangUp(call) } }

    func call(_ number: Int) -> VoiceCall? { calls.first { $0.number == number } }

    func call(_ handle: CallHandle) -> VoiceCall? { calls.first { $0.handle == handle } }

    func newCallNumber() -> Int {
        callsMade += 1
        return callsMade
    }

    func tell(_ event: VoiceEvent) { observer?(event) }

    @discardableResult
    func perform<Result>(_ body: (Phone, Now) -> Result) -> Result {
        let now = loop.time
        return driver.perform(number, now: now) { body($0, now) }
    }

    /// Sends what is owed: at the end of each turn of the loop, and after the first orders, which come before any.
    public func turnEnded() {
        carrier.turnEnded()
        endOfTurn?()
        if !driver.outbox.isEmpty { carrier.turnEnded() }
    }

    /// Looks, from now on and as long as there are calls with sound, which tones are heard.
    func listen() {
        guard !isListening else { return }
        isListening = true
        agenda.after(Self.listenEvery) { [unowned self] in
            self.isListening = false
            for call in self.calls { self.hear(call) }
            if self.calls.contains(where: { $0.audio != nil }) { self.listen() }
        }
    }

    private func hear(_ call: VoiceCall) {
        guard let audio = call.audio else { return }
        for tone in audio.report.tones where !call.told.contains(tone.frequency) {
            let needed = tone.frequency == CallTone.calleeAlone ? Self.deafFor : Self.heardFor
            guard tone.seconds >= needed else { continue }
            call.told.insert(tone.frequency)
            if call.isIncoming { audio.play(CallTone.callee) }
            tell(.heard(call: call.number, frequency: tone.frequency))
        }
    }
}
