internal import NIOHTTP1
internal import Pipeline
internal import PipelineJSON

/// What is answered to a request, before it is written.
struct ServedAnswer: Sendable {
    /// What was asked for, which requests are counted by.
    enum Subject: Sendable {
        case pipeline(String)
        /// A path of the server itself: those are asked all the time, and are not counted.
        case server
        /// Nothing that there is.
        case unknown
    }

    var status: HTTPResponseStatus
    var headers = HTTPHeaders()
    /// Shared with every other answer of the same value.
    var body: [UInt8] = []
    /// What the body goes on with for as long as the client reads; nil for an answer that is complete.
    var stream: EventStream?
    var subject = Subject.unknown
    /// How old the value is: the field Date says when it was made (RFC 9110, section 6.6.1). Nil for what is made now.
    var age: Duration?
    /// Why what came is no request that can be answered, for the log; nil for a request.
    var refusal: String?
    /// Whether the body goes compressed; the headers say so already.
    var isCompressed = false
    /// Whether the body is a value, which is the client's as it is.
    var isValue = false

    /// The client left before there was an answer: nothing is written.
    static let abandoned = ServedAnswer(status: .custom(code: 499, reasonPhrase: "Client Closed Request"))

    /// The load was cancelled while the client waits for it.
    static let stopping = ServedAnswer.problem(
        .serviceUnavailable, "the server stops, and does not wait for requests of `low` and `background` priority")

    /// What is wrong, as JSON.
    static func problem(_ status: HTTPResponseStatus, _ message: String, headers: HTTPHeaders = HTTPHeaders()) -> ServedAnswer {
        let error = JSONText.object([("code", .string(status.word)), ("message", .string(message.cut(to: 4_000)))])
        return .json(status, .object([("error", error)]), headers: headers)
    }

    static func json(_ status: HTTPResponseStatus, _ body: JSONText, headers: HTTPHeaders = HTTPHeaders()) -> ServedAnswer {
        var headers = headers
        headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        return ServedAnswer(status: status, headers: headers, body: Array((body.text + "\n").utf8))
    }

    /// The same with what is secret masked in the texts of its body: JSON, or metrics.
    func masked(by redactor: Redactor) -> ServedAnswer {
        let text = String(decoding: body, as: UTF8.self)
        guard redactor.redacted(text) != text else { return self }
        var answer = self
        answer.body = Array(redactor.redactedInStrings(text).utf8)
        return answer
    }

    /// The same about this subject.
    func about(_ subject: Subject) -> ServedAnswer {
        var answer = self
        answer.subject = subject
        return answer
    }
}

extension HTTPResponseStatus {
    /// A word for programs: `not_found`.
    fileprivate var word: String {
        switch self {
        case .notFound: "not_found"
        case .badRequest: "bad_request"
        case .forbidden: "forbidden"
        case .notAcceptable: "not_acceptable"
        case .methodNotAllowed: "method_not_allowed"
        case .requestTimeout: "request_timeout"
        case .misdirectedRequest: "misdirected_request"
        case .requestHeaderFieldsTooLarge: "request_header_fields_too_large"
        case .serviceUnavailable: "service_unavailable"
        default: "\(code)"
        }
    }
}

extension String {
    /// The first 500 characters: what a client sent, which a message repeats, may be much.
    var cut: String { cut(to: 500) }

    func cut(to limit: Int) -> String {
        guard utf8.count > limit, unicodeScalars.count > limit else { return self }
        return String(String.UnicodeScalarView(unicodeScalars.prefix(limit))) + "…"
    }
}
