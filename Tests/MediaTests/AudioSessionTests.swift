import Glibc
import SIP
import Testing

@testable import Media

@Suite("Audio sessions", .serialized)
struct AudioSessionTests {
    private static let loopback = SocketAddress(ipv4: 0x7f00_0001, port: 0)

    private func session(
        _ tone: Double,
        on host: SocketAddress = loopback,
        _ change: (inout AudioSettings) -> Void = { _ in }
    ) throws -> AudioSession {
        var settings = AudioSettings()
        settings.tone = tone
        change(&settings)
        return try AudioSession(on: host, settings: settings)
    }

    /// Waits until something is so.
    private func wait(_ location: SourceLocation = #_sourceLocation, until condition: () -> Bool) throws {
        for _ in 0..<2000 where !condition() { usleep(5000) }
        try #require(condition(), sourceLocation: location)
    }

    @Test("hear each other's tone and not their own", arguments: AudioCodec.allCases)
    func call(codec: AudioCodec) throws {
        let hosts = codec == .pcmu ? Self.loopback : SocketAddress(high: 0, low: 1, port: 0)
        let alice = try session(440, on: hosts)
        let bob = try session(660, on: hosts)
        #expect(alice.report == AudioReport())
        try alice.run(AudioAgreement(codec: codec, telephoneEvent: 101, remote: bob.local))
        try bob.run(AudioAgreement(codec: codec, remote: alice.local))
        try wait { [alice, bob].allSatisfy { ($0.report.tone?.seconds ?? 0) >= 0.5 } }
        for (report, frequency) in [(alice.stop(), 660.0), (bob.stop(), 440.0)] {
            #expect(report.tones.map(\.frequency) == [frequency])
            #expect(report.tone.map { $0.seconds >= 0.5 && $0.share > 0.9 } == true)
            #expect(report.packetsSent >= 25 && report.packetsReceived >= 25)
            #expect(report.packetsLost == 0 && report.packetsRefused == 0 && report.packetsIgnored == 0)
            // A busy machine makes some: a second's standstill is worth 62 ms.
            #expect(report.jitter >= 0 && report.jitter < 250)
        }
    }

    @Test("go on elsewhere when that is agreed upon, and rest on hold")
    func redirected() throws {
        let alice = try session(440)
        let bob = try session(660)
        let carol = try session(660)
        for phone in [bob, carol] { try phone.run(AudioAgreement(codec: .pcmu, remote: alice.local)) }
        try alice.run(AudioAgreement(codec: .pcmu, remote: bob.local))
        try wait { bob.report.tone?.frequency == 440 }
        #expect(carol.report.packetsReceived == 0)
        try alice.run(AudioAgreement(codec: .pcmu, remote: carol.local))
        try wait { carol.report.tone?.frequency == 440 }
        // What was under way has arrived.
        let bobHeard = bob.report.packetsReceived
        let carolHeard = carol.report.packetsReceived
        try wait { carol.report.packetsReceived > carolHeard + 30 }
        #expect(bob.report.packetsReceived == bobHeard)
        try alice.run(AudioAgreement(codec: .pcmu, remote: carol.local, direction: .inactive))
        let ignored = alice.report.packetsIgnored
        try wait { alice.report.packetsIgnored > ignored + 2 }
        let sent = alice.report.packetsSent
        try wait { alice.report.packetsIgnored > ignored + 10 }
        #expect(alice.report.packetsSent == sent)
        try alice.run(AudioAgreement(codec: .pcmu, remote: carol.local))
        try wait { alice.report.packetsSent > sent + 5 }
        #expect(carol.stop().packetsLost == 0)
    }

    @Test("what is no sound of the other end is ignored")
    func strangers() throws {
        let alice = try session(440)
        let bob = try session(660)
        let stranger = try session(660, on: SocketAddress(ipv4: 0x7f00_0002, port: 0))
        try alice.run(AudioAgreement(codec: .pcmu, remote: bob.local, direction: .recvonly))
        try stranger.run(AudioAgreement(codec: .pcmu, remote: alice.local))
        try bob.run(AudioAgreement(codec: .pcma, remote: alice.local))
        try wait { alice.report.packetsIgnored > 30 }
        let report = alice.stop()
        #expect(report.packetsReceived == 0 && report.tone == nil && report.packetsSent == 0)
    }

    @Test("have even ports of their range and the traffic class of sound", arguments: [true, false])
    func sockets(isIPv4: Bool) throws {
        let host = isIPv4 ? Self.loopback : SocketAddress(high: 0, low: 1, port: 0)
        var settings = AudioSettings()
        settings.ports = 21_001...21_003
        let socket = try MediaSocket(on: host, settings)
        #expect(socket.local.port == 21_002)
        var trafficClass: Int32 = 0
        var length = socklen_t(4)
        let (level, option) = isIPv4 ? (Int32(IPPROTO_IP), IP_TOS) : (Int32(IPPROTO_IPV6), IPV6_TCLASS)
        getsockopt(socket.descriptor, level, option, &trafficClass, &length)
        #expect(trafficClass == 46 << 2)
        #expect(throws: MediaError.noPort(host, 21_001...21_003)) { try MediaSocket(on: host, settings) }
        settings.ports = 21_001...21_001
        #expect(throws: MediaError.noPort(host, 21_001...21_001)) { try MediaSocket(on: host, settings) }
        let foreign = SocketAddress(ipv4: 0xc000_0201, port: 0)
        #expect(throws: MediaError.addressNotAvailable(foreign)) { try MediaSocket(on: foreign, AudioSettings()) }
    }

    @Test("give their port back when they stop, and stay stopped")
    func stopped() throws {
        let first = try session(440) { $0.ports = 21_100...21_100 }
        try first.run(AudioAgreement(codec: .pcmu, remote: nil))
        let report = first.stop()
        #expect(report == first.stop() && report == first.report)
        #expect(throws: MediaError.stopped) { try first.run(AudioAgreement(codec: .pcmu, remote: nil)) }
        let second = try session(440) { $0.ports = 21_100...21_100 }
        #expect(second.stop() == AudioReport())
        do {
            let dropped = try session(440) { $0.ports = 21_100...21_100 }
            try dropped.run(AudioAgreement(codec: .pcmu, remote: dropped.local, direction: .recvonly))
        }
        _ = try session(440) { $0.ports = 21_100...21_100 }
    }
}
