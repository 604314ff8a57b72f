import SIP
import Testing

@testable import Signaling

@Suite("Short proofs") struct ShortMACTests {
    /// Bytes that count up from 0, as numbers, the lowest byte first.
    private static let words: InlineArray<3, UInt64> = [
        0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908, 0x1716_1514_1312_1110,
    ]
    private static let mac = ShortMAC(KeyedHash.Key(Array(0..<16)))

    /// The 16 bytes of a proof as the standard writes them.
    private func text(_ proof: (high: UInt64, low: UInt64)) -> [UInt8] {
        var text: [UInt8] = []
        text.append(bigEndian: proof.high.byteSwapped, bytes: 8)
        text.append(bigEndian: proof.low.byteSwapped, bytes: 8)
        return text
    }

    @Test("are those of SipHash-2-4 with 128 bits, as OpenSSL makes them")
    func vectors() {
        var none: [UInt8] = []
        none.append(bigEndian: 0xa381_7f04_ba25_a8e6, bytes: 8)
        none.append(bigEndian: 0x6df6_7214_c755_0293, bytes: 8)
        #expect(text(Self.mac.proof(of: [])) == none)
        var two: [UInt8] = []
        two.append(bigEndian: 0x6ee2_a4ca_67b0_54bb, bytes: 8)
        two.append(bigEndian: 0xfd33_15bf_8523_0577, bytes: 8)
        #expect(text(Self.mac.proof(of: [Self.words[0], Self.words[1]])) == two)
        var three: [UInt8] = []
        three.append(bigEndian: 0x2db4_79ae_78bd_50d8, bytes: 8)
        three.append(bigEndian: 0x882a_8a17_8a61_32ad, bytes: 8)
        #expect(text(Self.mac.proof(of: Self.words)) == three)
    }

    @Test("of a nonce hold for it, and for none with any character changed")
    func nonces() {
        let nonces = Nonces(KeyedHash.Key([UInt8](repeating: 7, count: 32)))
        var text: [UInt8] = []
        nonces.append(Nonce(issued: 1_700_000_000_000, id: 0x1234_5678_9abc_def0), to: &text)
        let read = nonces.read(text, text.indices)
        #expect(read?.issued == 1_700_000_000_000 && read?.id == 0x1234_5678_9abc_def0)
        for index in text.indices {
            var forged = text
            forged[index] = forged[index] == UInt8(ascii: "A") ? UInt8(ascii: "z") : UInt8(ascii: "A")
            #expect(nonces.read(forged, forged.indices) == nil)
        }
        #expect(Nonces(KeyedHash.Key([UInt8](repeating: 8, count: 32))).read(text, text.indices) == nil)
    }

    @Test("of a temporary GRUU give its serial back, and hide it anew each time")
    func gruus() {
        let gruus = TemporaryGRUUs(KeyedHash.Key([UInt8](repeating: 7, count: 32)))
        var texts: [[UInt8]] = []
        for random in 1...20 as ClosedRange<UInt64> {
            var text: [UInt8] = []
            gruus.append(serial: 42, random: random, to: &text)
            #expect(gruus.serial(ByteString(text)) == 42)
            for index in text.indices {
                var forged = text
                forged[index] = forged[index] == UInt8(ascii: "A") ? UInt8(ascii: "z") : UInt8(ascii: "A")
                #expect(gruus.serial(ByteString(forged)) == nil)
            }
            texts.append(text)
        }
        #expect(Set(texts).count == 20)
    }
}
