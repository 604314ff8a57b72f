import TestSupport
import Testing

@testable import SIP

/// Messages made worse at random: the torture corpus with bytes flipped, cut, doubled and put in.
private struct Mutator {
    private let corpus: [[UInt8]]
    private var random: SplitMix64
    private static let specials: [String] = [
        "\r\n", "\r", "\n", "\r\n ", "\r\n\r\n", "\0", "\"", "\\", "\\\"", "<", ">", "<>", ";", "=", ";=", ",", ":",
        "::",
        ":::", "@", "%", "%4", "%00", "%zz", "[", "]", "[::]", "?", "&", "*", "/", "SIP/2.0", "sip:", "sips:", "tel:+1",
        "z9hG4bK", "99999999999999999999", "-1", "4294967296", "\u{7f}", "\u{ff}", "\u{fffd}", "l: ", "v: ", "m: *",
        "q=1.",
        ";rport", ";keep", ";received=", ";branch=", ";reg-id=", ";+sip.instance=\"<\"", ";expires=",
        "\r\nVia: SIP/2.0/TCP [", "\r\nContact: \"", "\r\nAuthorization: Digest username=\"", "\r\nPrivacy: ;id;",
        "\r\nReason: ;", "\r\nRetry-After: (", "\r\nRoute: <sip:a;lr>,", "\r\nExpires: ", "\r\nCSeq: 4294967296 ",
    ]

    init(seed: UInt64) throws {
        corpus = try Torture.all()
        random = SplitMix64(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = random.pick(corpus)
        for _ in 0...random.below(6) where !bytes.isEmpty { mutate(&bytes) }
        return bytes
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let at = random.below(bytes.count)
        let end = min(at + random.below(1 << random.below(8)), bytes.count)
        switch random.below(8) {
        case 0: bytes[at] ^= 1 << UInt8(random.below(8))
        case 1: bytes[at] = UInt8(truncatingIfNeeded: random.next())
        case 2: bytes.removeSubrange(at..<end)
        case 3: bytes.insert(contentsOf: bytes[at..<end], at: random.below(bytes.count))
        case 4: bytes.removeSubrange(at...)
        case 5: doubleLine(&bytes, at)
        case 6:
            let other = random.pick(corpus)
            bytes.replaceSubrange(at..<end, with: other[random.below(other.count)...].prefix(random.below(60)))
        default: bytes.insert(contentsOf: random.pick(Self.specials).utf8, at: at)
        }
    }

    private mutating func doubleLine(_ bytes: inout [UInt8], _ at: Int) {
        guard let start = bytes[..<at].lastIndex(of: 10), let end = bytes[at...].firstIndex(of: 10) else { return }
        bytes.insert(contentsOf: bytes[(start + 1)...end], at: start + 1)
    }
}

@Suite("Properties of the language")
struct PropertyTests {
    @Test("nothing that comes in traps, or reaches beyond its message", arguments: 1...40 as ClosedRange<UInt64>)
    func mutated(seed: UInt64) throws {
        var mutator = try Mutator(seed: seed)
        for round in 0..<120 {
            let bytes = mutator.next()
            _ = cut(bytes) { bytes.count }
            let reader = MessageReader(Message(bytes))
            if !reader.strays.isEmpty { Issue.record("seed \(seed), round \(round): \(reader.strays)") }
        }
    }

    @Test("what is parsed, written and parsed again is the same", arguments: 1...8 as ClosedRange<UInt64>)
    func fixedPoint(seed: UInt64) throws {
        var mutator = try Mutator(seed: seed &+ 1000)
        for round in 0..<120 {
            let first = Message(mutator.next())
            var written: [UInt8] = []
            MessageEdits().apply(to: first, &written)
            let isSame = written == Array(first.bytes[..<first.body.upperBound])
            let second = Message(written)
            let index = [first, second].map { message in
                message.fields.map { "\($0.name) \($0.nameRange) \($0.value) \($0.line)" }
                    + ["\(message.startLine) \(message.body) \(String(describing: message.fault)) \(message.method)"]
            }
            if !isSame || index[0] != index[1] { Issue.record("seed \(seed), round \(round)") }
        }
    }

    @Test("a list is its values, joined", arguments: 1...8 as ClosedRange<UInt64>)
    func lists(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let parts = ["a", "\"x,y\"", "<b,c>", ";p=\"<\"", " ", "\\", "\"\\\",\"", "sip:a@b", "\r\n "]
        for _ in 0..<200 {
            let values = (0...random.below(4)).map { _ in (0...random.below(4)).map { _ in random.pick(parts) }.joined()
            }
            let message = Message(Array("A sip:b SIP/2.0\r\nRoute: x\(values.joined(separator: ","))x\r\n\r\n".utf8))
            let found = message.values(.route).map { message.text($0).filter { !" \r\n\r\n".contains($0) } }
            let expected = "x\(values.joined(separator: ","))x".filter { !" \r\n\r\n".contains($0) }
            if found.joined(separator: ",") != expected { Issue.record("seed \(seed): \(values)") }
        }
    }

    @Test("edits change what they are told to and nothing else", arguments: 1...8 as ClosedRange<UInt64>)
    func edits(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let corpus = try Torture.all()
        for round in 0..<60 {
            let message = Message(random.pick(corpus))
            let length = message.body.upperBound
            var places = (0..<2 * random.below(6)).map { _ in random.below(length + 1) }.sorted()
            if random.once(in: 3), let last = places.last, places.count > 1 { places[0] = last; places.sort() }
            var expected: [UInt8] = []
            var changes: [(Range<Int>, String)] = []
            var at = 0
            for index in stride(from: 0, to: places.count, by: 2) {
                let range = places[index]..<places[index + 1]
                expected += message.bytes[at..<range.lowerBound]
                at = range.upperBound
                let insert = "<\(index)>"
                expected += insert.utf8
                changes.append((range, insert))
            }
            expected += message.bytes[at..<length]
            // Two that touch the same place keep their order; all others may be made in any.
            if Set(places).count == places.count { changes.shuffle(using: &random) }
            var edits = MessageEdits()
            for (range, text) in changes { edits.replace(range) { $0.append(contentsOf: text.utf8) } }
            var out: [UInt8] = []
            edits.apply(to: message, &out)
            if out != expected { Issue.record("seed \(seed), round \(round): \(changes)") }
        }
    }

    @Test("torture messages in one stream come out however it is cut", arguments: 1...6 as ClosedRange<UInt64>)
    func pipelined(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let corpus = try Torture.all().filter { bytes in
            var framer = StreamFramer()
            return framer.next(bytes.span, limits: Limits()) == .message(length: bytes.count)
        }
        var stream: [UInt8] = []
        var expected: [Piece] = []
        for _ in 0..<12 {
            let bytes = random.pick(corpus)
            stream += bytes
            expected.append(.message(bytes))
            if random.once(in: 3) {
                stream += "\r\n\r\n".utf8
                expected += [.blankLine, .ping]
            }
        }
        for width in [1, 2, 7, 64, 1500, 100_000] {
            let pieces = cut(stream) { width == 1 ? 1 : random.below(width) }
            if pieces != expected { Issue.record("seed \(seed), width \(width)") }
        }
    }
}
