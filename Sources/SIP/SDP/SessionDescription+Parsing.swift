extension SessionDescription {
    /// Reads a session description.
    ///
    /// Lenient where phones are careless and the meaning is plain: lines may end with LF alone, the session's lines
    /// may stand in any order, `s=` and `t=` may be missing.
    ///
    /// - Parameters:
    ///   - bytes: a message, say.
    ///   - range: the body; all bytes by default.
    ///   - limits: bounds, tested before anything is stored.
    /// - Throws: the first line that is wrong.
    public init(_ bytes: [UInt8], _ range: Range<Int>? = nil, limits: Limits = Limits()) throws(SDPFault) {
        let whole = 0..<bytes.count
        var lines = SDPLines(bytes, range?.clamped(to: whole) ?? whole, limits)
        self = try lines.description()
    }
}

/// Cuts a session description into lines, and reads them.
private struct SDPLines {
    private let bytes: [UInt8]
    private let limits: Limits
    private let end: Int
    private var at: Int
    private var number = 0

    init(_ bytes: [UInt8], _ range: Range<Int>, _ limits: Limits) {
        self.bytes = bytes
        self.limits = limits
        at = range.lowerBound
        end = range.upperBound
    }

    mutating func description() throws(SDPFault) -> SessionDescription {
        guard end - at <= limits.body else { throw SDPFault(line: 1, .tooLong(limits.body)) }
        guard let version = try next(), version.type == UInt8(ascii: "v") else {
            throw SDPFault(line: 1, .missing(UInt8(ascii: "v")))
        }
        guard bytes.isEqual(bytes.trimmed(version.value), "0") else { throw fault(.malformed(version.type)) }
        // Its origin is put in when it comes.
        let nowhere = SessionDescription.Connection(isIPv6: false, host: "")
        var result = SessionDescription(origin: .init(sessionID: 0, version: 0, address: nowhere))
        var seen: Set<UInt8> = [version.type]
        var mediaLines: [Int] = []
        while let (type, value) = try next() {
            if type == UInt8(ascii: "m") {
                guard result.media.count < limits.mediaSections else {
                    throw fault(.tooManyMedia(limits.mediaSections))
                }
                result.media.append(try media(value))
                mediaLines.append(number)
            } else if result.media.isEmpty {
                try readSession(type, value, &seen, &result)
            } else {
                try readMedia(type, value, &result.media[result.media.count - 1])
            }
        }
        guard seen.contains(UInt8(ascii: "o")) else { throw fault(.missing(UInt8(ascii: "o"))) }
        for (media, line) in zip(result.media, mediaLines)
        where media.port != 0 && result.connection(of: media) == nil {
            throw SDPFault(line: line, .noConnection)
        }
        return result
    }

    private func readSession(
        _ type: UInt8,
        _ value: Range<Int>,
        _ seen: inout Set<UInt8>,
        _ result: inout SessionDescription
    ) throws(SDPFault) {
        let isFirst = seen.insert(type).inserted
        switch type {
        case UInt8(ascii: "v"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: "c"):
            guard isFirst else { throw fault(.repeated(type)) }
            switch type {
            case UInt8(ascii: "o"): result.origin = try origin(value)
            case UInt8(ascii: "s"): result.sessionName = ByteString(bytes, value)
            default: result.connection = try connection(words(value)[...], type)
            }
        case UInt8(ascii: "t") where isFirst: result.timing = try timing(value)
        case UInt8(ascii: "a"): result.attributes.append(try attribute(value))
        case _ where SessionDescription.keptLines.contains(type):
            result.otherLines.append(.init(type: type, value: ByteString(bytes, value)))
        default: throw fault(.unknown(type))
        }
    }

    private func readMedia(_ type: UInt8, _ value: Range<Int>, _ media: inout MediaDescription) throws(SDPFault) {
        switch type {
        case UInt8(ascii: "c") where media.connection == nil: media.connection = try connection(words(value)[...], type)
        case UInt8(ascii: "a"): media.attributes.append(try attribute(value))
        case _ where MediaDescription.keptLines.contains(type):
            media.otherLines.append(.init(type: type, value: ByteString(bytes, value)))
        case UInt8(ascii: "v"), UInt8(ascii: "o"), UInt8(ascii: "s"), UInt8(ascii: "c"),
            _ where SessionDescription.keptLines.contains(type):
            throw fault(.misplaced(type))
        default: throw fault(.unknown(type))
        }
    }

