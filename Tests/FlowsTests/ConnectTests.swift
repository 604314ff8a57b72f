import Glibc
import Reactor
import SIP
import Testing

@testable import Flows

@Suite("Opening flows")
struct ConnectTests {
    @Test(
        "a flow is opened with its ticket, its addresses and the options of signaling",
        arguments: ["127.0.0.1", "::1"]
    )
    func connects(host: String) throws {
        let harness = try Harness { $0.userTimeout = .seconds(17) }
        let peer = try Peer(host)
        let (client, flow) = try harness.open(7, to: peer)
        #expect(harness.receiver.events[flow] == [.connected(7)])
        let record = try #require(harness.carrier.table[flow])
        #expect(harness.receiver.infos[flow]?.remote == peer.address)
        #expect(harness.receiver.infos[flow]?.local == SocketAddress(localOf: record.pointee.descriptor))
        expectOptions(of: record.pointee.descriptor, family: peer.address.family)
        harness.receiver.send(flow, request())
        client.write(request(2))
        try harness.run { client.text == request() && harness.receiver.events[flow]?.count == 2 }
        #expect(harness.receiver.events[flow] == [.connected(7), .received(request(2))])
        #expect(record.pointee.work == nil && harness.carrier.wheel.count <= 1)
        client.end()
        try harness.run { harness.receiver.openCount == 0 }
        #expect(harness.receiver.events[flow]?.last == .closed(.peer))
        #expect(harness.carrier.counters.connected == 1 && harness.carrier.counters.closed(.peer) == 1)
    }

    @Test("what nobody accepts is refused, and the flow was never there")
    func refused() throws {
        let harness = try Harness()
        let address = try Peer().address
        harness.receiver.connect(3, to: address)
        try harness.run { !harness.receiver.failures.isEmpty }
        #expect(harness.receiver.failures == [3: .peer])
        #expect(harness.receiver.events.isEmpty && harness.carrier.openFlows == 0)
        #expect(harness.carrier.tickets.isEmpty)
        #expect(harness.carrier.counters.connectFailures == 1 && harness.carrier.counters.closed(.peer) == 0)
    }

    @Test("a peer that does not answer is given up after the deadline")
    func deadline() throws {
        let harness = try Harness { $0.connectDeadline = .milliseconds(60) }
        // One connection fills the listener; the kernel drops what asks for more.
        let peer = try Peer(backlog: 0)
        let filler = try Client(to: peer.address)
        try #require(peer.waitForConnection())
        harness.receiver.connect(4, to: peer.address)
        let start = harness.loop.now.monotonic
        try harness.run { !harness.receiver.failures.isEmpty }
        #expect(harness.receiver.failures == [4: .silence])
        #expect(harness.loop.now.monotonic >= start + 60)
        #expect(harness.receiver.events.isEmpty && harness.carrier.openFlows == 0)
        #expect(harness.carrier.wheel.count == 0)
        #expect(!filler.isClosed)
    }

    @Test("the deadline of connecting ends with it")
    func deadlineEnds() throws {
        let harness = try Harness {
            $0.connectDeadline = .milliseconds(400)
            $0.authenticationDeadline = .milliseconds(400)
            $0.messageDeadline = .milliseconds(400)
        }
        let (client, flow) = try harness.open(to: try Peer())
        let start = harness.loop.now.monotonic
        try harness.run { harness.loop.now.monotonic > start + 600 }
        #expect(harness.receiver.events[flow] == [.connected(1)])
        #expect(harness.carrier.wheel.count == 0)
        client.write("OPTIONS")
        try harness.run { harness.receiver.openCount == 0 }
        #expect(harness.receiver.events[flow] == [.connected(1), .closed(.limit)])
    }

    @Test(
        "what can't be tried fails in the same turn",
        arguments: [
            ("proxy.example.test", TransportKind.tcp), ("[::1]", .tcp), ("", .tcp), ("127.0.0.1", .udp),
            ("255.255.255.255", .tcp),
        ]
    )
    func notTried(host: String, transport: TransportKind) throws {
        let harness = try Harness()
        let target = FlowTarget(transport: transport, host: ByteString(host), port: 5060)
        harness.receiver.outbox.append(.connect(ticket: 9, target))
        try harness.loop.runTurn(waits: false)
        #expect(harness.receiver.failures == [9: .error])
        #expect(harness.carrier.openFlows == 0)
    }

    @Test("a local address without free ports is an error, not a flow")
    func noLocalPort() throws {
        let peer = try Peer()
        let taken = try Peer()
        let harness = try Harness { $0.localAddresses = [taken.address] }
        harness.receiver.connect(5, to: peer.address)
        try harness.loop.runTurn(waits: false)
        #expect(harness.receiver.failures == [5: .error])
    }

