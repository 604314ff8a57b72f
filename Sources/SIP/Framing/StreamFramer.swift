/// Cuts a byte stream into SIP messages and keep-alives (RFC 3261 sections 7.5 and 18.3, RFC 5626 section 3.5.1).
///
/// The caller hands over what it has not consumed yet, consumes what the verdict says, and asks again. While a message
/// is incomplete the framer remembers how far it has looked, so a message that comes byte by byte is looked at once.
/// Lines end in CRLF; the first line must look like SIP as soon as it can be told, so TLS, HTTP and noise end early.
///
/// Between messages only `isAfterBlankLine` is to be remembered; an idle connection needs no framer.
public struct StreamFramer: Sendable {
    /// What stands at the beginning of the bytes.
    public enum Verdict: Hashable, Sendable {
        /// Not whole yet; at least so many more bytes are wanted.
        case incomplete(missing: Int)
        /// A line end outside of messages: half a ping, a pong, or padding. Consume two bytes.
        case blankLine
        /// The second line end in a row: a ping, to be answered by one CRLF. Consume two bytes.
        case ping
        /// A whole message of so many bytes, which are to be consumed.
        case message(length: Int)
        /// The stream can't be cut any further.
        case fault(FramingFault)

        /// How many bytes are to be consumed.
        public var consumed: Int {
            switch self {
            case .incomplete, .fault: 0
            case .blankLine, .ping: 2
            case .message(let length): length
            }
        }
    }

    private enum Phase: UInt8 {
        /// Nothing is known.
        case start
        /// In the first word of the start line.
        case firstWord
        /// In the rest of a request line.
        case requestLine
        /// In the rest of a status line.
        case statusLine
        /// In the header section.
        case header
        /// The length is known.
        case body
    }

    /// Whether the last thing in the stream was a line end that may be the first half of a ping.
    public private(set) var isAfterBlankLine: Bool
    private var phase = Phase.start
    /// All before this has been looked at.
    private var scanned = 0
    /// Where the header line that `scanned` is in begins.
    private var lineStart = 0
    private var contentLength = ContentLength.missing
    /// The length of the message, once the phase is `body`.
    private var total = 0

    /// A framer that stands between two messages.
    ///
    /// - Parameter isAfterBlankLine: what the last framer of this stream said.
    public init(isAfterBlankLine: Bool = false) {
        self.isAfterBlankLine = isAfterBlankLine
    }

    /// Judges what the unread bytes begin with.
    ///
    /// - Parameters:
    ///   - bytes: all bytes from the end of what was consumed last; while the verdict is `incomplete`, the same bytes
    ///     again and more behind them.
    ///   - limits: bounds on start line, header section and body; the same for the whole stream.
    /// - Returns: what there is, and by that how many bytes are to be consumed.
    public mutating func next(_ bytes: Span<UInt8>, limits: Limits) -> Verdict {
        if phase == .start, let verdict = begin(bytes) { return verdict }
        if phase == .firstWord, let verdict = scanFirstWord(bytes, limits) { return verdict }
        if phase == .requestLine || phase == .statusLine, let verdict = scanStartLine(bytes, limits) { return verdict }
        if phase == .header, let verdict = scanHeader(bytes, limits) { return verdict }
        guard bytes.count >= total else { return .incomplete(missing: total &- bytes.count) }
        let length = total
        self = StreamFramer()
        return .message(length: length)
    }

    /// Tells line ends from messages.
    private mutating func begin(_ bytes: Span<UInt8>) -> Verdict? {
        guard !bytes.isEmpty else { return .incomplete(missing: 1) }
        guard bytes[0] == StreamByte.cr else {
            phase = .firstWord
            return nil
        }
        guard bytes.count > 1 else { return .incomplete(missing: 1) }
        guard bytes[1] == StreamByte.lf else { return .fault(.notSIP) }
        isAfterBlankLine.toggle()
        return isAfterBlankLine ? .blankLine : .ping
    }

