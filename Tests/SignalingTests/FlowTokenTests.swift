import SIP
import TestSupport
import Testing

@testable import Signaling

@Suite("Flow tokens") struct FlowTokenTests {
    private static let key = KeyedHash.Key([UInt8](repeating: 7, count: 32))

    private func token(_ number: Int) -> FlowToken {
        FlowToken(
            caller: FlowID(slot: number, serial: UInt64(number) + 1),
            callee: FlowID(slot: number * 3 + 1, serial: UInt64(number) + 2)
        )
    }

    @Test("are read as they were made, by this life of this node only")
    func roundTrip() {
        let tokens = FlowTokens(Self.key, epoch: 5)
        var texts: [[UInt8]] = []
        for number in 0..<1000 {
            var text: [UInt8] = []
            tokens.append(token(number), to: &text)
            texts.append(text)
            #expect(text.count == 43)
            #expect(tokens.read(text, text.indices) == token(number))
        }
        let fresh = FlowTokens(Self.key, epoch: 5)
        let other = FlowTokens(Self.key, epoch: 6)
        let stranger = FlowTokens(KeyedHash.Key([UInt8](repeating: 8, count: 32)), epoch: 5)
        for (number, text) in texts.enumerated() {
            #expect(tokens.read(text, text.indices) == token(number))
            #expect(fresh.read(text, text.indices) == token(number))
            #expect(other.read(text, text.indices) == nil && stranger.read(text, text.indices) == nil)
        }
    }

    @Test("with any character changed are nobody's, and spoil nothing for the true one")
    func forged() {
        let tokens = FlowTokens(Self.key, epoch: 5)
        var text: [UInt8] = []
        tokens.append(token(1), to: &text)
        for index in text.indices {
            var forged = text
            // Another letter of the alphabet, with other high bits: the last character has two that mean nothing.
            forged[index] = forged[index] == UInt8(ascii: "A") ? UInt8(ascii: "z") : UInt8(ascii: "A")
            #expect(tokens.read(forged, forged.indices) == nil)
            #expect(tokens.read(text, text.indices) == token(1))
        }
    }
}
