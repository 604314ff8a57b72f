import SIP
import Testing

/// Text with line feeds for line ends, as it travels.
func sdp(_ text: String) -> [UInt8] {
    Array((text.split(separator: "\n").joined(separator: "\r\n") + "\r\n").utf8)
}

/// A description that uses all there is, in the order of RFC 8866.
let fullDescription = """
    v=0
    o=jdoe 3724394400 18446744073709551615 IN IP4 198.51.100.1
    s=Call to John Smith
    i=SDP Offer #1
    u=http://www.jdoe.example.com/home.html
    e=Jane Doe <jane@jdoe.example.com>
    p=+1 617 555-6011
    c=IN IP4 198.51.100.1
    b=AS:128
    t=0 0
    r=7d 1h 0 25h
    t=1 2
    z=2882844526 -1h
    k=prompt
    a=recvonly
    a=tool:x:y
    m=audio 49170 RTP/AVP 0 8 96
    i=voice
    c=IN IP6 2001:db8::2
    c=IN IP6 2001:db8::3
    b=AS:64
    k=clear:x
    a=rtpmap:96 telephone-event/8000
    a=ptime:20
    a=sendonly
    m=video 51372/2 RTP/AVP 99
    a=rtpmap:99 H263-1998/90000
    a=empty:
    """

@Suite("Session descriptions")
struct SessionDescriptionTests {
    @Test("are read into their parts")
    func parts() throws {
        let description = try SessionDescription(sdp(fullDescription))
        #expect(description.origin.username == "jdoe" && description.origin.sessionID == 3_724_394_400)
        #expect(description.origin.version == .max)
        #expect(description.origin.address == .init(isIPv6: false, host: "198.51.100.1"))
        #expect(description.sessionName == "Call to John Smith")
        #expect(description.connection?.address(port: 7) == SocketAddress(ipv4: 0xc633_6401, port: 7))
        #expect(description.timing == .init())
        #expect(description.attributes == [.init("recvonly"), .init("tool", "x:y")])
        #expect(description.media.count == 2)
        let (audio, video) = (description.media[0], description.media[1])
        #expect(audio.kind == "audio" && audio.port == 49170 && audio.portCount == 1)
        #expect(audio.transport == "RTP/AVP" && audio.formats == ["0", "8", "96"])
        let address = SocketAddress(high: 0x2001_0db8_0000_0000, low: 2, port: 9)
        #expect(audio.connection == .init(address) && audio.connection?.address(port: 9) == address)
        #expect(audio.packetTime == 20 && audio.direction == .sendonly)
        #expect(audio.rtpMaps == [.init(payloadType: 96, encoding: "telephone-event", clockRate: 8000)])
        #expect(video.portCount == 2 && video.direction == nil && description.direction(of: video) == .recvonly)
        #expect(description.connection(of: video) == description.connection)
        #expect(video.attributes.last == .init("empty", ""))
    }

    @Test("are written as they came")
    func written() throws {
        #expect(try SessionDescription(sdp(fullDescription)).bytes == sdp(fullDescription))
    }

