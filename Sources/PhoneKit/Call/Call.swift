import SIP

/// One call of a phone, from its first sign to its end.
///
/// An object, since every event changes something in it, and a copy of all it holds would cost more than the change.
///
/// ```
/// out:  queued ─► calling ─► proceeding ─► established ─► ending
///                    └── cancelling ◄──┘
/// in:   announced ─► ringing ─► accepting ─► established ─► ending
/// ```
final class Call {
    enum Phase: Hashable {
        /// Waits for a line to be registered.
        case queued
        /// The INVITE is out.
        case calling
        /// A provisional answer came.
        case proceeding
        /// The caller gave up; a final answer is still to come.
        case cancelling
        /// A push told of it; the INVITE is to come.
        case announced
        /// The user is asked.
        case ringing
        /// The 200 is out, and its ACK is to come.
        case accepting
        case established
        /// The BYE is out, or waits for a flow.
        case ending
    }

    let handle: CallHandle
    let isIncoming: Bool
    var phase: Phase
    let callID: [UInt8]
    let localTag: UInt64
    /// What to call, until there is a dialog.
    var address: [UInt8] = []
    var dialog: Dialog?
    var localCSeq: UInt32 = 0
    var remoteCSeq: UInt32 = 0
    /// The caller's offer, or the answer of the side that is called.
    var session: [UInt8] = []
    /// When the phase ends by itself.
    var deadline: Instant?
    /// Whether it was shown, so that its end is shown too.
    var isShown = false
    var hasAudio = false

    // In: the INVITE, to be answered, and where it came from.
    var invite: Message?
    var inviteFlow: FlowID?
    /// What is sent again until the other side confirms it.
    var resend: Resend?
    /// The number of the reliable answer that is out; 0 for none.
    var rseq: UInt32 = 0

    // Out: reliable answers by the tag they came with.
    var acknowledged: [(tag: [UInt8], rseq: UInt32)] = []
    /// Why it was given up, to be told when it is over.
    var intendedEnd: CallEnd?
    /// The INVITE within the dialog that came and is not answered.
    var pendingOffer: Message?
    /// When an offer that crossed another may be sent again (RFC 3261 section 14.1).
    var offerAgain: [UInt8]?

    init(handle: CallHandle, isIncoming: Bool, phase: Phase, callID: [UInt8], localTag: UInt64) {
        self.handle = handle
        self.isIncoming = isIncoming
        self.phase = phase
        self.callID = callID
        self.localTag = localTag
    }

    /// Whether it takes one of the places there are for calls.
    var isActive: Bool { phase != .ending && phase != .cancelling }
}

/// A 2xx or a reliable provisional answer, which is sent until it is confirmed, over reliable transports too (RFC 3261
/// section 13.3.1.4, RFC 3262 section 3).
struct Resend {
    var bytes: [UInt8]
    var at: Instant
    var interval: Interval
    let flow: FlowID
}

/// What was shown and is over, so that nothing is shown twice: calls by Call-ID, messages by Call-ID and CSeq.
struct History {
    private var entries: [(hash: UInt64, until: Instant)] = []

    /// Notes that something was shown.
    mutating func note(_ callID: [UInt8], for time: Interval, now: Instant) {
        entries.removeAll { $0.until <= now }
        if entries.count >= 32 { entries.removeFirst() }
        entries.append((Self.hash(callID), now + time))
    }

    /// Whether it was.
    func has(_ callID: [UInt8], now: Instant) -> Bool {
        let hash = Self.hash(callID)
        return entries.contains { $0.hash == hash && $0.until > now }
    }

    /// FNV-1a.
    private static func hash(_ bytes: [UInt8]) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }
}
