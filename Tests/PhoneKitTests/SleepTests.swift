import SIP
import Testing

@testable import PhoneKit

@Suite("Keeping flows, and sleeping")
struct SleepTests {
    // MARK: flows

    @Test("a flow is pinged within its Flow-Timer, and lost without a pong")
    func pings() throws {
        let (bench, flows) = try Bench.registered()
        let first = bench.pass(atMost: .seconds(300)) { !bench.pings.isEmpty }
        #expect(first >= .seconds(240))
        #expect(bench.pings == flows)
        bench.act { $0.stirred(flows[0], now: $1) }
        #expect(bench.takeTold().first?.hasPrefix("pong 0 ") == true)
        bench.pass(atMost: .seconds(300)) { bench.pings.count == 2 }
        #expect(bench.takeTold() == [])
        bench.pass(.seconds(10))
        #expect(bench.takeTold() == ["lost 0 silence"])
        #expect(bench.closed.map(\.reason) == [.silence])
        // The flow had proved good by its pong: the first wait is the shortest.
        let wait = bench.pass(atMost: .seconds(30)) { !bench.connects.isEmpty }
        #expect(wait >= .seconds(14))
    }

    @Test("an answer is as good as a pong")
    func answers() throws {
        let (bench, flows) = try Bench.registered()
        bench.act { _ = $0.askOptions(of: "sip:bob@example.test", now: $1) }
        bench.pass(.seconds(200))
        bench.forget()
        bench.act { _ = $0.askOptions(of: "sip:bob@example.test", now: $1) }
        bench.answer(try bench.next("OPTIONS"), flows[0], 200)
        bench.pass(.seconds(239))
        #expect(bench.pings.isEmpty)
    }

    @Test("a lost flow is opened again, and beside another one later")
    func backoff() throws {
        let (bench, flows) = try Bench.registered(lines: 2)
        bench.act { $0.closed(flows[1], .peer, now: $1) }
        #expect(bench.takeTold() == ["lost 1 peer"])
        // The other line holds, so the base is 90 s; no pong had come, so it counts as a failure.
        let wait = bench.pass(atMost: .seconds(180)) { !bench.connects.isEmpty }
        #expect(wait >= .seconds(90))
        let flow = try bench.open()
        let register = try bench.next("REGISTER")
        #expect(register.value(.contact)?.hasSuffix("reg-id=2") == true)
        bench.accept(register, flow)
        #expect(bench.takeTold() == ["registered 1 3600"])
    }

