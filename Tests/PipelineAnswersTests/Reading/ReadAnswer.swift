import PipelineAnswers

/// What became of a body.
enum ReadAnswer: Equatable, CustomStringConvertible {
    case json(String)
    case problem(String)

    var description: String {
        switch self {
        case .json(let text): text
        case .problem(let text): "invalid: \(text)"
        }
    }

    init(_ body: [UInt8], as format: AnswerFormat, contentType: String? = nil, limit: Int = 1 << 24) {
        do {
            self = .json(String(decoding: try format.read(body, contentType: contentType, limit: limit), as: UTF8.self))
        } catch {
            self = .problem(error.description)
        }
    }

    init(_ text: String, as format: AnswerFormat, contentType: String? = nil, limit: Int = 1 << 24) {
        self.init(Array(text.utf8), as: format, contentType: contentType, limit: limit)
    }

    var isProblem: Bool { if case .problem = self { true } else { false } }
}
