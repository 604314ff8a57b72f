/// What a phone can say of a call's sound.
public struct AudioReport: Hashable, Sendable {
    /// Packets that went out.
    public internal(set) var packetsSent: UInt64 = 0
    /// Packets that the kernel or the network refused at once.
    public internal(set) var packetsRefused: UInt64 = 0
    /// Packets that came from the other end.
    public internal(set) var packetsReceived: UInt64 = 0
    /// Packets of the other end that never came, by their sequence numbers.
    public internal(set) var packetsLost: UInt64 = 0
    /// Datagrams that came from somewhere else, or were no sound that was agreed upon.
    public internal(set) var packetsIgnored: UInt64 = 0
    /// How unevenly packets came, in milliseconds (RFC 3550 section 6.4.1).
    public internal(set) var jitter = 0.0
    /// The tones that were heard, the longest first.
    public internal(set) var tones: [ToneDetector.Tone] = []

    /// Nothing has happened yet.
    public init() {}

    /// The tone that was heard for longest; nil for silence.
    public var tone: ToneDetector.Tone? { tones.first }
}
