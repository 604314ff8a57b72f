import Glibc

/// Tells which tones of a set are in a sound, and for how long.
///
/// Each window is measured by Goertzel's algorithm at each frequency, and counts as the strongest tone when that holds
/// most of the window's energy. Frequencies that are a multiple of 20 Hz apart are told apart best: they leave nothing
/// in each other's measure.
public struct ToneDetector: Sendable {
    /// A tone that was heard.
    public struct Tone: Hashable, Sendable {
        /// In Hz.
        public var frequency: Double
        /// For how long it was heard in all.
        public var seconds: Double
        /// Its share of the energy while it was heard, 0 to 1.
        public var share: Double
    }

    /// Samples of a window: 50 ms.
    public static let window = 400
    /// The share of the energy that makes a tone heard.
    public static let threshold = 0.5
    /// The mean energy of a sample that is no silence, some 50 dB below full scale.
    public static let floor = 100.0 * 100.0

    /// What is known of one frequency.
    private struct Filter {
        let frequency: Double
        let coefficient: Double
        var last = 0.0
        var beforeLast = 0.0
        var windows = 0
        var shares = 0.0
    }

    private var filters: [Filter]
    private var energy = 0.0
    private var samples = 0

    /// Makes a detector that has heard nothing.
    ///
    /// - Parameter frequencies: what to listen for, in Hz, up to 4000.
    public init(frequencies: [Double]) {
        filters = frequencies.map {
            Filter(frequency: $0, coefficient: 2 * cos(2 * .pi * $0 / ToneSource.rate))
        }
    }

    /// Hears the next sample.
    public mutating func hear(_ sample: Int16) {
        let value = Double(sample)
        energy += value * value
        for index in filters.indices {
            let next = value + filters[index].coefficient * filters[index].last - filters[index].beforeLast
            filters[index].beforeLast = filters[index].last
            filters[index].last = next
        }
        samples += 1
        if samples == Self.window { endWindow() }
    }

    /// The tones that were heard, the longest first.
    public var heard: [Tone] {
        filters.filter { $0.windows > 0 }
            .map { filter in
                let windows = Double(filter.windows)
                let seconds = windows * Double(Self.window) / ToneSource.rate
                return Tone(frequency: filter.frequency, seconds: seconds, share: filter.shares / windows)
            }
            .sorted { $0.seconds > $1.seconds }
    }

    private mutating func endWindow() {
        let count = Double(Self.window)
        var best: (index: Int, share: Double)?
        for index in filters.indices {
            let filter = filters[index]
            let power =
                filter.last * filter.last + filter.beforeLast * filter.beforeLast
                - filter.coefficient * filter.last * filter.beforeLast
            // A sine of amplitude a has the power (a n / 2)^2 here and the energy n a^2 / 2.
            let share = energy > 0 ? min(2 * power / (count * energy), 1) : 0
            if share > best?.share ?? 0 { best = (index, share) }
            filters[index].last = 0
            filters[index].beforeLast = 0
        }
        if let best, best.share >= Self.threshold, energy >= Self.floor * count {
            filters[best.index].windows += 1
            filters[best.index].shares += best.share
        }
        energy = 0
        samples = 0
    }
}
