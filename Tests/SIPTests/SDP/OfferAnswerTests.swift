import SIP
import Testing

@Suite("Offer and answer")
struct OfferAnswerTests {
    private let alice = SocketAddress(ipv4: 0xc000_0201, port: 4000)
    private let bob = SocketAddress(high: 0x2001_0db8_0000_0000, low: 2, port: 5002)

    private func origin(_ address: SocketAddress, version: UInt64 = 1) -> SessionDescription.Origin {
        .init(sessionID: 1, version: version, address: .init(address))
    }

    private func offer(_ media: String) throws -> SessionDescription {
        try SessionDescription(sdp("v=0\no=- 1 1 IN IP4 192.0.2.1\nc=IN IP4 192.0.2.1\nt=5 6\n" + media))
    }

    @Test("an offer names both codecs and the digits")
    func offers() {
        let offer = SessionDescription.audioOffer(receivingAt: alice, origin: origin(alice))
        #expect(
            offer.bytes
                == sdp(
                    """
                    v=0
                    o=- 1 1 IN IP4 192.0.2.1
                    s=-
                    c=IN IP4 192.0.2.1
                    t=0 0
                    m=audio 4000 RTP/AVP 0 8 101
                    a=rtpmap:0 PCMU/8000
                    a=rtpmap:8 PCMA/8000
                    a=rtpmap:101 telephone-event/8000
                    a=fmtp:101 0-15
                    a=ptime:20
                    a=sendrecv
                    """
                )
        )
    }

    @Test("both ends agree on the first codec of the offer that the other has")
    func agree() throws {
        let offer = SessionDescription.audioOffer(receivingAt: alice, origin: origin(alice), codecs: [.pcma, .pcmu])
        let (answer, theirs) = try offer.audioAnswer(receivingAt: bob, origin: origin(bob))
        #expect(theirs == AudioAgreement(codec: .pcma, telephoneEvent: 101, remote: alice))
        #expect(answer.media.map(\.formats) == [["8", "101"]] && answer.connection == .init(bob))
        let read = try SessionDescription(answer.bytes)
        #expect(read == answer)
        let ours = try AudioAgreement(offer: offer, answer: read)
        #expect(ours == AudioAgreement(codec: .pcma, telephoneEvent: 101, remote: bob))
        let (_, narrow) = try offer.audioAnswer(receivingAt: bob, origin: origin(bob), codecs: [.pcmu])
        #expect(narrow.codec == .pcmu)
    }

    @Test("all streams but one are refused in their places, and the time is the offer's")
    func refuses() throws {
        let offer = try offer(
            """
            m=video 6000 RTP/AVP 99 100
            m=audio 0 RTP/AVP 0
            m=audio 6002 RTP/SAVP 0
            m=audio 6004 RTP/AVP 9
            m=audio 6006 RTP/AVP 9 97 96 8
            a=rtpmap:96 pcmu/8000/1
            a=rtpmap:97 PCMU/16000
            m=audio 6008 RTP/AVP 0
            m=application 6010 TCP/BFCP *
            """
        )
        let (answer, agreement) = try offer.audioAnswer(receivingAt: bob, origin: origin(bob))
        #expect(answer.timing == .init(start: 5, stop: 6))
        #expect(answer.media.map(\.port) == [0, 0, 0, 0, 5002, 0, 0])
        #expect(answer.media.map(\.kind) == offer.media.map(\.kind))
        #expect(answer.media.map(\.transport) == offer.media.map(\.transport))
        #expect(answer.media[0].formats == ["99", "100"] && answer.media[4].formats == ["96"])
        let remote = SocketAddress(ipv4: 0xc000_0201, port: 6006)
        #expect(agreement == AudioAgreement(codec: .pcmu, payloadType: 96, remote: remote))
    }

    @Test(
        "the direction is the offer's as the other end sees it, narrowed by what is wanted here",
        arguments: MediaDirection.allCases
    )
    func direction(offered: MediaDirection) throws {
        let offer = SessionDescription.audioOffer(receivingAt: alice, origin: origin(alice), direction: offered)
        for wanted in MediaDirection.allCases {
            let (answer, theirs) = try offer.audioAnswer(receivingAt: bob, origin: origin(bob), direction: wanted)
            #expect(theirs.direction.sends == (offered.receives && wanted.sends))
            #expect(theirs.direction.receives == (offered.sends && wanted.receives))
            #expect(answer.media[0].direction == theirs.direction)
            let ours = try AudioAgreement(offer: offer, answer: answer)
            #expect(ours.direction == theirs.direction.mirrored)
        }
    }

    @Test("nothing is sent to an address of zeros", arguments: ["IN IP4 0.0.0.0", "IN IP6 ::"])
    func nowhere(address: String) throws {
        let offer = try offer("m=audio 4000 RTP/AVP 0\nc=\(address)")
        let (answer, agreement) = try offer.audioAnswer(receivingAt: bob, origin: origin(bob))
        #expect(agreement == AudioAgreement(codec: .pcmu, remote: nil, direction: .recvonly))
        #expect(answer.media[0].direction == .recvonly)
    }

    @Test(
        "what can't be answered says why",
        arguments: [
            ("", .noAudio), ("m=video 1 RTP/AVP 0", .noAudio), ("m=audio 0 RTP/AVP 0", .noAudio),
            ("m=audio 1 RTP/SAVP 0", .noAudio), ("m=audio 1 RTP/AVP 9 x 300 127", .noCommonCodec),
            ("m=audio 1 RTP/AVP 0\na=rtpmap:0 OPUS/48000/2", .noCommonCodec),
            ("m=audio 1 RTP/AVP 0\nc=IN IP4 host.example", .addressNotNumeric),
        ] as [(String, OfferAnswerFault)]
    )
    func unanswerable(media: String, fault: OfferAnswerFault) throws {
        let offer = try offer(media)
        #expect(throws: fault) { try offer.audioAnswer(receivingAt: bob, origin: origin(bob)) }
    }

    @Test(
        "an answer that is none says why",
        arguments: [
            ("", .mediaMismatch), ("m=audio 1 RTP/AVP 0\nm=audio 0 RTP/AVP 0", .mediaMismatch),
            ("m=video 1 RTP/AVP 0", .mediaMismatch), ("m=audio 0 RTP/AVP 0", .refused),
            ("m=audio 1 RTP/AVP 9", .noCommonCodec), ("m=audio 1 RTP/AVP 8", .noCommonCodec),
            ("m=audio 1 RTP/AVP 0\nc=IN IP6 host.example", .addressNotNumeric),
        ] as [(String, OfferAnswerFault)]
    )
    func badAnswer(media: String, fault: OfferAnswerFault) throws {
        let ours = SessionDescription.audioOffer(receivingAt: alice, origin: origin(alice), codecs: [.pcmu])
        let answer = try offer(media)
        #expect(throws: fault) { try AudioAgreement(offer: ours, answer: answer) }
        #expect(fault.description.contains("; "))
    }
}
