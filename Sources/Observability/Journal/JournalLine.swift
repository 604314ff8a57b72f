/// Writes lines of the call journal: what happened to a call, step by step.
///
/// `at=2026-11-21T03:16:00.123Z call-id="..." step=fork branch=2 contact="..."`, appended to a byte array without making
/// any `String`. A line is begun, given fields, and ended. The caller leaves out what is secret.
public enum JournalLine {
    static let atKey: StaticString = "at="
    static let callIDKey: StaticString = " call-id="

    /// Begins a line.
    ///
    /// - Parameters:
    ///   - wall: when it happened, in milliseconds since 1970-01-01 00:00 UTC.
    ///   - times: writes the time.
    ///   - callID: which call.
    ///   - step: what happened, one word.
    ///   - out: where to.
    public static func begin(
        wall: Int64,
        _ times: inout TimestampWriter,
        callID: Span<UInt8>,
        step: StaticString,
        to out: inout [UInt8]
    ) {
        append(atKey, to: &out)
        times.append(wall, to: &out)
        append(callIDKey, to: &out)
        Escaping.appendQuoted(bytes: callID, to: &out)
        append(" step=", to: &out)
        append(step, to: &out)
    }

    /// Adds bytes, quoted.
    public static func add(_ key: StaticString, _ value: Span<UInt8>, to out: inout [UInt8]) {
        append(key: key, to: &out)
        Escaping.appendQuoted(bytes: value, to: &out)
    }

    /// Adds bytes, quoted.
    public static func add(_ key: StaticString, _ value: [UInt8], to out: inout [UInt8]) {
        add(key, value.span, to: &out)
    }

    /// Adds a number.
    public static func add(_ key: StaticString, _ value: some FixedWidthInteger, to out: inout [UInt8]) {
        append(key: key, to: &out)
        append(decimal: value, to: &out)
    }

    /// Adds words of the program, quoted.
    public static func add(_ key: StaticString, words: StaticString, to out: inout [UInt8]) {
        append(key: key, to: &out)
        out.append(UInt8(ascii: "\""))
        append(words, to: &out)
        out.append(UInt8(ascii: "\""))
    }

    /// Adds a word of the program, which needs no quotes.
    public static func add(_ key: StaticString, _ word: StaticString, to out: inout [UInt8]) {
        append(key: key, to: &out)
        append(word, to: &out)
    }

    /// Ends the line.
    public static func end(_ out: inout [UInt8]) {
        out.append(UInt8(ascii: "\n"))
    }

    private static func append(key: StaticString, to out: inout [UInt8]) {
        out.append(UInt8(ascii: " "))
        append(key, to: &out)
        out.append(UInt8(ascii: "="))
    }

    static func append(decimal value: some FixedWidthInteger, to out: inout [UInt8]) {
        if value < 0 { out.append(UInt8(ascii: "-")) }
        var rest = UInt64(clamping: value.magnitude)
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var at = digits.count
            repeat {
                at -= 1
                digits[at] = UInt8(truncatingIfNeeded: rest % 10) &+ 0x30
                rest /= 10
            } while rest > 0
            out.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[at...]))
        }
    }

    static func append(_ text: StaticString, to out: inout [UInt8]) {
        text.withUTF8Buffer { out.append(contentsOf: $0) }
    }
}