    @Test("are read where phones are careless, and written as the standard has it")
    func careless() throws {
        let text = "v=0\nc=in ip4  192.0.2.1\na=x\no=-  1 2 IN IP4 host.example.\n\nm=audio 4000 RTP/AVP 0"
        #expect(throws: SDPFault(line: 5, .noLine)) { try SessionDescription(Array(text.utf8)) }
        let description = try SessionDescription(Array((text.replacing("\n\n", with: "\n") + "\n\r\n\n").utf8))
        #expect(
            description.bytes
                == sdp(
                    """
                    v=0
                    o=- 1 2 IN IP4 host.example.
                    s=-
                    c=IN IP4 192.0.2.1
                    t=0 0
                    a=x
                    m=audio 4000 RTP/AVP 0
                    """
                )
        )
        #expect(description.origin.address.address(port: 1) == nil)
    }

    @Test("are read from the middle of a message, and from nowhere else")
    func range() throws {
        let body = sdp("v=0\no=- 1 1 IN IP4 192.0.2.1")
        let message = Array("x=1\r\n".utf8) + body + Array("m=no".utf8)
        #expect(try SessionDescription(message, 5..<(5 + body.count)).media.isEmpty)
        #expect(throws: SDPFault(line: 1, .missing(UInt8(ascii: "v")))) { try SessionDescription(message, 900..<999) }
    }

    @Test(
        "say which line is wrong, and how",
        arguments: [
            ("", 1, .missing(UInt8(ascii: "v"))),
            ("o=- 1 1 IN IP4 a", 1, .missing(UInt8(ascii: "v"))),
            ("v=1", 1, .malformed(UInt8(ascii: "v"))),
            ("v=0\ns=-", 2, .missing(UInt8(ascii: "o"))),
            ("v=0\no=- 1 1 IN IP4 a\nv=0", 3, .repeated(UInt8(ascii: "v"))),
            ("v=0\no=- 1 1 IN IP4 a\no=- 1 1 IN IP4 a", 3, .repeated(UInt8(ascii: "o"))),
            ("v=0\nc=IN IP4 a\nc=IN IP4 a", 3, .repeated(UInt8(ascii: "c"))),
            ("v=0\no=- 1 IN IP4 a", 2, .malformed(UInt8(ascii: "o"))),
            ("v=0\no=- x 1 IN IP4 a", 2, .malformed(UInt8(ascii: "o"))),
            ("v=0\no=- 1 18446744073709551616 IN IP4 a", 2, .malformed(UInt8(ascii: "o"))),
            ("v=0\no=- 1 1 ATM IP4 a", 2, .malformed(UInt8(ascii: "o"))),
            ("v=0\no=- 1 1 IN IP5 a", 2, .malformed(UInt8(ascii: "o"))),
            ("v=0\nc=IN IP4", 2, .malformed(UInt8(ascii: "c"))),
            ("v=0\nc=IN IP4 a b", 2, .malformed(UInt8(ascii: "c"))),
            ("v=0\nt=0", 2, .malformed(UInt8(ascii: "t"))),
            ("v=0\nt=0 -1", 2, .malformed(UInt8(ascii: "t"))),
            ("v=0\na=", 2, .malformed(UInt8(ascii: "a"))),
            ("v=0\na=:x", 2, .malformed(UInt8(ascii: "a"))),
            ("v=0\nm=audio 4000 RTP/AVP", 2, .malformed(UInt8(ascii: "m"))),
            ("v=0\nm=audio 65536 RTP/AVP 0", 2, .malformed(UInt8(ascii: "m"))),
            ("v=0\nm=audio 1/ RTP/AVP 0", 2, .malformed(UInt8(ascii: "m"))),
            ("v=0\nm=audio 1/0 RTP/AVP 0", 2, .malformed(UInt8(ascii: "m"))),
            ("v=0\nm=audio / RTP/AVP 0", 2, .malformed(UInt8(ascii: "m"))),
            ("v=0\nx=1", 2, .unknown(UInt8(ascii: "x"))),
            ("v=0\nm=a 1 b 0\n\u{7}=1", 3, .unknown(7)),
            ("v=0\nm=a 1 b 0\nt=0 0", 3, .misplaced(UInt8(ascii: "t"))),
            ("v=0\nm=a 1 b 0\nv=0", 3, .misplaced(UInt8(ascii: "v"))),
            ("v=0\no=- 1 1 IN IP4 a\nm=a 0 b 0\nm=a 1 b 0\na=x", 4, .noConnection),
            ("v=0\nno line", 2, .noLine), ("v=0\n=", 2, .noLine), ("v", 1, .noLine),
            ("v=0\ns=a\0b", 2, .controlCharacter), ("v=0\ns=a\rb", 2, .controlCharacter),
        ] as [(String, Int, SDPFault.Kind)]
    )
    func faults(text: String, line: Int, kind: SDPFault.Kind) {
        let fault = SDPFault(line: line, kind)
        #expect(throws: fault) { try SessionDescription(Array(text.utf8)) }
        #expect(fault.description.hasPrefix("SDP line \(line): ") && fault.description.contains("; "))
    }

    @Test("keep within their limits")
    func limits() throws {
        var limits = Limits()
        let bytes = sdp(fullDescription)
        limits.body = bytes.count - 1
        #expect(throws: SDPFault(line: 1, .tooLong(limits.body))) { try SessionDescription(bytes, limits: limits) }
        limits.body += 1
        limits.descriptionLines = 27
        #expect(throws: SDPFault(line: 28, .tooManyLines(27))) { try SessionDescription(bytes, limits: limits) }
        limits.descriptionLines += 1
        limits.mediaSections = 1
        #expect(throws: SDPFault(line: 26, .tooManyMedia(1))) { try SessionDescription(bytes, limits: limits) }
        limits.mediaSections += 1
        #expect(try SessionDescription(bytes, limits: limits).media.count == 2)
    }

    @Test(
        "an rtpmap is read, or passed over",
        arguments: [
            ("0 PCMU/8000", .init(payloadType: 0, encoding: "PCMU", clockRate: 8000)),
            ("111 opus/48000/2", .init(payloadType: 111, encoding: "opus", clockRate: 48000, parameters: "2")),
            ("127  L8 / 1 ", .init(payloadType: 127, encoding: "L8", clockRate: 1)),
            ("128 x/8000", nil), ("x", nil), ("0 PCMU", nil), ("0 PCMU/", nil), ("0 /8000", nil), ("0 PCMU/0", nil),
            ("0 PCMU/4294967296", nil), (" 0 PCMU/8000", nil), ("", nil), ("0", nil), ("0/1 2", nil),
        ] as [(ByteString, RTPMap?)]
    )
    func rtpMap(value: ByteString, expected: RTPMap?) {
        #expect(RTPMap(value) == expected)
        if let expected { #expect(RTPMap(expected.value) == expected) }
    }
}