    /// A method is a token and ends in a space; a status line begins with `SIP/`.
    private mutating func scanFirstWord(_ bytes: Span<UInt8>, _ limits: Limits) -> Verdict? {
        var index = scanned
        while index < bytes.count {
            let byte = bytes[index]
            if StreamByte.isToken(byte) {
                if let fault = Self.startLineFault(at: index, limits) { return .fault(fault) }
                index &+= 1
                continue
            }
            guard index > 0 else { return .fault(.notSIP) }
            if byte == StreamByte.space {
                phase = .requestLine
            } else if byte == StreamByte.slash, index == 3, StreamByte.isSIP(bytes, at: 0) {
                phase = .statusLine
            } else {
                return .fault(.notSIP)
            }
            scanned = index
            return nil
        }
        scanned = index
        return .incomplete(missing: 1)
    }

    private mutating func scanStartLine(_ bytes: Span<UInt8>, _ limits: Limits) -> Verdict? {
        let end = bytes.endOfText(from: scanned, to: Swift.min(limits.startLine, limits.headerSection))
        scanned = end
        guard end < bytes.count else { return .incomplete(missing: 1) }
        guard bytes[end] == StreamByte.cr else { return .fault(Self.startLineFault(at: end, limits) ?? .notSIP) }
        guard end &+ 1 < bytes.count else { return .incomplete(missing: 1) }
        let line = bytes.extracting(0..<end)
        let isSIP = phase == .statusLine ? StreamByte.isStatusLine(line) : StreamByte.isRequestLine(line)
        guard bytes[end &+ 1] == StreamByte.lf, isSIP else { return .fault(.notSIP) }
        phase = .header
        scanned = end &+ 2
        lineStart = end &+ 2
        return nil
    }

    /// Walks the header section line by line, up to the empty line.
    ///
    /// A fault of Content-Length is told at the end of the section, so that the answer can be made from all of it.
    private mutating func scanHeader(_ bytes: Span<UInt8>, _ limits: Limits) -> Verdict? {
        let limit = limits.headerSection
        var from = scanned
        var start = lineStart
        while let lineEnd = bytes.firstIndex(of: StreamByte.cr, from: from, to: limit) {
            // The line feed, and the first byte of the next line, which may continue this one.
            if lineEnd >= limit &- 1 { return .fault(.headerSectionTooLong) }
            let next = lineEnd &+ 2
            guard next <= bytes.count else { return pause(at: lineEnd, in: start) }
            guard bytes[lineEnd &+ 1] == StreamByte.lf else {
                from = lineEnd &+ 1
                continue
            }
            if lineEnd == start { return finishHeader(at: next, limits) }
            if next >= limit { return .fault(.headerSectionTooLong) }
            guard next < bytes.count else { return pause(at: lineEnd, in: start) }
            from = next
            if StreamByte.isBlank(bytes[next]) { continue }
            contentLength.read(bytes, start..<lineEnd)
            start = next
        }
        if bytes.count >= limit { return .fault(.headerSectionTooLong) }
        return pause(at: Swift.max(from, bytes.count), in: start)
    }

    /// Remembers how far the header section has been looked at.
    private mutating func pause(at place: Int, in line: Int) -> Verdict {
        scanned = place
        lineStart = line
        return .incomplete(missing: 1)
    }

    private mutating func finishHeader(at end: Int, _ limits: Limits) -> Verdict? {
        switch contentLength {
        case .missing: return .fault(.contentLengthMissing)
        case .invalid: return .fault(.contentLengthInvalid)
        case .value(let length):
            let (sum, overflow) = end.addingReportingOverflow(length)
            guard length <= limits.body, !overflow else { return .fault(.bodyTooLong) }
            phase = .body
            total = sum
            return nil
        }
    }

    /// The fault of a start line that has a byte at `index`.
    private static func startLineFault(at index: Int, _ limits: Limits) -> FramingFault? {
        if index >= limits.startLine { return .startLineTooLong }
        return index >= limits.headerSection ? .headerSectionTooLong : nil
    }
}
