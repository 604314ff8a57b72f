public import SIP

/// What a phone tells the app it is part of.
public enum PhoneEvent: Sendable {
    /// A line is registered, for so many seconds; `isRefresh` where it was before.
    case registered(line: Int, expires: UInt32, isRefresh: Bool)
    /// A line could not register; it tries again after `retry`, or never where that is nil.
    case registrationFailed(line: Int, Failure, retry: Interval?)
    /// A line has left, as it was asked to.
    case unregistered(line: Int)
    /// A flow was lost; another is opened after `retry`, or when the network is back where that is nil.
    case flowLost(line: Int, CloseReason, retry: Interval?)
    /// A pong came after this time.
    case pong(line: Int, Interval)

    /// Show the call screen: at most once for a Call-ID.
    case incomingCall(CallHandle, IncomingCall)
    /// What a push had told of is here, and can be answered.
    case callArrived(CallHandle, IncomingCall)
    /// The other side was reached: 180, 183 and their kin, with the session where there is one.
    case callProgress(CallHandle, status: UInt16, session: [UInt8])
    /// The call this phone made was accepted.
    case callAccepted(CallHandle, session: [UInt8])
    /// The caller has confirmed that it knows of the answer, with its session where the answer held the offer.
    case callConfirmed(CallHandle, session: [UInt8])
    /// Take down the call screen.
    case callEnded(CallHandle, CallEnd)
    /// The other side wants to change the session; answer by `accept(offerIn:)`.
    case offered(CallHandle, session: [UInt8])
    /// What `offer` asked for was answered: 200 with the session, or a refusal.
    case offerAnswered(CallHandle, status: UInt16, session: [UInt8])
    /// Take hold of the platform's audio session.
    case requestAudio(CallHandle)
    /// Let go of it.
    case releaseAudio(CallHandle)

    /// A message came.
    case message(from: ByteString, Payload)
    /// A request of this phone's (MESSAGE, OPTIONS) has its answer.
    case answered(RequestID, Outcome)
    /// All that was due is done; let the system know that the keep-alive handler is over.
    case keepAliveHandlerFinished
}

/// A call of a phone.
public struct CallHandle: Hashable, Sendable {
    /// Unique over the life of the phone.
    public let number: UInt32

    /// Names a call by its number, as an app may have kept it.
    public init(number: UInt32) { self.number = number }
}

/// A request outside of calls.
public struct RequestID: Hashable, Sendable {
    /// Unique over the life of the phone.
    public let number: UInt32
}

/// What is known of a call that comes in.
public struct IncomingCall: Hashable, Sendable {
    /// Its Call-ID.
    public var callID: ByteString
    /// The caller's URI.
    public var from: ByteString
    /// The caller's name; empty where there is none.
    public var displayName: ByteString
    /// The session that is offered; empty before the INVITE is here, and where the caller leaves the offer to us.
    public var session: [UInt8]

    /// Describes a call, as a push does.
    public init(callID: ByteString, from: ByteString, displayName: ByteString = ByteString(), session: [UInt8] = []) {
        self.callID = callID
        self.from = from
        self.displayName = displayName
        self.session = session
    }
}

/// A body and its type.
public struct Payload: Hashable, Sendable {
    /// The media type: `text/plain`.
    public var type: ByteString
    /// The content.
    public var bytes: [UInt8]

    /// Makes a body.
    public init(type: ByteString, bytes: [UInt8]) {
        self.type = type
        self.bytes = bytes
    }
}

/// Why a call is over.
public enum CallEnd: Hashable, Sendable {
    /// This side hung up, cancelled or rejected.
    case local
    /// The other side hung up.
    case remote
    /// The caller gave up before it was answered.
    case cancelled
    /// Another device of the user took it.
    case answeredElsewhere
    /// The other side refused: its status.
    case rejected(UInt16)
    /// Nobody answered in time.
    case unanswered
    /// A push told of it, and it was over before the phone woke.
    case missed
    /// The network failed.
    case lost
}

/// Why something failed.
public enum Failure: Hashable, Sendable {
    /// An answer that refuses.
    case status(UInt16)
    /// No flow could be opened, or it broke.
    case flow(CloseReason)
    /// No answer in time.
    case timeout
}

/// How a request ended.
public enum Outcome: Hashable, Sendable {
    /// A final answer.
    case answered(UInt16)
    /// None came.
    case failed(Failure)
}
