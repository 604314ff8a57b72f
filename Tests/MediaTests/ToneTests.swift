import Media
import SIP
import TestSupport
import Testing

@Suite("Tones")
struct ToneTests {
    /// What is heard in a second of a tone with noise, through a codec.
    private func heard(
        _ frequency: Double,
        amplitude: Int16 = 8192,
        noise: Int = 0,
        codec: AudioCodec = .pcmu,
        seed: UInt64 = 1
    ) -> [ToneDetector.Tone] {
        var random = SplitMix64(seed: seed)
        var source = ToneSource(frequency: frequency, amplitude: amplitude)
        var detector = ToneDetector(frequencies: [440, 660, 880])
        for _ in 0..<8000 {
            let sample = Int(source.next()) + random.below(2 * noise + 1) - noise
            detector.hear(codec.decode(codec.encode(Int16(clamping: sample))))
        }
        return detector.heard
    }

    @Test("each is told from the others, in both codecs", arguments: AudioCodec.allCases)
    func told(codec: AudioCodec) throws {
        for frequency in [440.0, 660, 880] {
            let tone = try #require(heard(frequency, codec: codec).first)
            #expect(tone.frequency == frequency && tone.seconds == 1 && tone.share > 0.99)
        }
    }

    @Test("noise takes its share of the energy and no more", arguments: 1...5 as ClosedRange<UInt64>)
    func noise(seed: UInt64) throws {
        // Evenly spread noise has a third of its peak's energy, a sine half.
        let tones = heard(660, noise: 6000, seed: seed)
        let tone = try #require(tones.first)
        #expect(tones.count == 1 && tone.frequency == 660 && tone.seconds == 1)
        #expect(tone.share > 0.6 && tone.share < 0.85)
        #expect(heard(660, amplitude: 0, noise: 6000, seed: seed).isEmpty)
    }

    @Test("silence, hum and other tones are none of them")
    func silence() {
        #expect(heard(440, amplitude: 0).isEmpty)
        #expect(heard(440, amplitude: 40).isEmpty)
        #expect(heard(1000).isEmpty && heard(500).isEmpty && heard(.nan).isEmpty)
        #expect(ToneDetector(frequencies: []).heard.isEmpty)
    }

    @Test("tones after each other are timed, the longest first")
    func timed() {
        var detector = ToneDetector(frequencies: [440, 660])
        for (frequency, samples) in [(440.0, 1600), (660, 4000), (440, 800)] {
            var source = ToneSource(frequency: frequency)
            for _ in 0..<samples { detector.hear(source.next()) }
        }
        #expect(detector.heard.map(\.frequency) == [660, 440])
        #expect(detector.heard.map(\.seconds) == [0.5, 0.3])
    }
}
