/// What two ends have agreed upon for one audio stream, as one of them sees it (RFC 3264).
public struct AudioAgreement: Hashable, Sendable {
    /// How sound is written.
    public var codec: AudioCodec
    /// The payload type that stands for the codec.
    public var payloadType: UInt8
    /// The payload type for digits that are pressed (RFC 4733); nil when one end can't.
    public var telephoneEvent: UInt8?
    /// Where to send; nil where the other end wants nothing sent, with the address of all zeros (RFC 3264 section 8.4).
    public var remote: SocketAddress?
    /// What we do: send, receive, both or nothing.
    public var direction: MediaDirection

    /// Describes an agreement.
    public init(
        codec: AudioCodec,
        payloadType: UInt8? = nil,
        telephoneEvent: UInt8? = nil,
        remote: SocketAddress?,
        direction: MediaDirection = .sendrecv
    ) {
        self.codec = codec
        self.payloadType = payloadType ?? codec.rawValue
        self.telephoneEvent = telephoneEvent
        self.remote = remote
        self.direction = direction
    }

    /// What the answer to our offer of one audio stream agrees to (RFC 3264 section 7).
    ///
    /// - Parameters:
    ///   - offer: what we offered.
    ///   - answer: what came back.
    /// - Throws: why there can be no sound; such a call is to be ended.
    public init(offer: SessionDescription, answer: SessionDescription) throws(OfferAnswerFault) {
        guard answer.media.count == offer.media.count,
            let index = offer.media.firstIndex(where: { $0.isOrdinaryAudio && $0.port != 0 }),
            answer.media[index].isOrdinaryAudio
        else { throw .mediaMismatch }
        let ours = offer.media[index]
        let theirs = answer.media[index]
        guard theirs.port != 0 else { throw .refused }
        let codecs = ours.payloadTypes.compactMap { ours.codec($0) }
        guard let choice = theirs.firstCodec(of: codecs) else { throw .noCommonCodec }
        let wanted = offer.direction(of: ours).intersection(answer.direction(of: theirs).mirrored)
        codec = choice.codec
        payloadType = choice.payloadType
        telephoneEvent = ours.telephoneEvent == nil ? nil : theirs.telephoneEvent
        (remote, direction) = try answer.destination(of: theirs, wanted)
    }
}

/// Why an offer can't be answered, or an answer not be used.
public enum OfferAnswerFault: Error, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The offer has no audio stream over plain RTP.
    case noAudio
    /// Neither end's codecs are the other's.
    case noCommonCodec
    /// The stream goes to a name.
    case addressNotNumeric
    /// The answer has other streams than the offer.
    case mediaMismatch
    /// The answer refuses the audio stream.
    case refused

    /// A sentence with the mend.
    public var description: String {
        switch self {
        case .noAudio: "no audio stream is offered; offer m=audio with RTP/AVP"
        case .noCommonCodec: "no codec in common; offer PCMU or PCMA"
        case .addressNotNumeric: "the audio stream goes to a name; give an address in numbers in c="
        case .mediaMismatch: "the answer has other streams than the offer; answer each m= in its place"
        case .refused: "the audio stream is refused; answer m=audio with a port"
        }
    }
}

extension MediaDescription {
    /// Whether it is audio over plain RTP (RFC 3551).
    var isOrdinaryAudio: Bool { kind == "audio" && transport == "RTP/AVP" }

    /// The first of the formats that is one of some codecs.
    func firstCodec(of codecs: [AudioCodec]) -> (codec: AudioCodec, payloadType: UInt8)? {
        for type in payloadTypes {
            if let codec = codec(type), codecs.contains(codec) { return (codec, type) }
        }
        return nil
    }
}

extension SessionDescription {
    /// Where a stream is to be sent, and what is left of a direction when that is nowhere.
    func destination(
        of media: MediaDescription,
        _ direction: MediaDirection
    ) throws(OfferAnswerFault) -> (SocketAddress?, MediaDirection) {
        guard let address = connection(of: media)?.address(port: media.port) else { throw .addressNotNumeric }
        let isNowhere = address.ipv4 == 0 || address.high == 0 && address.low == 0
        guard isNowhere else { return (address, direction) }
        return (nil, MediaDirection(sends: false, receives: direction.receives))
    }
}