    @Test("without a free descriptor opening fails, and works again when there is one")
    func noDescriptor() async {
        // In a process of its own: the limit would hit the other tests.
        await #expect(processExitsWith: .success) {
            let harness = try Harness()
            let peer = try Peer()
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            let before = limits.rlim_cur
            limits.rlim_cur = 3
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            harness.receiver.connect(8, to: peer.address)
            try harness.loop.runTurn(waits: false)
            limits.rlim_cur = before
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            #expect(harness.receiver.failures == [8: .error] && harness.carrier.openFlows == 0)
            _ = try harness.open(9, to: peer)
        }
    }

    @Test("our addresses are used in turn, and only those of the target's IP version")
    func localAddresses() throws {
        let hosts = ["127.0.0.2", "::1", "127.0.0.3"]
        let addresses = try hosts.map { try #require(SocketAddress(host: $0, port: 0)) }
        let harness = try Harness { $0.localAddresses = addresses }
        let peer = try Peer()
        let used = try (1...4).map { ticket in
            let flow = try harness.open(UInt64(ticket), to: peer).flow
            return harness.receiver.infos[flow]?.local.host
        }
        #expect(used == ["127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.3"])
    }

    @Test("a flow that is closed while it connects fails, once")
    func closedWhileConnecting() throws {
        let harness = try Harness()
        let peer = try Peer(backlog: 0)
        let filler = try Client(to: peer.address)
        try #require(peer.waitForConnection())
        harness.receiver.connect(6, to: peer.address)
        try harness.loop.runTurn(waits: false)
        #expect(harness.carrier.openFlows == 1)
        harness.carrier.closeAll()
        try harness.run { harness.carrier.openFlows == 0 }
        #expect(harness.receiver.failures == [6: .shutdown])
        #expect(harness.receiver.events.isEmpty && harness.carrier.tickets.isEmpty)
        #expect(!filler.isClosed)
    }

    @Test("a carrier may go while flows connect")
    func carrierGoes() throws {
        let peer = try Peer(backlog: 0)
        let filler = try Client(to: peer.address)
        try #require(peer.waitForConnection())
        do {
            let harness = try Harness()
            harness.receiver.connect(6, to: peer.address)
            try harness.loop.runTurn(waits: false)
            #expect(harness.carrier.openFlows == 1)
        }
        #expect(!filler.isClosed)
    }

    @Test("a pong stirs a flow that is watched, once, and line ends are never answered on a flow we opened")
    func pong() throws {
        let harness = try Harness()
        let (client, flow) = try harness.open(to: try Peer())
        client.write("\r\n")
        try harness.turn(reading: flow)
        #expect(harness.receiver.events[flow] == [.connected(1)])
        harness.receiver.outbox.append(.watch(flow))
        try harness.loop.runTurn(waits: false)
        client.write("\r\n")
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        #expect(harness.receiver.events[flow] == [.connected(1), .stirred])
        client.write("\r\n\r\n\r\n\r\n" + request())
        try harness.run { harness.receiver.events[flow]?.count == 3 }
        #expect(harness.receiver.events[flow] == [.connected(1), .stirred, .received(request())])
        #expect(client.text.isEmpty && harness.carrier.counters.pings == 0)
        harness.receiver.outbox.append(.watch(flow))
        try harness.loop.runTurn(waits: false)
        client.write(request(2))
        try harness.run { harness.receiver.events[flow]?.count == 5 }
        #expect(harness.receiver.events[flow]?.suffix(2) == [.stirred, .received(request(2))])
    }

    @Test("a phone's flow can be watched as well, and the beginning of a message stirs it")
    func watchAccepted() throws {
        let harness = try Harness()
        let (client, flow) = try harness.connect()
        harness.receiver.outbox.append(.watch(flow))
        try harness.loop.runTurn(waits: false)
        client.write("OPT")
        try harness.run { harness.receiver.events[flow]?.count == 2 }
        #expect(harness.receiver.events[flow] == [.opened, .stirred])
        client.write(String(request().dropFirst(3)))
        try harness.run { harness.receiver.events[flow]?.count == 3 }
        #expect(harness.receiver.events[flow]?.last == .received(request()))
    }

    @Test("a server and its clients talk to each other on one loop, and pings are answered by the server alone")
    func bothEnds() throws {
        let server = try Harness()
        let clients = try Harness(on: server.loop)
        server.loop.endOfTurn = {
            server.carrier.turnEnded()
            clients.carrier.turnEnded()
        }
        let count = 200
        server.receiver.onReceived = { receiver, flow, text in receiver.send(flow, text) }
        clients.receiver.onOpened = { receiver, flow in
            receiver.outbox.append(.watch(flow))
            receiver.send(flow, "\r\n\r\n")
        }
        for ticket in 0..<count { clients.receiver.connect(UInt64(ticket), to: server.address) }
        try clients.run { clients.receiver.events.values.filter { $0.last == .stirred }.count == count }
        for (number, flow) in clients.receiver.order.enumerated() {
            clients.receiver.send(flow, request(number, body: number * 100))
        }
        try clients.run { clients.receiver.events.values.filter { $0.count == 3 }.count == count }
        for (number, flow) in clients.receiver.order.enumerated() {
            #expect(clients.receiver.events[flow]?.last == .received(request(number, body: number * 100)))
        }
        #expect(Set(clients.receiver.events.values.map { "\($0[0])" }).count == count)
        #expect(server.carrier.counters.pings == UInt64(count) && clients.carrier.counters.pings == 0)
        clients.carrier.closeAll(.replaced)
        try clients.run { server.receiver.openCount == 0 && clients.receiver.openCount == 0 }
        #expect(clients.receiver.events.values.allSatisfy { $0.last == .closed(.replaced) })
        #expect(server.receiver.events.values.allSatisfy { $0.last == .closed(.peer) })
    }
}
