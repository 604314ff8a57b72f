import Glibc

/// A sine at 8 kHz that never ends.
public struct ToneSource: Sendable {
    /// Samples in a second.
    public static let rate = 8000.0
    /// Samples in a packet: 20 ms.
    public static let frame = 160

    /// Full circles for each sample.
    private let step: Double
    private let amplitude: Double
    /// Where in the circle the next sample is, 0 up to 1.
    private var phase = 0.0

    /// Makes a tone.
    ///
    /// - Parameters:
    ///   - frequency: in Hz, up to 4000.
    ///   - amplitude: of 32767; a quarter is as loud as speech.
    public init(frequency: Double, amplitude: Int16 = 8192) {
        step = frequency / Self.rate
        self.amplitude = Double(amplitude)
    }

    /// The next sample.
    public mutating func next() -> Int16 {
        let sample = amplitude * sin(2 * .pi * phase)
        phase = (phase + step).truncatingRemainder(dividingBy: 1)
        // Out of range, or no number at all, only for a frequency that is none.
        return Int16(exactly: sample.rounded()) ?? 0
    }

    /// The next 20 ms in a codec.
    ///
    /// - Parameters:
    ///   - encode: writes a sample.
    ///   - out: what it is written over.
    mutating func writeFrame(_ encode: (Int16) -> UInt8, to out: inout [UInt8]) {
        out.removeAll(keepingCapacity: true)
        for _ in 0..<Self.frame { out.append(encode(next())) }
    }
}
