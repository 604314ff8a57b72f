/// All that can be set about the media plane; the defaults are fit for a phone.
///
/// Signaling and media never share a socket, a thread, a port range or a traffic class.
public struct AudioSettings: Hashable, Sendable {
    /// The ports to choose from; even ones are taken (RFC 3550 section 11).
    ///
    /// Below the ports that Linux gives to connections.
    public var ports: ClosedRange<UInt16> = 16_384...32_767
    /// The traffic class of sound, 0 to 63: EF (RFC 4594 section 4.1).
    public var dscp: UInt8 = 46
    /// What is sent, in Hz.
    public var tone = 440.0
    /// What is listened for, in Hz.
    public var tones: [Double] = [440, 660]

    /// The defaults.
    public init() {}
}
