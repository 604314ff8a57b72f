import SIP
import TestSupport
import Testing

/// What a stream was cut into.
enum Piece: Equatable, CustomStringConvertible {
    case message([UInt8])
    case ping
    case blankLine
    case fault(FramingFault)
    case rest([UInt8])

    static func message(_ text: String) -> Piece { .message(Array(text.utf8)) }

    var description: String {
        switch self {
        case .message(let bytes): "message(\(String(decoding: bytes.prefix(60), as: UTF8.self)) \(bytes.count))"
        case .ping: "ping"
        case .blankLine: "blankLine"
        case .fault(let fault): "fault(\(fault))"
        case .rest(let bytes): "rest(\(bytes.count))"
        }
    }
}

/// Feeds a stream in cuts of given lengths, and gives back what came out of it.
func cut(_ stream: [UInt8], limits: Limits = Limits(), by lengths: () -> Int) -> [Piece] {
    var pieces: [Piece] = []
    var framer = StreamFramer()
    var unread: [UInt8] = []
    var fed = 0
    var wanted = 0
    while true {
        if unread.count >= wanted {
            let verdict = framer.next(unread.span, limits: limits)
            switch verdict {
            case .incomplete(let missing):
                #expect(missing > 0)
                wanted = unread.count + missing
            case .blankLine: pieces.append(.blankLine)
            case .ping: pieces.append(.ping)
            case .message(let length): pieces.append(.message(Array(unread.prefix(length))))
            case .fault(let fault): return pieces + [.fault(fault)]
            }
            guard case .incomplete = verdict else {
                #expect(verdict.consumed > 0 && verdict.consumed <= unread.count)
                unread.removeFirst(min(verdict.consumed, unread.count))
                wanted = 0
                continue
            }
        }
        guard fed < stream.count else { break }
        let next = min(max(lengths(), 1), stream.count - fed)
        unread += stream[fed..<fed + next]
        fed += next
    }
    return unread.isEmpty ? pieces : pieces + [.rest(unread)]
}

/// Demands the same pieces whole, byte by byte and in random cuts.
private func verify(
    _ text: String,
    _ expected: [Piece],
    limits: Limits = Limits(),
    _ location: SourceLocation = #_sourceLocation
) {
    verify(Array(text.utf8), expected, limits: limits, location)
}

private func verify(
    _ stream: [UInt8],
    _ expected: [Piece]?,
    limits: Limits = Limits(),
    seed: UInt64 = 1,
    _ location: SourceLocation = #_sourceLocation
) {
    let whole = cut(stream, limits: limits) { stream.count }
    if let expected, whole != expected {
        Issue.record("whole: \(whole), expected \(expected)", sourceLocation: location)
    }
    let single = cut(stream, limits: limits) { 1 }
    if single != whole { Issue.record("byte by byte: \(single), whole \(whole)", sourceLocation: location) }
    var random = SplitMix64(seed: seed)
    for _ in 0..<8 {
        let most = UInt64(1) << (random.next() % 10)
        let pieces = cut(stream, limits: limits) { Int(random.next() % most) }
        if pieces != whole {
            Issue.record("random cuts: \(pieces), whole \(whole), seed \(seed)", sourceLocation: location)
        }
    }
}

private func request(_ fields: String, body: String = "", line: String = "OPTIONS sip:a@b SIP/2.0") -> String {
    "\(line)\r\n\(fields)\r\n\r\n\(body)"
}

@Suite("Stream framer")
struct StreamFramerTests {
    @Test(
        "every way to write the length of a body is read",
        arguments: [
            ("Content-Length: 4", "body"), ("content-LENGTH:4", "body"), ("l: 4", "body"), ("L \t :\t 4 \t", "body"),
            ("Content-Length  : 0004", "body"), ("Content-Length:\r\n 4", "body"), ("l:\r\n\t\r\n 4\r\n ", "body"),
            ("Content-Length\r\n : 4", "body"), ("Content-Length: 0", ""), ("l: 4\r\nContent-Length: 04", "body"),
            ("Via: x\r\nl: 4\r\nTo: y", "body"), ("X-Content-Length: 9\r\nl: 4", "body"),
            ("Content-Lengthy: 9\r\nl: 4", "body"), ("Subject: x\r\n Content-Length: 9\r\nl: 4", "body"),
            ("Content-Type: a/b\r\nl: 4", "\r\n\r\n"), ("Call-ID: x\r\nLx: 7\r\nl: 4", "l: 7"),
            ("l: 4\r\nX: a\rb\nc", "body"),
            ("Content\rLength: 9\r\nl: 4", "body"), ("Content-Length 9\r\nl: 4", "body"), ("l\r\nl: 4", "body"),
        ]
    )
    func contentLength(fields: String, body: String) {
        let message = request(fields, body: body)
        verify(message, [.message(message)])
        verify(message + message, [.message(message), .message(message)])
    }

