import CYAML

/// Reads one YAML document into nodes.
///
/// Anchors, aliases and tags are refused: a configuration needs none, and they are a way to make a small file large.
final class YAMLParser {
    private static let deepest = 16
    private static let mend = "correct the YAML there"

    private var parser = yaml_parser_t()
    private let text: [UInt8]

    /// Parses a text.
    ///
    /// - Parameter text: UTF-8.
    /// - Returns: the document, an empty node for an empty text.
    /// - Throws: the first thing that is wrong, with its line.
    static func parse(_ text: [UInt8]) throws(YAMLFault) -> YAMLNode {
        try YAMLParser(text).document()
    }

    private init(_ text: [UInt8]) throws(YAMLFault) {
        self.text = text
        guard yaml_parser_initialize(&parser) == 1 else {
            throw YAMLFault(line: 0, what: "out of memory", mend: "free some")
        }
    }

    deinit { yaml_parser_delete(&parser) }

    private func document() throws(YAMLFault) -> YAMLNode {
        // The parser reads from the array's memory, so all parsing happens inside.
        let result = text.withUnsafeBufferPointer { buffer -> Result<YAMLNode, YAMLFault> in
            yaml_parser_set_input_string(&parser, buffer.baseAddress, buffer.count)
            do throws(YAMLFault) {
                return .success(try stream())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func stream() throws(YAMLFault) -> YAMLNode {
        var document: YAMLNode?
        while true {
            let event = try next()
            switch event.kind {
            case YAML_STREAM_END_EVENT: return document ?? YAMLNode(line: 1, content: .empty)
            case YAML_DOCUMENT_START_EVENT:
                guard document == nil else {
                    throw YAMLFault(line: event.line, what: "a second document begins", mend: "keep one document")
                }
                document = try node(try next(), depth: 0)
            default: break
            }
        }
    }

    private func node(_ event: Event, depth: Int) throws(YAMLFault) -> YAMLNode {
        guard depth < Self.deepest else {
            throw YAMLFault(line: event.line, what: "nested too deeply", mend: Self.mend)
        }
        guard !event.hasAnchor else {
            throw YAMLFault(
                line: event.line,
                what: "anchors, aliases and tags are not supported",
                mend: "write the value out"
            )
        }
        switch event.kind {
        case YAML_SCALAR_EVENT:
            let isEmpty = event.isPlain && ["", "~", "null"].contains(event.text)
            return YAMLNode(line: event.line, content: isEmpty ? .empty : .scalar(event.text))
        case YAML_SEQUENCE_START_EVENT:
            var items: [YAMLNode] = []
            while case let item = try next(), item.kind != YAML_SEQUENCE_END_EVENT {
                items.append(try node(item, depth: depth + 1))
            }
            return YAMLNode(line: event.line, content: .sequence(items))
        case YAML_MAPPING_START_EVENT:
            return YAMLNode(line: event.line, content: .mapping(try entries(depth: depth)))
        default:
            throw YAMLFault(line: event.line, what: "a value is missing", mend: Self.mend)
        }
    }

    private func entries(depth: Int) throws(YAMLFault) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        while case let key = try next(), key.kind != YAML_MAPPING_END_EVENT {
            guard key.kind == YAML_SCALAR_EVENT, !key.hasAnchor else {
                throw YAMLFault(line: key.line, what: "a key is not a plain word", mend: Self.mend)
            }
            if let first = entries.first(where: { $0.key == key.text }) {
                throw YAMLFault(
                    line: key.line,
                    what: "\"\(key.text)\" is here already, in line \(first.line)",
                    mend: "keep one of the two"
                )
            }
            let value = try node(try next(), depth: depth + 1)
            entries.append(YAMLNode.Entry(key: key.text, line: key.line, value: value))
        }
        return entries
    }

    /// What matters of an event of libyaml.
    private struct Event {
        var kind: yaml_event_type_e
        var line: Int
        var text = ""
        var isPlain = false
        var hasAnchor = false
    }

    private func next() throws(YAMLFault) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(&parser, &event) == 1 else {
            let problem = parser.problem.map { String(cString: $0) } ?? "not YAML"
            throw YAMLFault(line: Int(clamping: parser.problem_mark.line) + 1, what: problem, mend: Self.mend)
        }
        defer { yaml_event_delete(&event) }
        var found = Event(kind: event.type, line: Int(clamping: event.start_mark.line) + 1)
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            found.text = String(decoding: bytes, as: UTF8.self)
            found.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            found.hasAnchor = scalar.anchor != nil || scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            found.hasAnchor = event.data.sequence_start.anchor != nil || event.data.sequence_start.tag != nil
        case YAML_MAPPING_START_EVENT:
            found.hasAnchor = event.data.mapping_start.anchor != nil || event.data.mapping_start.tag != nil
        case YAML_ALIAS_EVENT: found.hasAnchor = true
        default: break
        }
        return found
    }
}