    @Test("a flow that comes too late is closed")
    func late() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let ticket = try #require(bench.connects.first)
        bench.pass(.seconds(20))
        #expect(bench.takeTold() == ["failed 0 silence"])
        let flow = bench.newFlow()
        let address = SocketAddress(ipv4: 1, port: 1)
        let info = FlowInfo(transport: .tcp, local: address, remote: address)
        bench.act { $0.connected(ticket, flow, info, now: $1) }
        #expect(bench.closed.map(\.flow) == [flow])
        #expect(bench.isQuiet)
        // A late failure of it means nothing either.
        bench.act { $0.connectFailed(ticket, .peer, now: $1) }
        #expect(bench.takeTold() == [])
    }

    // MARK: networks

    @Test("without a network nothing is tried; with one everything is, at once")
    func reachability() throws {
        let (bench, flows) = try Bench.registered()
        bench.act { $0.reachabilityChanged(isReachable: false, network: 1, now: $1) }
        #expect(bench.takeTold() == ["lost 0 error"])
        #expect(bench.closed.map(\.flow) == flows)
        bench.pass(.seconds(7200))
        #expect(bench.connects.isEmpty)
        bench.act { $0.start(now: $1) }
        #expect(bench.connects.isEmpty)
        bench.act { $0.reachabilityChanged(isReachable: true, network: 2, now: $1) }
        #expect(bench.connects.count == 1)
        try bench.register()
        bench.forget()
        // The same network says nothing new; another one means new flows.
        bench.act { $0.reachabilityChanged(isReachable: true, network: 2, now: $1) }
        #expect(bench.connects.isEmpty)
        #expect(bench.closed.isEmpty)
        bench.act { $0.reachabilityChanged(isReachable: true, network: 3, now: $1) }
        #expect(bench.closed.map(\.reason) == [.replaced])
        #expect(bench.connects.count == 1)
    }

    @Test("a new network forgets what the old one refused")
    func newNetwork() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        let flow = try bench.open()
        bench.answer(try bench.next("REGISTER"), flow, 503, ["Retry-After: 3600"])
        bench.act { $0.reachabilityChanged(isReachable: true, network: 9, now: $1) }
        #expect(bench.connects.count == 1)
    }

    @Test("a relaunched app builds all flows anew")
    func relaunch() throws {
        let (bench, flows) = try Bench.registered(lines: 2)
        bench.act { $0.relaunched(now: $1) }
        #expect(bench.closed.map(\.flow) == flows)
        #expect(bench.connects.count == 2)
    }

    // MARK: the keep-alive handler

    @Test("a handler can't be called more often than every ten minutes")
    func interval() throws {
        let bench = Bench()
        #expect(throws: KeepAliveHandlerError.intervalTooShort(asked: .seconds(599), shortest: .seconds(600))) {
            try bench.phone.setKeepAliveHandler(interval: .seconds(599))
        }
        try bench.phone.setKeepAliveHandler(interval: .seconds(600))
        try bench.phone.setKeepAliveHandler(interval: nil)
    }

    @Test("a suspended app does nothing by itself; its handler does all that is due at once")
    func handler() throws {
        let (bench, flows) = try Bench.registered(lines: 2)
        try bench.phone.setKeepAliveHandler(interval: .seconds(600))
        bench.act { $0.suspended(now: $1) }
        #expect(bench.phone.nextDeadline == nil)
        bench.pass(.seconds(2000))
        #expect(bench.pings.isEmpty && bench.isQuiet)
        // Early is fine. The pings of both flows leave together.
        bench.act { $0.keepAliveHandlerCalled(now: $1) }
        #expect(bench.pings == flows)
        bench.act { $0.stirred(flows[0], now: $1) }
        #expect(!bench.takeTold().contains("handler finished"))
        bench.act { $0.stirred(flows[1], now: $1) }
        #expect(bench.takeTold().contains("handler finished"))
        // A registration that would end before the next call is renewed with them.
        bench.forget()
        bench.pass(.seconds(600))
        bench.act { $0.keepAliveHandlerCalled(now: $1) }
        let registers = [try bench.next("REGISTER"), try bench.next("REGISTER")]
        for (register, flow) in zip(registers, flows) { bench.accept(register, flow) }
        #expect(bench.takeTold().last == "handler finished")
    }

    @Test("a handler is over after ten seconds, whatever is missing")
    func budget() throws {
        let (bench, flows) = try Bench.registered(lines: 2)
        bench.act { $0.suspended(now: $1) }
        bench.act { $0.keepAliveHandlerCalled(now: $1) }
        bench.act { $0.stirred(flows[0], now: $1) }
        bench.pass(.milliseconds(9_999))
        #expect(!bench.takeTold().contains("handler finished"))
        bench.pass(.milliseconds(1))
        #expect(bench.takeTold().contains("handler finished"))
    }

    // MARK: pushes

    private let pushed = IncomingCall(callID: "push-1", from: "sip:bob@example.test", displayName: "Bob", session: [])

    @Test("a push shows the call at once and once, and its INVITE is that call")
    func push() throws {
        let (bench, flows) = try Bench.registered()
        bench.act { $0.closed(flows[0], .peer, now: $1) }
        bench.forget()
        bench.act { $0.pushed(call: pushed, now: $1) }
        #expect(bench.takeTold() == ["incoming push-1 from sip:bob@example.test", "audio"])
        #expect(bench.connects.count == 1, "a push hurries the flow")
        bench.act { $0.pushed(call: pushed, now: $1) }
        #expect(bench.takeTold() == [])
        let flow = try bench.register()
        bench.forget()
        bench.request(flow, "INVITE", callID: "push-1", body: "offer")
        #expect(bench.takeTold() == ["arrived push-1"])
        _ = try bench.next("SIP/2.0 180")
        let handle = try #require(bench.handles.first)
        bench.act { $0.answer(handle, session: Array("answer".utf8), now: $1) }
        let ok = try bench.next("SIP/2.0 200")
        #expect(ok.text(ok.body) == "answer")
    }

    @Test("a push on a registered line renews it, so that the server knows the phone is awake")
    func pushRefreshes() throws {
        let (bench, _) = try Bench.registered()
        bench.act { $0.pushed(call: nil, now: $1) }
        _ = try bench.next("REGISTER")
        #expect(bench.takeTold() == [])
    }

    @Test("a call that is over before its push is shown and closed, once")
    func missed() throws {
        let (bench, flows) = try Bench.registered()
        let over = bench.now.wall - 1
        bench.act { $0.pushed(call: pushed, validUntil: over, now: $1) }
        #expect(bench.takeTold() == ["incoming push-1 from sip:bob@example.test", "ended missed"])
        bench.act { $0.pushed(call: pushed, validUntil: over, now: $1) }
        #expect(bench.takeTold() == [])
        // What still comes of it does not ring.
        bench.forget()
        bench.request(flows[0], "INVITE", callID: "push-1")
        _ = try bench.next("SIP/2.0 487")
        #expect(bench.takeTold() == [])
    }

    @Test("a call that never comes after its push is missed ten seconds after the phone has registered")
    func neverCame() throws {
        let bench = Bench()
        bench.act { $0.start(now: $1) }
        bench.act { $0.pushed(call: pushed, now: $1) }
        bench.forget()
        bench.act { $0.relaunched(now: $1) }
        try bench.register()
        bench.pass(.milliseconds(9_999))
        #expect(!bench.takeTold().contains("ended missed"))
        bench.pass(.milliseconds(1))
        #expect(bench.takeTold() == ["no audio", "ended missed"])
    }

    @Test("a phone in a call of the cellular network is busy")
    func cellular() throws {
        let (bench, flows) = try Bench.registered()
        bench.phone.cellularCallChanged(isInProgress: true)
        bench.request(flows[0], "INVITE", callID: "c-1")
        _ = try bench.next("SIP/2.0 486")
        #expect(bench.takeTold() == [])
        bench.phone.cellularCallChanged(isInProgress: false)
        bench.request(flows[0], "INVITE", callID: "c-2")
        _ = try bench.next("SIP/2.0 180")
    }

    @Test("only signaling is held and tagged for it, and no platform gets an option it does not know")
    func tags() {
        #expect(ServiceTag.allCases.filter(\.isHeld) == [.signaling])
        #expect(ServiceTag.signaling.dscp == 40)
        #expect(ServiceTag.voice.dscp == 46)
        for platform in SocketPlatform.allCases {
            #expect(ServiceTag.other.option(on: platform) == nil)
            let signaling = ServiceTag.signaling.option(on: platform)
            #expect(signaling != nil)
            #expect(signaling != ServiceTag.voice.option(on: platform))
        }
        #expect(ServiceTag.voice.heldStreamProperty == nil)
    }
}