    @Test(
        "every start line that may be SIP is framed",
        arguments: [
            "OPTIONS sip:a@b SIP/2.0", "OPTIONS sip:a@b sip/2.0", "INVITE sip:a@b SIP/7.0", "SIP/2.0 200 OK",
            "SIP/2.0 200 ", "sip/2.0 4294967301 better not", "SIP sip:a@b SIP/2.0", "INVITE  sip:a@b  SIP/2.0",
            "INVITE sip:a@b;x=y; lr SIP/2.0", "OPTIONS sip:a@b SIP/2.0  ", "OPTIONS <sip:a@b> SIP/2.0",
            "!interesting-Method0123456789_*+`.%indeed'~ sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@b SIP/2.0",
            "SIP/2.0 200 = 2**3 * 5**2 \u{43d}\u{43e}", "REGISTER sip:b SIP/2.0\t",
        ]
    )
    func startLines(line: String) {
        let message = request("l: 2", body: "ab", line: line)
        verify(message, [.message(message)])
    }

    @Test(
        "what is not SIP is told as early as it can be",
        arguments: [
            "\u{16}", "GET / HTTP/1.1\r\n", "\n", " ", "\rX", "{", "INVITE\r", "INVITE\t", "SIP:", "HTTP/",
            "SIPS/", "A/", "/", "OPTIONS sip:a@b\r\n", "OPTIONS sip:a@b SIP/2.0\n", "OPTIONS sip:a@b SIP/2.0\rX",
            "OPTIONS sip:a@b SIP/\r\n", "OPTIONS sip:a@b SIP/x.0\r\n", "OPTIONS sip:a@b XIP/2.0\r\n", "SIP/2.0 OK\r\n",
            "SIP/2.0\r\n", "SIP/2.0  \r\n", "OPTIONS SIP/2.0x\r\n", "OPTIONS sip:\0", "\u{7f}",
            "SSH-2.0-OpenSSH_9.2p1\r",
            "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
        ]
    )
    func notSIP(stream: String) {
        verify(stream, [.fault(.notSIP)])
        let good = request("l: 0")
        verify(good + "\r\n\r\n" + stream, [.message(good), .blankLine, .ping, .fault(.notSIP)])
        var framer = StreamFramer()
        let early = framer.next(Array(stream.utf8.dropLast()).span, limits: Limits())
        if case .incomplete = early {} else { Issue.record("told before the last byte: \(early)") }
    }

    @Test(
        "a length that can't be trusted is a fault",
        arguments: [
            ("Via: x", FramingFault.contentLengthMissing), ("X-Content-Length: 1", .contentLengthMissing),
            ("Content-Length 5", .contentLengthMissing), ("Content-Length:", .contentLengthInvalid),
            ("l: -1", .contentLengthInvalid), ("l: +1", .contentLengthInvalid), ("l: 1a", .contentLengthInvalid),
            ("l: 1 1", .contentLengthInvalid), ("l: 1, 1", .contentLengthInvalid), ("l: 0x1", .contentLengthInvalid),
            ("l: 1\r\nContent-Length: 2", .contentLengthInvalid), ("l: x\r\nl: 1", .contentLengthInvalid),
            ("l: 1\r\nl: x\r\nl: 1", .contentLengthInvalid), ("l: \n1", .contentLengthInvalid),
            ("l: 65537", .bodyTooLong), ("l: 99999999999999999999999999999999", .bodyTooLong),
            ("l: 9223372036854775807", .bodyTooLong), ("l: 18446744073709551620", .bodyTooLong),
        ]
    )
    func lengthFaults(fields: String, fault: FramingFault) {
        verify(request(fields), [.fault(fault)])
    }

