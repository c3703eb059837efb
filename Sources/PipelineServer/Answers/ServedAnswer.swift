internal import NIOHTTP1
internal import Pipeline
internal import PipelineJSON

/// The answer to a request, before it is written.
struct ServedAnswer: Sendable {
    /// The subject of a request, by which requests are counted.
    enum Subject: Sendable {
        case pipeline(String)
        /// A path of the server itself: those are asked all the time, and are not counted.
        case server
        /// No pipeline that there is.
        case unknown
    }

    var status: HTTPResponseStatus
    var headers = HTTPHeaders()
    /// Shared with every other answer of the same value.
    var body: [UInt8] = []
    /// The stream that the body goes on with for as long as the client reads; nil for an answer that is complete.
    var stream: EventStream?
    var subject = Subject.unknown
    /// The age of the value: the field Date says when it was made (RFC 9110, section 6.6.1). Nil for a value that is made now.
    var age: Duration?
    /// The reason why what came is no request that can be answered, for the log; nil for a request.
    var refusal: String?
    /// Indicates whether the body goes compressed; the headers say so already.
    var isCompressed = false
    /// Indicates whether the body is a value, which is the client's as it is.
    var isValue = false

    /// The client left before there was an answer: nothing is written.
    static let abandoned = ServedAnswer(status: .custom(code: 499, reasonPhrase: "Client Closed Request"))

    /// The answer if the load was cancelled while the client waits for it.
    static let stopping = ServedAnswer.problem(
        .serviceUnavailable, "the server stops, and does not wait for requests of `low` and `background` priority")

    /// The answer that tells a problem, as JSON.
    static func problem(_ status: HTTPResponseStatus, _ message: String, headers: HTTPHeaders = HTTPHeaders()) -> ServedAnswer {
        let error = JSONText.object([("code", .string(status.word)), ("message", .string(message.cut(to: 4_000)))])
        return .json(status, .object([("error", error)]), headers: headers)
    }

    /// The answer that tells a problem of a write (RFC 9457), with these members besides.
    static func details(
        _ status: HTTPResponseStatus, _ detail: String, _ members: [(String, JSONText)] = [], headers: HTTPHeaders = HTTPHeaders()
    ) -> ServedAnswer {
        let problem: [(String, JSONText)] = [
            ("type", .string("about:blank")), ("title", .string(status.reasonPhrase)), ("status", .int(Int(status.code))),
            ("detail", .string(detail.cut(to: 4_000))),
        ]
        var answer = json(status, .object(problem + members), headers: headers)
        answer.headers.replaceOrAdd(name: "Content-Type", value: "application/problem+json")
        return answer
    }

    static func json(_ status: HTTPResponseStatus, _ body: JSONText, headers: HTTPHeaders = HTTPHeaders()) -> ServedAnswer {
        var headers = headers
        headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        return ServedAnswer(status: status, headers: headers, body: Array((body.text + "\n").utf8))
    }

    /// This answer with secrets masked in its fields, and in the texts of a body that is no value: JSON, or metrics.
    func masked(by redactor: Redactor) -> ServedAnswer {
        var answer = self
        for (name, value) in headers {
            let shown = redactor.redacted(value)
            if shown != value { answer.headers.replaceOrAdd(name: name, value: shown) }
        }
        guard !isValue, !body.isEmpty else { return answer }
        let text = String(decoding: body, as: UTF8.self)
        if redactor.redacted(text) != text { answer.body = Array(redactor.redactedInStrings(text).utf8) }
        return answer
    }

    /// This answer about `subject`.
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

/// The detail that `serve` gives its clients of a load that failed.
package enum ErrorDetail: String, CaseIterable, Sendable {
    /// Every tier with what it did, secrets masked.
    case full
    /// The fact that it failed, and the pipeline. The attempts stay in the log, and no other pipeline is named.
    case brief
}
