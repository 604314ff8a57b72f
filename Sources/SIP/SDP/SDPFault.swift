/// What is wrong with a session description: where, what, and what mends it.
public struct SDPFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What can be wrong.
    public enum Kind: Hashable, Sendable {
        /// More bytes than this.
        case tooLong(Int)
        /// More lines than this.
        case tooManyLines(Int)
        /// More streams than this.
        case tooManyMedia(Int)
        /// It is not a letter, `=` and a value.
        case noLine
        /// A NUL, or a CR that does not end a line.
        case controlCharacter
        /// RFC 8866 does not know the letter.
        case unknown(UInt8)
        /// A line of the session stands within a stream.
        case misplaced(UInt8)
        /// A line that may come once comes again.
        case repeated(UInt8)
        /// A line that must be there is not.
        case missing(UInt8)
        /// The line can't be read.
        case malformed(UInt8)
        /// A stream says nowhere where it goes.
        case noConnection
    }

    /// The line, counted from 1.
    public var line: Int
    /// What is wrong with it.
    public var kind: Kind

    /// Describes a fault.
    public init(line: Int, _ kind: Kind) {
        self.line = line
        self.kind = kind
    }

    /// `SDP line 3: o= can't be read; write o=- 1 1 IN IP4 192.0.2.1`.
    public var description: String { "SDP line \(line): \(what)" }

    private var what: String {
        switch kind {
        case .tooLong(let bound): "more than \(bound) bytes in all; offer fewer streams and attributes"
        case .tooManyLines(let bound): "more than \(bound) lines; offer fewer attributes"
        case .tooManyMedia(let bound): "more than \(bound) streams; offer fewer"
        case .noLine: "no letter with = and a value; remove the line"
        case .controlCharacter: "a NUL or CR within the line; end lines with CR LF"
        case .unknown(let type): "\(Self.name(type)) is unknown to RFC 8866; remove the line"
        case .misplaced(let type): "\(Self.name(type)) stands within a stream; put it before the first m="
        case .repeated(let type): "\(Self.name(type)) comes again; write it once"
        case .missing(let type): "no \(Self.name(type)); write \(Self.example(type))"
        case .malformed(let type): "\(Self.name(type)) can't be read; write \(Self.example(type))"
        case .noConnection: "nothing says where the stream goes; add \(Self.example(UInt8(ascii: "c")))"
        }
    }

    private static func name(_ type: UInt8) -> String {
        type > 0x20 && type < 0x7f ? String(UnicodeScalar(type)) + "=" : "byte \(type)"
    }

    private static func example(_ type: UInt8) -> String {
        switch type {
        case UInt8(ascii: "v"): "v=0 as the first line"
        case UInt8(ascii: "o"): "o=- 1 1 IN IP4 192.0.2.1"
        case UInt8(ascii: "c"): "c=IN IP4 192.0.2.1"
        case UInt8(ascii: "t"): "t=0 0"
        case UInt8(ascii: "m"): "m=audio 4000 RTP/AVP 0"
        case UInt8(ascii: "a"): "a=name or a=name:value"
        default: "it as RFC 8866 section 5 has it"
        }
    }
}
