import SIP
import TestSupport
import Testing

@Suite("Properties of session descriptions")
struct SDPPropertyTests {
    private static let words = [
        "-", "0", "1", "a", "audio", "IN", "IP4", "IP6", "192.0.2.1", "2001:db8::1", "RTP/AVP", "x:y", "", "é", "9/2",
        "18446744073709551615", "99999999999999999999", "rtpmap:0 PCMU/8000", "sendonly", "ptime:20", "\u{1}", "\r",
    ]
    private static let lines = [
        "c=IN IP4 192.0.2.1", "c=IN IP6 ::", "t=0 0", "t=1 2", "r=1 2", "a=sendonly", "a=x:", "a=ptime:30", "i=x",
        "b=AS:1",
        "k=x", "z=1", "u=x", "e=x", "p=x", "s=", "m=audio 4000 RTP/AVP 0 8", "m=video 0 RTP/AVP 9",
        "a=rtpmap:0 PCMU/8000",
        "m=audio 1/3 RTP/AVP 0", "v=0",
    ]

    /// Mostly sound lines, with some bytes or words broken.
    private func text(_ random: inout SplitMix64) -> [UInt8] {
        var lines = ["v=0", "o=- 1 2 IN IP4 192.0.2.1", "s=x", "c=IN IP4 192.0.2.1"]
        for _ in 0..<random.below(12) {
            if random.once(in: 12) {
                let value = (0...random.below(5)).map { _ in random.pick(Self.words) }.joined(separator: " ")
                lines.append("\(random.pick(Array("vosiuepcbtrzkamx")))=\(value)")
            } else {
                let line = random.pick(Self.lines)
                if line != "v=0", !line.hasPrefix("c=") || lines.last?.hasPrefix("m=") == true { lines.append(line) }
            }
        }
        var bytes = Array(lines.map { $0 + (random.once(in: 4) ? "\n" : "\r\n") }.joined().utf8)
        while random.once(in: 3) {
            let at = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes[at] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes.remove(at: at)
            default: bytes.insert(contentsOf: bytes[at...].prefix(random.below(40)), at: random.below(bytes.count))
            }
        }
        return bytes
    }

    @Test("what is written and parsed is the same, and nothing traps", arguments: 1...16 as ClosedRange<UInt64>)
    func fixedPoint(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let address = SocketAddress(ipv4: 0x7f00_0001, port: 4000)
        let origin = SessionDescription.Origin(sessionID: 1, version: 1, address: .init(address))
        var understood = 0
        for round in 0..<400 {
            let bytes = text(&random)
            guard let first = attempt({ () throws(SDPFault) in try SessionDescription(bytes) }) else { continue }
            understood += 1
            let written = first.bytes
            guard let second = attempt({ () throws(SDPFault) in try SessionDescription(written) }) else {
                Issue.record("seed \(seed), round \(round): written and not read")
                continue
            }
            // Lines that are only kept may change their places between each other, once.
            var sorted = first
            sorted.otherLines = second.otherLines
            for index in sorted.media.indices { sorted.media[index].otherLines = second.media[index].otherLines }
            if sorted != second || second.bytes != written { Issue.record("seed \(seed), round \(round)") }
            if let (answer, _) = attempt({ () throws(OfferAnswerFault) in
                try first.audioAnswer(receivingAt: address, origin: origin)
            }) {
                let isSound =
                    answer.media.count == first.media.count
                    && attempt({ () throws(SDPFault) in try SessionDescription(answer.bytes) }) == answer
                    && attempt({ () throws(OfferAnswerFault) in try AudioAgreement(offer: answer, answer: answer) })
                        != nil
                if !isSound { Issue.record("seed \(seed), round \(round): answer") }
            }
        }
        #expect(understood > 100)
    }
}
