private import CYAML
package import PipelineConfig

/// libyaml's parser as a sequence of events with places. The only code that touches C.
final class YAMLParser {
    /// One event of the text.
    struct Event {
        enum Kind {
            case streamStart
            case streamEnd
            case documentStart
            case documentEnd
            case alias(String)
            case scalar(text: String, style: ScalarStyle)
            case sequenceStart
            case sequenceEnd
            case mappingStart
            case mappingEnd
        }

        enum ScalarStyle {
            case plain
            case quoted
            /// A scalar after `|` or `>`.
            case block
        }

        let kind: Kind
        let anchor: String?
        let tag: String?
        let range: TextRange

        /// The text of a plain scalar without properties, as most are: nothing in it needs to be resolved or remembered.
        var word: String? {
            guard case .scalar(let text, .plain) = kind, anchor == nil, tag == nil else { return nil }
            return text
        }
    }

    /// The place at which a text is no YAML, and the reason.
    struct Problem: Error {
        let message: String
        let position: TextPosition
        /// The construct that was being read, and the place where it began: `while parsing a block mapping`.
        let context: (message: String, position: TextPosition)?
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: UnsafeMutableBufferPointer<UInt8>
    private let lines: SourceLines

    init(_ text: [UInt8], lines: SourceLines) {
        self.lines = lines
        parser = .allocate(capacity: 1)
        // libyaml wants a place even for no text.
        input = .allocate(capacity: max(1, text.count))
        _ = input.initialize(from: text)
        yaml_parser_initialize(parser)
        yaml_parser_set_input_string(parser, input.baseAddress, text.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        input.deallocate()
    }

    /// The next event. After the end of the stream or a problem, do not ask again.
    func next() throws(Problem) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem() }
        defer { yaml_event_delete(&event) }
        let (anchor, tag) = Self.properties(of: event)
        return Event(
            kind: Self.kind(of: event), anchor: anchor, tag: tag,
            range: TextRange(Self.position(event.start_mark), Self.position(event.end_mark)))
    }

    private func problem() -> Problem {
        let message = parser.pointee.problem.map { String(cString: $0) } ?? "not enough memory"
        // What libyaml cannot even read it places by its offset.
        if parser.pointee.error == YAML_READER_ERROR {
            return Problem(message: message, position: lines.position(ofByte: parser.pointee.problem_offset), context: nil)
        }
        let context = parser.pointee.context.map { (String(cString: $0), Self.position(parser.pointee.context_mark)) }
        return Problem(message: message, position: Self.position(parser.pointee.problem_mark), context: context)
    }

    private static func kind(of event: yaml_event_t) -> Event.Kind {
        switch event.type {
        case YAML_STREAM_END_EVENT: .streamEnd
        case YAML_DOCUMENT_START_EVENT: .documentStart
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_ALIAS_EVENT: .alias(string(event.data.alias.anchor) ?? "")
        case YAML_SCALAR_EVENT: .scalar(text: scalarText(of: event), style: style(of: event))
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_MAPPING_END_EVENT: .mappingEnd
        default: .streamStart
        }
    }

    private static func style(of event: yaml_event_t) -> Event.ScalarStyle {
        switch event.data.scalar.style {
        case YAML_PLAIN_SCALAR_STYLE: .plain
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .quoted
        }
    }

    private static func scalarText(of event: yaml_event_t) -> String {
        String(decoding: UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length), as: UTF8.self)
    }

    private static func properties(of event: yaml_event_t) -> (anchor: String?, tag: String?) {
        switch event.type {
        case YAML_SCALAR_EVENT: (string(event.data.scalar.anchor), string(event.data.scalar.tag))
        case YAML_SEQUENCE_START_EVENT: (string(event.data.sequence_start.anchor), string(event.data.sequence_start.tag))
        case YAML_MAPPING_START_EVENT: (string(event.data.mapping_start.anchor), string(event.data.mapping_start.tag))
        default: (nil, nil)
        }
    }

    private static func string(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
        pointer.map { String(cString: $0) }
    }

    private static func position(_ mark: yaml_mark_t) -> TextPosition {
        TextPosition(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}

extension LinkedLibrary {
    package static var libyaml: LinkedLibrary { LinkedLibrary(name: "libyaml", version: yaml_get_version_string()) }
}
