import Flows
import Observability
import Reactor
import SIP
import TestSupport
import Testing

@testable import LoadGenerator
@testable import PhoneKit

/// A load is told what a server that errs would make its phones tell, and must say so.
@Suite("A wrong answer is noticed") struct CheckTests {
    /// Three phones of a load, in the middle of something.
    private final class Scene {
        let run: LoadRun
        let loop: EventLoop
        let calls = [CallHandle(number: 1), CallHandle(number: 2)]

        private struct Silence: LogSink {
            func take(_ line: LogLine) {}
        }

        init() throws {
            var plan = LoadPlan()
            plan.phones = 3
            plan.servers = [FlowTarget(transport: .tcp, host: "127.0.0.1", port: 9)]
            loop = try EventLoop()
            run = LoadRun(
                plan,
                hashes: .openSSL,
                random: RandomSource { words in for index in words.indices { words[index] = UInt64(index) } },
                loop: loop,
                settings: FlowSettings(),
                logger: Logger(subsystem: "load", level: .error, sink: Silence())
            )
            run.isCounting = true
            for phone in run.phones.indices { run.phones[phone].isRegistered = true }
        }

        /// Phone 0 begins something with phone 1.
        func begin(_ operation: LoadGenerator.Operation) {
            run.startOperation(operation, 0, loop.time)
            guard operation == .call || operation == .message else { return }
            run.phones[0].peer = 1
            run.phones[0].token = 5
            run.phones[1].peer = 0
            run.phones[1].operation = operation
            if operation == .call { run.phones[0].call = calls[0] }
        }

        func tell(_ phone: Int, _ event: PhoneEvent) { run.heard(PhoneReport(phone: phone, event: event), loop.time) }

        func message(_ phone: Int, _ text: String) {
            tell(phone, .message(from: "sip:u0@example.test", Payload(type: "text/plain", bytes: Array(text.utf8))))
        }

        func answer(_ status: UInt16) { tell(0, .answered(RequestID(number: 1), .answered(status))) }

        func ring(_ phone: Int, from: ByteString = "sip:u0@example.test", session: UInt64 = 5) {
            let call = IncomingCall(callID: "a", from: from, session: CallBody.bytes(session))
            tell(phone, .incomingCall(calls[1], call))
        }

        func progress(_ status: UInt16) { tell(0, .callProgress(calls[0], status: status, session: [])) }
        func accept(_ token: UInt64 = 6) { tell(0, .callAccepted(calls[0], session: CallBody.bytes(token))) }
        func confirm() { tell(1, .callConfirmed(calls[1], session: [])) }
        func end(_ phone: Int, _ reason: CallEnd) { tell(phone, .callEnded(calls[phone], reason)) }

        /// What has failed since the beginning, and that phones rest again.
        func failures(_ operation: LoadGenerator.Operation) -> [String] {
            run.figures[operation].failures.map { "\($0.value) \($0.key)" }.sorted()
        }

        var rests: Bool {
            run.phones.allSatisfy { $0.operation == nil && $0.call == nil } && run.open.allSatisfy { $0 == 0 }
        }
    }

    @Test("nothing is wrong with a message that is delivered and answered")
    func message() throws {
        let scene = try Scene()
        scene.begin(.message)
        scene.message(1, "hello from {n} 0/5")
        scene.answer(200)
        #expect(scene.run.figures[.message].succeeded == 1)
        #expect(scene.failures(.message) == [] && scene.rests)
    }

    /// What arrives at phone 1, or where `astray` at phone 2; how it is answered; and what is said of it.
    private struct Delivery {
        var text: String?
        var astray = false
        var status: UInt16 = 200
        var failures: [String]
    }

    private static let deliveries = [
        Delivery(text: "hello from {n} 0/6", failures: ["1 a message was changed", "1 answered, but not delivered"]),
        Delivery(failures: ["1 answered, but not delivered"]),
        Delivery(
            text: "hello from {n} 0/5",
            astray: true,
            failures: ["1 a message came to the wrong phone, or late", "1 answered, but not delivered"]
        ),
        Delivery(status: 404, failures: ["1 answered 404"]),
        Delivery(text: "hello from {n} 0/5", status: 503, failures: ["1 answered 503"]),
    ]

    @Test("a message that was changed, belongs to another or never came", arguments: deliveries)
    private func wrongMessage(delivery: Delivery) throws {
        let scene = try Scene()
        scene.begin(.message)
        if let text = delivery.text { scene.message(delivery.astray ? 2 : 1, text) }
        scene.answer(delivery.status)
        #expect(scene.failures(.message) == delivery.failures)
        #expect(scene.run.figures[.message].succeeded == 0 && scene.rests)
    }

    @Test("a message that comes twice")
    func doubled() throws {
        let scene = try Scene()
        scene.begin(.message)
        scene.message(1, "hello from {n} 0/5")
        scene.answer(200)
        scene.message(1, "hello from {n} 0/5")
        #expect(scene.failures(.message) == ["1 a message came to the wrong phone, or late"])
    }

    @Test("nothing is wrong with a call that rings, is answered, confirmed and hung up")
    func call() throws {
        let scene = try Scene()
        scene.begin(.call)
        scene.progress(100)
        scene.ring(1)
        scene.progress(180)
        scene.accept()
        scene.confirm()
        scene.end(0, .local)
        scene.end(1, .remote)
        #expect(scene.run.figures[.call].succeeded == 1)
        #expect(scene.failures(.call) == [] && scene.rests)
    }

