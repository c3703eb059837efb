import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

/// A walk that is played against a scripted server, to its end.
struct WalkPlay {
    enum End: Equatable {
        case value(String)
        case confirmed
        case notFound
        case refused(page: Int)
        case failed(String)
    }

    /// What each request differs in from that of the source.
    private(set) var requests: [String] = []
    /// Why all was asked for once more.
    private(set) var restarts: [String] = []
    private(set) var end = End.failed("endless")
    private(set) var walk: Walk

    /// A walk that asks until it ends, or has asked 3,000 times.
    ///
    /// - Parameters:
    ///   - page: the URL that a page has in the end, where another one is asked: after redirects.
    ///   - answer: what the server answers.
    init(
        _ rules: PageRules, shape: AnswerShape = AnswerShape(), links: LinkRule = .tested(), limit: Int = 1 << 20,
        from page: (PageRequest) -> AnswerURL? = { _ in nil }, answer: (PageRequest) -> Answer
    ) {
        walk = Walk(rules, shape, links: links, limit: limit)
        play(from: page, answer)
    }

    /// A walk over these answers, of which the last comes again and again.
    init(
        _ rules: PageRules, _ answers: [Answer], shape: AnswerShape = AnswerShape(), links: LinkRule = .tested(), limit: Int = 1 << 20
    ) {
        var rest = answers[...]
        self.init(rules, shape: shape, links: links, limit: limit) { _ in
            defer { if rest.count > 1 { rest.removeFirst() } }
            return rest.first ?? Answer("{}")
        }
    }

    /// Goes on with the request that is out.
    mutating func play(from page: (PageRequest) -> AnswerURL? = { _ in nil }, _ answer: (PageRequest) -> Answer) {
        for _ in 0..<3_000 {
            let request = walk.request
            requests.append(request.words)
            let answer = answer(request)
            var url = AnswerURL.tested
            if case .link(let link) = request.change { url = link.url }
            switch walk.take(answer, from: page(request) ?? url, isValue: 200..<300 ~= answer.status) {
            case .ask(let next): #expect(next == walk.request)
            case .again(let next, let reason):
                #expect(next == walk.request)
                restarts.append(reason)
            case .done(let value): return end = .value(String(decoding: value, as: UTF8.self))
            case .confirmed: return end = .confirmed
            case .notFound: return end = .notFound
            case .refused(let page): return end = .refused(page: page)
            case .failed(let error):
                #expect(error.kind == .invalid)
                return end = .failed(error.reason)
            }
        }
    }

    var value: String? { if case .value(let text) = end { text } else { nil } }

    var reason: String? { if case .failed(let reason) = end { reason } else { nil } }
}

extension PageRequest {
    /// The change in a word, as `cursor=2`; empty for none.
    var words: String {
        switch change {
        case .none: ""
        case .query(let name, let value): "\(name)=\(value)"
        case .header(let name, let value): "\(name): \(value)"
        case .body(let pointer, let value): "\(pointer) \(String(decoding: value, as: UTF8.self))"
        case .template(let next): "{\(next)}"
        case .link(let link): link.url.text + (link.isForeign ? " foreign" : "")
        }
    }
}

extension Answer {
    init(_ text: String, status: Int = 200, headers: AnswerHeaders = [:]) {
        self.init(status: status, headers: headers, body: Array(text.utf8))
    }
}

/// The pointer that a test writes.
func at(_ text: String) -> JSONPointer {
    guard let pointer = JSONPointer(text) else {
        Issue.record("`\(text)` is no pointer")
        return .whole
    }
    return pointer
}

/// The path that a test writes.
func path(_ text: String) -> JSONPath {
    do {
        return try JSONPath(text)
    } catch {
        Issue.record("`\(text)`: \(error)")
        return JSONPath(.whole)
    }
}

extension JSONScalar {
    /// The number that a test writes.
    static func number(_ text: String) -> JSONScalar { .number(JSONNumber(Array(text.utf8)[...])) }
}
