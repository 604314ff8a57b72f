public import PhoneKit
public import SIP

/// What happens to a phone with a voice.
public enum VoiceEvent: Sendable {
    /// Registered, or registered anew; `ping` says between which two the server is pinged.
    case registered(line: Int, expires: UInt32, ping: ClosedRange<Interval>?, isRefresh: Bool)
    /// Could not register; nil for `retry` means never.
    case registrationFailed(line: Int, Failure, retry: Interval?)
    /// Is registered no more, as it was asked.
    case unregistered(line: Int)
    /// The connection is gone.
    case flowLost(line: Int, CloseReason, retry: Interval?)
    /// The server answered a ping.
    case pong(line: Int, Interval)
    /// A call goes out.
    case calling(call: Int, to: ByteString, callID: ByteString)
    /// The other side was reached: 180, 183 and their kin.
    case progress(call: Int, status: UInt16, after: Interval)
    /// The other side answered, or this one did.
    case answered(call: Int, after: Interval, isIncoming: Bool)
    /// A call comes in.
    case incoming(call: Int, from: ByteString, name: ByteString, callID: ByteString)
    /// A tone is heard.
    case heard(call: Int, frequency: Double)
    /// The other side put the call on hold, or took it back.
    case held(call: Int, Bool)
    /// This side's hold, resume or move was answered.
    case changed(call: Int, status: UInt16)
    /// A call can't be, or not with sound: why.
    case trouble(call: Int, String)
    /// A call is over.
    case ended(CallSummary)
    /// A message came.
    case message(from: ByteString, Payload)
    /// A request of this side's has its answer.
    case outcome(RequestID, Outcome)
}
