import Media
import SIP
import Testing

@Suite("G.711")
struct G711Tests {
    @Test(
        "known values",
        arguments: [
            (.pcmu, 0xff, 0), (.pcmu, 0x80, 32_124), (.pcmu, 0x00, -32_124), (.pcmu, 0xfe, 8), (.pcmu, 0x7e, -8),
            (.pcmu, 0xef, 132), (.pcmu, 0x6f, -132), (.pcma, 0xd5, 8), (.pcma, 0x55, -8), (.pcma, 0xaa, 32_256),
            (.pcma, 0x2a, -32_256), (.pcma, 0xd4, 24), (.pcma, 0xc5, 264),
        ] as [(AudioCodec, UInt8, Int16)]
    )
    func known(codec: AudioCodec, byte: UInt8, sample: Int16) {
        #expect(codec.decode(byte) == sample && codec.encode(sample) == byte)
    }

    @Test("silence and the loudest samples are what every phone sends for them")
    func extremes() {
        #expect(G711.muLaw(0) == 0xff && G711.muLaw(-1) == 0x7f && G711.linear(muLaw: 0x7f) == 0)
        #expect(G711.muLaw(.max) == 0x80 && G711.muLaw(.min) == 0x00)
        #expect(G711.aLaw(0) == 0xd5 && G711.aLaw(-1) == 0x55)
        #expect(G711.aLaw(.max) == 0xaa && G711.aLaw(.min) == 0x2a)
    }

    @Test("every byte comes back, but for the second zero of mu-law", arguments: AudioCodec.allCases)
    func bytes(codec: AudioCodec) {
        let strays = (UInt8.min ... .max).filter { codec.encode(codec.decode($0)) != $0 }
        #expect(strays == (codec == .pcmu ? [0x7f] : []))
        let isSymmetric = (UInt8.min ... .max).allSatisfy { codec.decode($0) == -codec.decode($0 ^ 0x80) }
        #expect(isSymmetric)
    }

    @Test("louder stays louder, and the error is a thirty-second at most", arguments: AudioCodec.allCases)
    func samples(codec: AudioCodec) {
        var before = Int16.min
        var isMonotone = true
        var isNear = true
        for sample in Int16.min ... .max {
            let decoded = codec.decode(codec.encode(sample))
            isMonotone = isMonotone && decoded >= before
            before = decoded
            let magnitude = min(Int(sample.magnitude), 32_635)
            let bound = codec == .pcmu ? (magnitude + 132) / 32 + 1 : max(magnitude / 32 + 1, 8)
            let error = abs(abs(Int(decoded)) - magnitude)
            isNear = isNear && error <= bound
        }
        #expect(isMonotone && isNear)
    }

    @Test(
        "the digital milliwatt is 1000 Hz",
        arguments: [
            (.pcmu, [0x1e, 0x0b, 0x0b, 0x1e, 0x9e, 0x8b, 0x8b, 0x9e]),
            (.pcma, [0x34, 0x21, 0x21, 0x34, 0xb4, 0xa1, 0xa1, 0xb4]),
        ] as [(AudioCodec, [UInt8])]
    )
    func milliwatt(codec: AudioCodec, period: [UInt8]) {
        var detector = ToneDetector(frequencies: [440, 1000, 2000])
        for index in 0..<8000 { detector.hear(codec.decode(period[index % 8])) }
        #expect(detector.heard.map(\.frequency) == [1000])
        #expect(detector.heard.first.map { $0.seconds == 1 && $0.share > 0.99 } == true)
    }
}
