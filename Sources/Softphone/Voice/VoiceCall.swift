public import Media
public import PhoneKit
public import SIP

/// What a phone with a voice keeps of a call.
final class VoiceCall {
    let number: Int
    let handle: CallHandle
    let isIncoming: Bool
    /// The other side's URI.
    let peer: ByteString
    let callID: ByteString
    let began: Instant
    var answeredAt: Instant?
    /// Its sound, from the first description of it on.
    var audio: AudioSession?
    /// What we offered last, until it is answered.
    var offer: SessionDescription?
    /// What came before the answer, and stands for it where the answer holds nothing (RFC 3262 section 5).
    var early: [UInt8] = []
    /// Names our descriptions of the session.
    let sessionID: UInt64
    var version: UInt64 = 1
    /// Tones that were told of.
    var told: Set<Double> = []
    /// Whether the other side wants to hear nothing now.
    var isHeldByPeer = false

    init(
        number: Int,
        handle: CallHandle,
        isIncoming: Bool,
        peer: ByteString,
        callID: ByteString,
        sessionID: UInt64 = .random(in: 1...UInt64(Int64.max)),
        at began: Instant
    ) {
        self.number = number
        self.handle = handle
        self.isIncoming = isIncoming
        self.peer = peer
        self.callID = callID
        self.began = began
        self.sessionID = sessionID
    }

    /// The origin of our next description (RFC 3264 section 8).
    func nextOrigin(_ address: SocketAddress) -> SessionDescription.Origin {
        version += 1
        return .init(sessionID: sessionID, version: version, address: .init(address))
    }
}

/// What became of a call.
public struct CallSummary: Sendable {
    /// Its number with this phone, from 1.
    public var number: Int
    /// Whether the other side made it.
    public var isIncoming: Bool
    /// The other side's URI.
    public var peer: ByteString
    /// Its Call-ID, by which the server's journal knows it.
    public var callID: ByteString
    /// Why it ended.
    public var end: CallEnd
    /// How long it was answered; nil where it never was.
    public var talked: Interval?
    /// What was sent and heard; nil where there was to be no sound.
    public var audio: AudioReport?

    /// What the sound of a call proves.
    public enum Hearing: Sendable {
        /// Nothing of the other side was heard.
        case nothing
        /// The other side was heard, and said that it does not hear this one.
        case oneWay
        /// The other side was heard.
        case heard
    }

    /// What was heard; nil where there was to be no sound.
    public var hearing: Hearing? {
        guard let audio else { return nil }
        let heard = audio.tones.filter { $0.seconds >= VoicePhone.heardFor }.map(\.frequency)
        if heard.contains(where: { $0 != CallTone.calleeAlone }) { return .heard }
        return heard.isEmpty ? .nothing : .oneWay
    }

    /// Whether it was answered, and heard where it was to be.
    public var isGood: Bool {
        switch end {
        case .local, .remote: talked != nil && (hearing == nil || hearing == .heard)
        case .cancelled, .answeredElsewhere, .rejected, .unanswered, .missed, .lost: false
        }
    }
}
