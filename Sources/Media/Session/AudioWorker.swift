import Glibc
import Locking
import Observability
import SIP

/// What a session and its thread share.
final class AudioShare: Sendable {
    struct State {
        /// Where sound goes, and how.
        var agreement: AudioAgreement
        /// What is sent, in Hz.
        var tone: Double
        var isStopped = false
        /// As of the last packet's time.
        var report = AudioReport()
    }

    let state: Mutex<State>

    init(_ agreement: AudioAgreement, tone: Double) { state = Mutex(State(agreement: agreement, tone: tone)) }
}

/// Sends a tone every 20 ms, and listens in between: the life of a session's thread.
struct AudioWorker {
    private let socket: MediaSocket
    private let share: AudioShare
    private var agreement: AudioAgreement
    private var tone: ToneSource
    private var frequency: Double
    private var detector: ToneDetector
    private var statistics = ReceptionStatistics()
    private var report = AudioReport()
    private var packet: RTPPacket
    private var datagram: [UInt8] = []
    /// Larger than any packet of 20 ms, so what fills it is none.
    private var buffer = [UInt8](repeating: 0, count: 2048)
    /// When the next packet is due, in nanoseconds.
    private var due: Int64 = 0

    /// Nanoseconds of a packet and of a sample.
    private static let period: Int64 = 20_000_000
    private static let sample: Int64 = 125_000
    /// What is handled before it is looked whether a packet is due, so that a flood does not keep our own from going.
    private static let batch = 64

    init(_ socket: MediaSocket, _ share: AudioShare, _ settings: AudioSettings) {
        self.socket = socket
        self.share = share
        (agreement, frequency) = share.state.withLock { ($0.agreement, $0.tone) }
        tone = ToneSource(frequency: frequency)
        detector = ToneDetector(frequencies: settings.tones)
        // Random beginnings, so that nobody can guess them (RFC 3550 section 5.1).
        packet = RTPPacket(
            payloadType: 0,
            isMarked: true,
            sequence: .random(in: 0 ... .max),
            timestamp: .random(in: 0 ... .max),
            source: .random(in: 0 ... .max),
            payload: []
        )
    }

    /// Runs until the session is stopped.
    mutating func run() {
        due = Self.now()
        while exchange() {
            let now = Self.now()
            if now >= due { tick(now) }
            // Rounded up: waking early would only mean to wait again.
            let wait = max((due - Self.now() + 999_999) / 1_000_000, 0)
            socket.wait(milliseconds: Int32(truncatingIfNeeded: min(wait, 20)))
            receive()
        }
    }

    /// Publishes what has happened, and takes over what is wanted.
    ///
    /// - Returns: false when nothing is wanted any more.
    private mutating func exchange() -> Bool {
        report.packetsReceived = statistics.received
        report.packetsLost = statistics.lost
        report.jitter = statistics.jitter * 1000 / ToneSource.rate
        report.tones = detector.heard
        let report = report
        let (agreement, frequency, isStopped) = share.state.withLock { state in
            state.report = report
            return (state.agreement, state.tone, state.isStopped)
        }
        self.agreement = agreement
        if frequency != self.frequency {
            self.frequency = frequency
            tone = ToneSource(frequency: frequency)
        }
        return !isStopped
    }

    /// A packet's time has come.
    private mutating func tick(_ now: Int64) {
        send()
        due += Self.period
        packet.timestamp &+= UInt32(ToneSource.frame)
        // The thread was kept from running: what should have been sent is left out, as its timestamps show.
        let late = (now - due) / Self.period
        guard late > 5 else { return }
        due += late * Self.period
        packet.timestamp &+= UInt32(truncatingIfNeeded: late) &* UInt32(ToneSource.frame)
    }

    private mutating func send() {
        guard agreement.direction.sends, let remote = agreement.remote else {
            packet.isMarked = true
            return
        }
        packet.payloadType = agreement.payloadType
        let codec = agreement.codec
        tone.writeFrame(codec.encode, to: &packet.payload)
        packet.write(to: &datagram)
        if socket.send(datagram, to: remote) { report.packetsSent += 1 } else { report.packetsRefused += 1 }
        packet.sequence &+= 1
        packet.isMarked = false
    }

    private mutating func receive() {
        for _ in 0..<Self.batch {
            guard let (count, source) = socket.receive(into: &buffer) else { return }
            guard isExpected(source), count < buffer.count,
                let packet = try? RTPPacket(buffer.span.extracting(..<count)),
                packet.payloadType == agreement.payloadType || packet.payloadType == agreement.telephoneEvent
            else {
                report.packetsIgnored += 1
                continue
            }
            statistics.receive(packet, arrival: UInt32(truncatingIfNeeded: Self.now() / Self.sample))
            guard packet.payloadType == agreement.payloadType else { continue }
            for byte in packet.payload { detector.hear(agreement.codec.decode(byte)) }
        }
    }

    /// Whether it is the other end's host; its port may be another than the one it listens on.
    private func isExpected(_ source: SocketAddress) -> Bool {
        guard agreement.direction.receives else { return false }
        guard let remote = agreement.remote else { return true }
        return remote.high == source.high && remote.low == source.low
    }

    /// The monotonic clock in nanoseconds.
    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
