extension SessionDescription {
    /// The payload type that we offer for digits that are pressed (RFC 4733).
    static let telephoneEvent: UInt8 = 101

    /// How many milliseconds of sound a packet holds (RFC 3551 section 4.2).
    public static let packetTime: UInt64 = 20

    /// Offers one audio stream (RFC 3264 section 5).
    ///
    /// - Parameters:
    ///   - address: where we receive it.
    ///   - origin: who we are; a further offer in the same dialog has the next version.
    ///   - codecs: in order of preference.
    ///   - direction: what we want to do.
    /// - Returns: the offer, with telephone-event.
    public static func audioOffer(
        receivingAt address: SocketAddress,
        origin: Origin,
        codecs: [AudioCodec] = AudioCodec.allCases,
        direction: MediaDirection = .sendrecv
    ) -> SessionDescription {
        var offer = SessionDescription(origin: origin)
        offer.connection = Connection(address)
        offer.media = [
            .audio(port: address.port, codecs.map { ($0, $0.rawValue) }, telephoneEvent: telephoneEvent, direction)
        ]
        return offer
    }

    /// Answers this offer with one audio stream, and refuses all others (RFC 3264 section 6).
    ///
    /// - Parameters:
    ///   - address: where we receive it.
    ///   - origin: who we are; a further description in the same dialog has the next version.
    ///   - codecs: what we can do. The first that the offer names is taken: the order is the offerer's.
    ///   - direction: what we want to do, which the offer may narrow.
    /// - Returns: the answer, and what is agreed upon with it.
    /// - Throws: why no stream can be taken, which is a 488 (RFC 3261 section 21.4.26).
    public func audioAnswer(
        receivingAt address: SocketAddress,
        origin: Origin,
        codecs: [AudioCodec] = AudioCodec.allCases,
        direction: MediaDirection = .sendrecv
    ) throws(OfferAnswerFault) -> (answer: SessionDescription, agreement: AudioAgreement) {
        var answer = SessionDescription(origin: origin)
        answer.connection = Connection(address)
        answer.timing = timing
        var agreement: AudioAgreement?
        var fault = OfferAnswerFault.noAudio
        for offered in media {
            guard agreement == nil, offered.isOrdinaryAudio, offered.port != 0 else {
                answer.media.append(offered.refusal)
                continue
            }
            guard let choice = offered.firstCodec(of: codecs) else {
                fault = .noCommonCodec
                answer.media.append(offered.refusal)
                continue
            }
            let wanted = direction.intersection(self.direction(of: offered).mirrored)
            let (remote, possible) = try destination(of: offered, wanted)
            let event = offered.telephoneEvent
            agreement = AudioAgreement(
                codec: choice.codec,
                payloadType: choice.payloadType,
                telephoneEvent: event,
                remote: remote,
                direction: possible
            )
            answer.media.append(.audio(port: address.port, [choice], telephoneEvent: event, possible))
        }
        guard let agreement else { throw fault }
        return (answer, agreement)
    }
}

extension MediaDescription {
    /// An audio stream with these codecs, by their payload types.
    fileprivate static func audio(
        port: UInt16,
        _ codecs: [(codec: AudioCodec, payloadType: UInt8)],
        telephoneEvent: UInt8?,
        _ direction: MediaDirection
    ) -> MediaDescription {
        var maps = codecs.map {
            RTPMap(payloadType: $0.payloadType, encoding: $0.codec.encoding, clockRate: AudioCodec.clockRate)
        }
        if let telephoneEvent {
            maps.append(
                RTPMap(payloadType: telephoneEvent, encoding: "telephone-event", clockRate: AudioCodec.clockRate)
            )
        }
        let formats = maps.map { decimal($0.payloadType) }
        var media = MediaDescription(kind: "audio", port: port, transport: "RTP/AVP", formats: formats)
        media.attributes = maps.map { SessionDescription.Attribute("rtpmap", $0.value) }
        if let telephoneEvent {
            // The twelve keys and A to D (RFC 4733 section 3.2).
            let events = decimal(telephoneEvent).bytes + Array(" 0-15".utf8)
            media.attributes.append(.init("fmtp", ByteString(events)))
        }
        var packetTime: [UInt8] = []
        packetTime.append(decimal: SessionDescription.packetTime)
        media.attributes.append(.init("ptime", ByteString(packetTime)))
        media.attributes.append(.init(direction.name))
        return media
    }

    /// The stream refused: port 0, and the rest as offered, since a stream must have formats.
    fileprivate var refusal: MediaDescription {
        MediaDescription(kind: kind, port: 0, transport: transport, formats: formats)
    }

    private static func decimal(_ number: UInt8) -> ByteString {
        var out: [UInt8] = []
        out.append(decimal: UInt64(number))
        return ByteString(out)
    }
}