    private func origin(_ value: Range<Int>) throws(SDPFault) -> SessionDescription.Origin {
        let words = words(value)
        guard words.count == 6, let sessionID = bytes.decimal(words[1]), let version = bytes.decimal(words[2]) else {
            throw fault(.malformed(UInt8(ascii: "o")))
        }
        let address = try connection(words[3...], UInt8(ascii: "o"))
        let username = ByteString(bytes, words[0])
        return .init(username: username, sessionID: sessionID, version: version, address: address)
    }

    private func connection(
        _ words: ArraySlice<Range<Int>>,
        _ type: UInt8
    ) throws(SDPFault) -> SessionDescription.Connection {
        let words = Array(words)
        guard words.count == 3, bytes.isEqualIgnoringCase(words[0], "in") else { throw fault(.malformed(type)) }
        let isIPv6 = bytes.isEqualIgnoringCase(words[1], "ip6")
        guard isIPv6 || bytes.isEqualIgnoringCase(words[1], "ip4") else { throw fault(.malformed(type)) }
        return .init(isIPv6: isIPv6, host: ByteString(bytes, words[2]))
    }

    private func timing(_ value: Range<Int>) throws(SDPFault) -> SessionDescription.Timing {
        let words = words(value)
        guard words.count == 2, let start = bytes.decimal(words[0]), let stop = bytes.decimal(words[1]) else {
            throw fault(.malformed(UInt8(ascii: "t")))
        }
        return .init(start: start, stop: stop)
    }

    private func attribute(_ value: Range<Int>) throws(SDPFault) -> SessionDescription.Attribute {
        let colon = bytes.first(UInt8(ascii: ":"), in: value)
        let name = value.lowerBound..<(colon ?? value.upperBound)
        guard !name.isEmpty else { throw fault(.malformed(UInt8(ascii: "a"))) }
        return .init(ByteString(bytes, name), colon.map { ByteString(bytes, ($0 + 1)..<value.upperBound) })
    }

    private func media(_ value: Range<Int>) throws(SDPFault) -> MediaDescription {
        let words = words(value)
        guard words.count >= 4 else { throw fault(.malformed(UInt8(ascii: "m"))) }
        let slash = bytes.first(UInt8(ascii: "/"), in: words[1])
        let port = bytes.decimal(words[1].lowerBound..<(slash ?? words[1].upperBound))
        let count = slash.map { bytes.decimal(($0 + 1)..<words[1].upperBound) } ?? 1
        guard let port = port.flatMap({ UInt16(exactly: $0) }), let count = count.flatMap({ UInt16(exactly: $0) }),
            count > 0
        else { throw fault(.malformed(UInt8(ascii: "m"))) }
        var media = MediaDescription(
            kind: ByteString(bytes, words[0]),
            port: port,
            transport: ByteString(bytes, words[2]),
            formats: words[3...].map { ByteString(bytes, $0) }
        )
        media.portCount = count
        return media
    }
}

extension SDPLines {
    private func fault(_ kind: SDPFault.Kind) -> SDPFault { SDPFault(line: max(number, 1), kind) }

    /// What stands between spaces.
    private func words(_ value: Range<Int>) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start = value.lowerBound
        while start < value.upperBound {
            let stop = bytes.first(UInt8(ascii: " "), in: start..<value.upperBound) ?? value.upperBound
            if stop > start { result.append(start..<stop) }
            start = stop + 1
        }
        return result
    }

    /// The next line; nil at the end, before which empty lines may stand.
    private mutating func next() throws(SDPFault) -> (type: UInt8, value: Range<Int>)? {
        guard at < end else { return nil }
        let start = at
        var stop = bytes.first(UInt8(ascii: "\n"), in: at..<end) ?? end
        at = min(stop + 1, end)
        if stop > start, bytes[stop - 1] == UInt8(ascii: "\r") { stop -= 1 }
        if stop == start, bytes[at..<end].allSatisfy({ $0 == 0x0d || $0 == 0x0a }) { return nil }
        number += 1
        guard number <= limits.descriptionLines else { throw fault(.tooManyLines(limits.descriptionLines)) }
        guard stop - start >= 2, bytes[start + 1] == UInt8(ascii: "=") else { throw fault(.noLine) }
        for position in start..<stop where bytes[position] == 0 || bytes[position] == 0x0d {
            throw fault(.controlCharacter)
        }
        return (bytes[start], (start + 2)..<stop)
    }
}
