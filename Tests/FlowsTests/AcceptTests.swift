import CPlatform
import Glibc
import Observability
import SIP
import Testing

@testable import Flows

@Suite("Accepting")
struct AcceptTests {
    @Test(
        "both IP versions are served, and flows know their addresses",
        arguments: ["127.0.0.1", "[::1]", "0.0.0.0", "[::]"]
    )
    func versions(host: String) throws {
        let harness = try Harness(listen: "tcp://\(host):0")
        var target = harness.address
        #expect(target.port != 0)
        if target.isWildcard {
            target = SocketAddress(host: target.ipv4 == nil ? "::1" : "127.0.0.1", port: target.port) ?? target
        }
        let client = try Client(to: target)
        try harness.run { harness.receiver.openCount == 1 }
        let info = try #require(harness.receiver.infos.values.first)
        #expect(info.local == target)
        #expect(info.remote == SocketAddress(localOf: client.descriptor))
        #expect(info.transport == .tcp && !info.isTrusted)
        client.write("\r\n\r\n")
        try harness.run { client.text == "\r\n" }
    }

    @Test("a star listens on both IP versions with one port")
    func star() throws {
        let harness = try Harness(listen: "tcp://*:0")
        #expect(Set(harness.carrier.listening.map(\.port)).count == 1)
        #expect(harness.carrier.listening.map(\.family) == [AF_INET, AF_INET6])
        let clients = try harness.carrier.listening.map { address in
            let host = address.ipv4 == nil ? "::1" : "127.0.0.1"
            return try Client(to: #require(SocketAddress(host: host, port: address.port)))
        }
        try harness.run { harness.receiver.openCount == clients.count }
        #expect(harness.sink.lines.map(\.message) == ["listening", "listening"])
    }

    @Test("an accepted socket has the options of signaling", arguments: ["127.0.0.1", "[::1]"])
    func options(host: String) throws {
        let harness = try Harness(listen: "tcp://\(host):0") { $0.userTimeout = .seconds(17) }
        let (_, flow) = try harness.connect()
        let descriptor = try #require(harness.carrier.table[flow]?.pointee.descriptor)
        expectOptions(of: descriptor, family: harness.address.family)
    }

    @Test("a taken port, a foreign address and an unserved transport are told with their mend")
    func listenErrors() throws {
        let harness = try Harness()
        let taken = #expect(throws: ListenError.self) {
            try harness.carrier.listen(on: ListenAddress(harness.address))
        }
        #expect(taken == .portTaken(harness.address))
        #expect(taken?.description.contains("\(harness.address)") == true)
        #expect(taken?.description.contains("Address already in use; stop the other server") == true)
        let foreign = SocketAddress(ipv4: 0xc000_0201, port: 5060)
        #expect(throws: ListenError.addressNotAvailable(foreign)) {
            try harness.carrier.listen(on: ListenAddress(foreign))
        }
        #expect(throws: ListenError.transportNotServed(.udp)) {
            try harness.carrier.listen(on: ListenAddress(transport: .udp, harness.address))
        }
        #expect(harness.carrier.listening == [harness.address])
    }

    @Test("when descriptors run out accepting pauses, flows go on, and what waits is served later")
    func outOfDescriptors() throws {
        let harness = try Harness { $0.acceptPause = .milliseconds(20) }
        let (client, _) = try harness.connect()
        var failures = 0
        var isShort = true
        harness.carrier.acceptor?.accept = { descriptor, address, length in
            guard isShort else { return wl_accept(descriptor, address, length) }
            failures += 1
            errno = failures % 2 == 0 ? ENFILE : EMFILE
            return -1
        }
        let waiting = try (0..<5).map { _ in try Client(to: harness.address) }
        client.write("\r\n\r\n")
        try harness.run { failures >= 3 && client.text == "\r\n" }
        #expect(harness.receiver.openCount == 1)
        #expect(harness.carrier.counters.acceptPauses >= 3)
        isShort = false
        try harness.run { harness.receiver.openCount == 6 }
        let told = harness.sink.lines.map(\.message).filter { !$0.hasPrefix("listening") }
        try harness.run { harness.sink.lines.last?.message == "accepting goes on" }
        #expect(told.filter { $0.hasPrefix("no descriptor") }.count == 1)
        for client in waiting { client.write("\r\n\r\n") }
        try harness.run { waiting.allSatisfy { $0.text == "\r\n" } }
        #expect(harness.carrier.counters.turnedAway == 0)
    }

    @Test("when the want of descriptors lasts, what waits is turned away by the spare one")
    func turnedAway() throws {
        let harness = try Harness {
            $0.acceptPause = .milliseconds(5)
            $0.acceptPatience = .milliseconds(30)
        }
        let (client, _) = try harness.connect()
        // Every second call finds a descriptor: the one that the carrier has just given up.
        var calls = 0
        harness.carrier.acceptor?.accept = { descriptor, address, length in
            calls += 1
            let isPatient = harness.carrier.counters.turnedAway == 0 && harness.carrier.counters.acceptPauses < 8
            if isPatient || calls % 3 == 0 {
                errno = EMFILE
                return -1
            }
            return wl_accept(descriptor, address, length)
        }
        let waiting = try (0..<4).map { _ in try Client(to: harness.address) }
        try harness.run { harness.carrier.counters.turnedAway > 0 }
        try harness.run { waiting.contains { $0.isClosed } }
        #expect(!client.isClosed)
        harness.carrier.acceptor?.accept = { wl_accept($0, $1, $2) }
        let (late, _) = try harness.connect()
        late.write("\r\n\r\n")
        try harness.run { late.text == "\r\n" }
    }

    @Test("a connection that is gone before it is accepted harms nobody")
    func aborted() throws {
        let harness = try Harness()
        var aborted = 0
        harness.carrier.acceptor?.accept = { descriptor, address, length in
            if aborted < 3 {
                aborted += 1
                errno = ECONNABORTED
                return -1
            }
            return wl_accept(descriptor, address, length)
        }
        let (client, _) = try harness.connect()
        #expect(aborted == 3)
        client.write("\r\n\r\n")
        try harness.run { client.text == "\r\n" }
        #expect(harness.carrier.counters.acceptPauses == 0)
    }
}
