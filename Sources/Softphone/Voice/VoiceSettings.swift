public import Media

/// How a `VoicePhone` sounds.
public struct VoiceSettings: Sendable {
    /// Whether there is sound; without it calls are made with a stream that flows nowhere.
    public var hasAudio = true
    /// Ports and traffic class of sound; the tones are the phone's own.
    public var audio = AudioSettings()

    /// The defaults.
    public init() {}
}

/// The tones that phones tell each other apart by, in Hz.
///
/// The callee changes from one tone to the other once it hears the caller: so the caller alone can tell whether sound
/// goes both ways. All are multiples of 20 Hz, which the detector tells apart best.
public enum CallTone {
    /// What the caller plays.
    public static let caller = 440.0
    /// What the callee plays while it hears nothing.
    public static let calleeAlone = 540.0
    /// What the callee plays once it hears the caller.
    public static let callee = 660.0

    /// All that is listened for.
    static let all = [caller, calleeAlone, callee]
}