    @Test("pings, pongs and padding")
    func keepAlives() {
        let message = request("l: 3", body: "abc")
        verify("\r\n\r\n", [.blankLine, .ping])
        verify("\r\n", [.blankLine])
        verify("\r", [.rest([13])])
        verify("\r\n\r\n\r\n", [.blankLine, .ping, .blankLine])
        verify("\r\n\r\n\r\n\r\n", [.blankLine, .ping, .blankLine, .ping])
        verify("\r\n" + message, [.blankLine, .message(message)])
        verify("\r\n\r\n" + message + "\r\n\r\n", [.blankLine, .ping, .message(message), .blankLine, .ping])
        verify("\r\n" + message + "\r\n", [.blankLine, .message(message), .blankLine])
    }

    @Test("half a ping is remembered by one bit")
    func halfPing() {
        var framer = StreamFramer()
        let first = framer.next(Array("\r\n".utf8).span, limits: Limits())
        var later = StreamFramer(isAfterBlankLine: framer.isAfterBlankLine)
        let second = later.next(Array("\r\n".utf8).span, limits: Limits())
        #expect(first == .blankLine)
        #expect(second == .ping)
        #expect(!later.isAfterBlankLine)
    }

    @Test("limits hold to the byte")
    func limits() {
        let message = request("Via: 12\r\nl: 3", body: "abc")
        let line = "OPTIONS sip:a@b SIP/2.0".utf8.count
        let section = message.utf8.count - 3
        var limits = Limits()
        limits.startLine = line
        limits.headerSection = section
        limits.body = 3
        verify(message, [.message(message)], limits: limits)
        limits.body = 2
        verify(message, [.fault(.bodyTooLong)], limits: limits)
        for shorter in line + 2..<section {
            limits.headerSection = shorter
            verify(message, [.fault(.headerSectionTooLong)], limits: limits)
        }
        limits.startLine = line - 1
        verify(message, [.fault(.startLineTooLong)], limits: limits)
        limits.startLine = 3
        verify(message, [.fault(.startLineTooLong)], limits: limits)
        limits.startLine = 0
        verify(message, [.fault(.startLineTooLong)], limits: limits)
        limits = Limits()
        for shorter in [-1, 0, 1, 2, line] {
            limits.headerSection = shorter
            verify(message, [.fault(.headerSectionTooLong)], limits: limits)
        }
        limits.body = .max
        limits.headerSection = .max
        verify(request("l: 9223372036854775807"), [.fault(.bodyTooLong)], limits: limits)
    }

    @Test("a message that is known to be long says how much is missing")
    func missing() {
        var framer = StreamFramer()
        let verdict = framer.next(Array(request("l: 100", body: "abc").utf8).span, limits: Limits())
        #expect(verdict == .incomplete(missing: 97))
    }

    @Test("many messages in one stream come out the same however it is cut", arguments: [1, 2, 3, 4] as [UInt64])
    func pipelined(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var stream: [UInt8] = []
        var expected: [Piece] = []
        for _ in 0..<200 {
            if random.next() % 4 == 0 {
                stream += "\r\n\r\n".utf8
                expected += [.blankLine, .ping]
                continue
            }
            let body = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let padding = String(repeating: "x", count: Int(random.next() % 90))
            let head = request("Via: \(padding)\r\n \(padding)\r\nContent-Length: \(body.count)\r\nTo: \(padding)")
            let message = Array(head.utf8) + body
            stream += message
            expected.append(.message(message))
        }
        verify(stream, expected, seed: seed)
    }

    @Test("noise never traps, and is cut the same however it comes", arguments: 0..<400 as Range<UInt64>)
    func noise(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let words = [
            "\r\n", "\r", "\n", " ", "\t", ":", "l", "L", "Content-Length", "content-length:", "l: 5", "9", "0",
            "OPTIONS sip:a@b SIP/2.0\r\n", "SIP/2.0 200 OK\r\n", "\r\n\r\n", "X", "-", "99999999999999999999", "\0",
        ]
        var stream: [UInt8] = seed % 4 == 0 ? [] : Array(words[13 + Int(seed % 2)].utf8)
        for _ in 0..<random.next() % 60 {
            if seed % 3 == 0, random.next() % 8 == 0 {
                stream.append(UInt8(truncatingIfNeeded: random.next()))
            } else {
                stream += words[Int(random.next() % UInt64(words.count))].utf8
            }
        }
        var limits = Limits()
        if seed % 5 == 0 {
            limits.startLine = Int(random.next() % 40)
            limits.headerSection = Int(random.next() % 120)
            limits.body = Int(random.next() % 20)
        }
        verify(stream, nil, limits: limits, seed: seed)
    }
}