    @Test("a phone that rings for what is not its call")
    func wrongPhone() throws {
        let foreign = "1 a phone rang for a call that is not for it"
        for ring in [
            { $0.ring(2) }, { $0.ring(1, from: "sip:u2@example.test") }, { $0.ring(1, session: 7) }, { $0.ring(0) },
        ]
            as [(Scene) -> Void]
        {
            let scene = try Scene()
            scene.begin(.call)
            ring(scene)
            #expect(scene.failures(.call) == [foreign])
        }
    }

    @Test("an answer with another body")
    func wrongBody() throws {
        let scene = try Scene()
        scene.begin(.call)
        scene.ring(1)
        scene.progress(180)
        scene.accept(5)
        #expect(scene.failures(.call) == ["1 the answer has another body than was sent"] && scene.rests)
    }

    @Test("a call whose caller never heard it ring")
    func neverRang() throws {
        let scene = try Scene()
        scene.begin(.call)
        scene.ring(1)
        scene.accept()
        scene.confirm()
        scene.end(1, .remote)
        #expect(scene.failures(.call) == ["1 the caller never heard it ring"] && scene.rests)
    }

    @Test("a call whose ACK was lost, or that is ended too early")
    func unconfirmed() throws {
        for isAccepted in [true, false] {
            let scene = try Scene()
            scene.begin(.call)
            scene.ring(1)
            scene.progress(180)
            if isAccepted { scene.accept() } else { scene.confirm() }
            scene.end(1, .remote)
            #expect(scene.failures(.call) == ["1 call ended by the other side too early"] && scene.rests)
        }
    }

    @Test("a call that is refused or lost")
    func refused() throws {
        for (reason, words) in [
            (CallEnd.rejected(480), "call refused: 480"), (.lost, "call lost"), (.unanswered, "call not answered"),
        ] {
            let scene = try Scene()
            scene.begin(.call)
            scene.end(0, reason)
            #expect(scene.failures(.call) == ["1 \(words)"] && scene.rests)
        }
    }

    @Test("an answer that does not come in time, whatever is waited for", arguments: LoadGenerator.Operation.allCases)
    func late(operation: LoadGenerator.Operation) throws {
        // Abuse has phones of its own.
        guard operation != .abuse else { return }
        let scene = try Scene()
        scene.begin(operation)
        let now = scene.loop.time
        let late = Now(monotonic: now.monotonic + scene.run.plan.patience + .seconds(1), wall: now.wall)
        scene.run.giveUp(now)
        #expect(scene.failures(operation) == [] && !scene.rests)
        scene.run.giveUp(late)
        #expect(scene.failures(operation) == ["1 no answer in time"] && scene.rests)
        // What is over is not given up, though there was patience with it.
        scene.begin(operation)
        scene.run.end(0, failure: nil, now)
        scene.run.giveUp(late)
        #expect(scene.failures(operation) == ["1 no answer in time"] && scene.run.patience.count == 0)
        // Nor is the next one ended by the patience with the one before.
        scene.begin(operation)
        scene.run.end(0, failure: nil, now)
        scene.run.startOperation(operation, 0, late)
        scene.run.giveUp(late)
        #expect(scene.failures(operation) == ["1 no answer in time"] && !scene.rests)
    }

    @Test("a connection that is lost, whatever it is needed for", arguments: LoadGenerator.Operation.allCases)
    func lost(operation: LoadGenerator.Operation) throws {
        // A phone that reconnects goes on trying, and abuse has phones of its own.
        guard operation != .abuse, operation != .reconnect else { return }
        let scene = try Scene()
        scene.begin(operation)
        scene.tell(0, .flowLost(line: 0, .peer, retry: nil))
        #expect(scene.failures(operation) == ["1 connection lost"] && scene.rests)
        #expect(!scene.run.phones[0].isRegistered)
    }

    @Test("a registration that is refused")
    func unregistered() throws {
        for operation in [LoadGenerator.Operation.setUp, .refresh, .register, .reconnect] {
            let scene = try Scene()
            scene.begin(operation)
            scene.tell(0, .registrationFailed(line: 0, .status(503), retry: .seconds(1)))
            #expect(scene.failures(operation) == ["1 not registered: 503"] && scene.rests)
        }
    }

    @Test("what waits for a pong or a registration ends with it, and not with the other")
    func ends() throws {
        for operation in [LoadGenerator.Operation.ping, .refresh, .register, .reconnect, .setUp] {
            let scene = try Scene()
            scene.begin(operation)
            let wrong = PhoneEvent.pong(line: 0, .milliseconds(1))
            let right = PhoneEvent.registered(line: 0, expires: 60, isRefresh: true)
            scene.tell(0, operation == .ping ? right : wrong)
            #expect(scene.run.figures[operation].succeeded == 0)
            scene.tell(0, operation == .ping ? wrong : right)
            #expect(scene.run.figures[operation].succeeded == 1 && scene.rests)
        }
    }

    @Test("no phone is free")
    func starved() throws {
        let scene = try Scene()
        scene.run.begin(.call, scene.loop.time)
        #expect(scene.failures(.call) == ["1 no phone was free"] && scene.rests)
    }
}
