/// Wall time as text: `2026-11-21T03:16:00.123Z` (RFC 3339, UTC, milliseconds, always 24 bytes).
public enum Timestamp {
    /// Bytes of a timestamp.
    public static let length = 24

    private static let millisecondsPerDay: Int64 = 86_400_000
    /// 0000-01-01 and 9999-12-31T23:59:59.999: what four digits of a year can say.
    fileprivate static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    /// Appends a time as text.
    ///
    /// - Parameters:
    ///   - wall: milliseconds since 1970-01-01 00:00 UTC; what is outside the years 0 to 9999 is cut to them.
    ///   - out: where to.
    public static func append(_ wall: Int64, to out: inout [UInt8]) {
        let wall = min(max(wall, range.lowerBound), range.upperBound)
        let day = (wall >= 0 ? wall : wall - (millisecondsPerDay - 1)) / millisecondsPerDay
        let time = wall - day * millisecondsPerDay
        let date = civil(fromDays: day)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { text in
            _ = text.initialize(from: "0000-00-00T00:00:00.000Z".utf8)
            write(date.year, digits: 4, at: 0, in: text)
            write(date.month, digits: 2, at: 5, in: text)
            write(date.day, digits: 2, at: 8, in: text)
            write(time / 3_600_000, digits: 2, at: 11, in: text)
            write(time / 60_000 % 60, digits: 2, at: 14, in: text)
            write(time / 1_000 % 60, digits: 2, at: 17, in: text)
            write(time % 1_000, digits: 3, at: 20, in: text)
            out.append(contentsOf: text)
        }
    }

    /// A time as text.
    public static func text(_ wall: Int64) -> String {
        var out: [UInt8] = []
        append(wall, to: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Reads what `append` wrote; nil when it is anything else.
    public static func parse(_ text: some Collection<UInt8>) -> Int64? {
        guard text.count == length else { return nil }
        var numbers: [Int64] = [0]
        for (byte, expected) in zip(text, "dddd-dd-ddTdd:dd:dd.dddZ".utf8) {
            if expected == UInt8(ascii: "d") {
                guard 0x30...0x39 ~= byte else { return nil }
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int64(byte - 0x30)
            } else {
                guard byte == expected else { return nil }
                numbers.append(0)
            }
        }
        guard 1...12 ~= numbers[1], 1...31 ~= numbers[2] else { return nil }
        let clock = ((numbers[3] * 60 + numbers[4]) * 60 + numbers[5]) * 1_000 + numbers[6]
        return days(year: numbers[0], month: numbers[1], day: numbers[2]) * millisecondsPerDay + clock
    }

    /// The date of a day, counted from 1970-01-01, in the Gregorian calendar.
    ///
    /// Years begin in March here, so that the day that comes and goes is the last of a year (Howard Hinnant's
    /// `civil_from_days`); an era is 400 years, after which the calendar repeats.
    static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    /// The day of a date, counted from 1970-01-01.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func write(_ value: Int64, digits: Int, at start: Int, in text: UnsafeMutableBufferPointer<UInt8>) {
        var rest = UInt32(truncatingIfNeeded: value)
        for position in (start..<start + digits).reversed() {
            text[position] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
            rest /= 10
        }
    }
}

/// Writes times one behind the other: within a second only the fraction is made anew.
public struct TimestampWriter: Sendable {
    private var second = Int64.min
    /// A time within the second.
    private var text: [UInt8] = []

    /// Has written nothing yet.
    public init() {}

    /// Appends a time as `Timestamp` does.
    ///
    /// - Parameters:
    ///   - wall: milliseconds since 1970-01-01 00:00 UTC.
    ///   - out: where to.
    public mutating func append(_ wall: Int64, to out: inout [UInt8]) {
        guard wall >= 0, wall / 1000 == second else {
            second = wall >= 0 && wall <= Timestamp.range.upperBound ? wall / 1000 : .min
            text.removeAll(keepingCapacity: true)
            Timestamp.append(wall, to: &text)
            return out.append(contentsOf: text)
        }
        let fraction = UInt32(truncatingIfNeeded: wall % 1000)
        let start = out.count + 20
        out.append(contentsOf: text)
        out[start] = UInt8(truncatingIfNeeded: fraction / 100) &+ 0x30
        out[start + 1] = UInt8(truncatingIfNeeded: fraction / 10 % 10) &+ 0x30
        out[start + 2] = UInt8(truncatingIfNeeded: fraction % 10) &+ 0x30
    }
}
