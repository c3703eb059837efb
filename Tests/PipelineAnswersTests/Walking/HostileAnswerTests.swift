import Pipeline
import PipelineAnswers
import PipelineJSON
import TestSupport
import Testing

/// Damaged answers, read by everything that reads answers: nothing ends the process, and what comes out is JSON or words.
@Suite struct HostileAnswerTests {
    private static let samples = [
        #"{"data":[{"id":"1","photo":"x"},{"id":"2"}],"next":"abc","more":true,"total":2,"ok":false,"error":"busy","ttl":"60","wait":7}"#,
        #"[{"id":1},{"id":2},{"id":3}]"#, #"{"data":{"user":{"nodes":[],"pageInfo":{"endCursor":null,"hasNextPage":true}}}}"#,
        #"{"title":"Out of credit","detail":"no","url":"https://files.example.org/x","at":"2026-11-30T00:00:00Z"}"#, "", "[", "null", "7",
        #"<https://x/1>; rel=prev, <https://x/2>; rel="next"; title="a,b""#,
    ]
    private static let pieces = [
        "{", "}", "[", "]", "\"", ",", ":", "null", "\\ud800", "\u{0}", "é", "1e999", "-", "0", "\\", "\"next\":", "\"data\":[", "{\"id\":",
        "\u{202E}",
        String(repeating: "[", count: 600), "99999999999999999999", "//evil.example", "\r\n", "<", ">;rel=next",
    ]

    /// A sample with some bytes changed.
    private static func damaged(_ random: inout RandomGenerator) -> [UInt8] {
        var bytes = Array((samples.randomElement(using: &random) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let start = Int.random(in: 0...bytes.count, using: &random)
            let end = min(bytes.count, start + Int.random(in: 0...6, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes.replaceSubrange(start..<end, with: [])
            case 1: bytes.replaceSubrange(start..<end, with: Array((pieces.randomElement(using: &random) ?? "").utf8))
            case 2: bytes.replaceSubrange(start..<start, with: bytes[start..<end])
            default: if start < end { bytes[start] = UInt8.random(in: 0...255, using: &random) }
            }
        }
        return bytes
    }

    private static func answer(_ random: inout RandomGenerator) -> Answer {
        let status = [200, 200, 200, 200, 404, 410, 503, 304, 202, 206, 303].randomElement(using: &random) ?? 200
        func text() -> String { String(decoding: damaged(&random), as: UTF8.self) }
        let headers = AnswerHeaders([
            (name: "Link", value: text()), (name: "Location", value: text()), (name: "x-remaining", value: text()),
            (name: "x-reset", value: text()),
            (name: "content-type", value: "application/problem+json"),
        ])
        return Answer(status: status, headers: headers, body: damaged(&random))
    }

    private static let rules = AnswerRules([
        AnswerRule(
            when: AnswerCondition(has: [at("/error")], lacks: [at("/data/user")], values: [(at("/ok"), [.bool(false), .null])]),
            status: 429,
            wait: at("/wait"), message: at("/error")),
        AnswerRule(when: AnswerCondition(headers: [("x-remaining", ["0"])], values: [(at("/data/0/id"), [.number("1")])])),
    ])

    private static func pageRules(_ random: inout RandomGenerator) -> PageRules {
        let nexts: [PageRules.Next] = [.place(at("/next")), .link, .header("Location"), .last(at("/id")), .offset(0), .page(1)]
        let places: [PageRules.Destination?] = [nil, .query("q"), .header("h"), .body(at("/a/b")), .variable("v"), .url]
        let id = Bool.random(using: &random) ? at("/id") : nil
        return PageRules(
            next: nexts.randomElement(using: &random) ?? .link, to: places.randomElement(using: &random) ?? nil,
            ends: Bool.random(using: &random) ? AnswerCondition(values: [(at("/more"), [.bool(false)])]) : nil,
            lists: [PageList(at: at("/data"), id: id), PageList(at: at("/data/0")), PageList(at: at(""))].shuffled(using: &random).prefix(2)
                .map(\.self),
            total: Bool.random(using: &random) ? at("/total") : nil, first: Bool.random(using: &random) ? 3 : nil, max: 20,
            expired: AnswerCondition(statuses: [410]), confirmsFirst: true)
    }

    /// Reads some answers in every way. Returns what came out that should not.
    private static func problem(_ random: inout RandomGenerator) -> String? {
        let shape = AnswerShape(
            drop: [path("$.data[*].photo"), path("/data/0"), path("$.*.x")], select: .places(path("$.data[*]")), pick: [("id", at("/id"))])
        func check(_ value: [UInt8]) -> String? { JSONScanner.problem(of: value).map { "no JSON: \($0)" } }
        func check(_ error: SourceError) -> String? {
            error.reason.utf8.contains { $0 < 0x20 } || error.reason.utf8.count > 2_010 ? "words: \(error.reason)" : nil
        }

        let answer = answer(&random)
        do throws(SourceError) {
            if let message = try rules.judge(answer).message, message.utf8.count > 1_100 || message.utf8.contains(where: { $0 < 0x20 }) {
                return "a message of \(message.utf8.count) bytes"
            }
        } catch {
            if let problem = check(error) { return problem }
        }
        do throws(SourceError) {
            if let problem = check(try shape.shaped(answer, limit: 10_000).payload) { return problem }
        } catch {
            if let problem = check(error) { return problem }
        }
        for field in [ExpiryField.lifetime(at("/ttl")), .moment(at("/at"))] {
            if let remaining = try? field.remaining(in: answer.body, at: Timestamp(nanoseconds: 0)), remaining < .zero {
                return "a negative life"
            }
        }
        let limits = LimitFields(remaining: "x-remaining", reset: "x-reset")
        if case .rest(let pause) = limits.report(of: answer.headers, at: Timestamp(nanoseconds: 0), date: { _ in nil }),
            pause > .seconds(3_600)
        {
            return "a pause of \(pause)"
        }
        _ = try? JSONSplice.setting(Array("1".utf8), at: at("/data/0/x"), in: answer.body)

        var job = PendingJob(
            PendingRules(when: AnswerCondition(statuses: [202]), at: .place(at("/url")), result: at("/url")), links: .tested())
        for _ in 0..<4 {
            let step = job.take(Self.answer(&random), from: .tested, isValue: true, retryAfter: nil, at: Timestamp(nanoseconds: 0))
            if case .failed(let error) = step, let problem = check(error) { return problem }
        }

        var walk = Walk(pageRules(&random), AnswerShape(drop: shape.drop), links: .tested(), limit: 10_000)
        for _ in 0..<100 {
            let answer = Self.answer(&random)
            switch walk.take(answer, from: .tested, isValue: answer.status == 200) {
            case .ask, .again:
                if let value = walk.incomplete(), let problem = check(value) { return problem }
            case .done(let value): return check(value)
            case .failed(let error): return check(error)
            case .confirmed, .notFound, .refused: return nil
            }
        }
        return "a walk without an end"
    }

    @Test func `No answer ends the process, makes a walk endless, or comes out as something else than JSON or words`() {
        let runs = SeededRuns(of: 4_000) { seed in
            var random = RandomGenerator.seeded(seed)
            return (1, Self.problem(&random))
        }

        for failure in runs.failures { Issue.record("\(failure)") }
    }
}
