import Pipeline
import PipelineAnswers
import PipelineJSON
import Testing

@Suite struct AnswerRulesTests {
    private static func fits(_ when: AnswerCondition, _ answer: Answer) -> Bool {
        do { return try when.fits(answer) } catch {
            Issue.record("\(error)")
            return false
        }
    }

    @Test(
        arguments: [
            (#"{"cod":"404"}"#, JSONScalar.string("404"), true), (#"{"cod":"404"}"#, .number("404"), false),
            (#"{"cod":404}"#, .string("404"), false), (#"{"cod":404}"#, .number("404"), true), (#"{"cod":1.0}"#, .number("1"), true),
            (#"{"cod":1e0}"#, .number("1.00"), true), (#"{"cod":9007199254740993}"#, .number("9007199254740992"), false),
            (#"{"cod":null}"#, .null, true), (#"{}"#, .null, false), (#"{"cod":false}"#, .bool(false), true),
            (#"{"cod":0}"#, .bool(false), false),
            (#"{"cod":"\u0062"}"#, .string("b"), true), (#"{"cod":"e\u0301"}"#, .string("\u{E9}"), false),
            (#"{"cod":[404]}"#, .number("404"), false),
            (#"{"cod":{}}"#, .null, false), (#"{"c\u006fd":7}"#, .number("7"), true),
        ] as [(String, JSONScalar, Bool)])
    func `AP-33 a place has this string, exact number, bool or null, and what is not there fits nothing`(
        body: String, value: JSONScalar, fits: Bool
    ) {
        #expect(Self.fits(AnswerCondition(values: [(at("/cod"), [value])]), Answer(body)) == fits)
        #expect(Self.fits(AnswerCondition(values: [(at("/cod"), [.string("other"), value])]), Answer(body)) == fits)
    }

    @Test func `AP-33 the first rule that fits decides`() throws {
        let rules = AnswerRules([
            AnswerRule(when: AnswerCondition(values: [(at("/ok"), [.bool(false)]), (at("/error"), [.string("busy")])]), status: 429),
            AnswerRule(when: AnswerCondition(values: [(at("/ok"), [.bool(false)])]), status: 400, message: at("/error")),
        ])

        #expect(try rules.judge(Answer(#"{"ok":false,"error":"busy"}"#)).status == 429)
        #expect(try rules.judge(Answer(#"{"ok":false,"error":"no_team"}"#)).status == 400)
        #expect(try rules.judge(Answer(#"{"ok":false,"error":"no_team"}"#)).message == "no_team")
        let none = try rules.judge(Answer(#"{"ok":true,"error":"busy"}"#))
        #expect(none.rule == nil)
        #expect(none.status == 200)
    }

    @Test(arguments: [
        ("7", 7.0), ("\"7\"", 7), ("0.5", 0.5), ("1e9", 3_600), ("-1", nil), ("0", nil), ("\"soon\"", nil), ("null", nil), ("[7]", nil),
    ])
    func `AP-31 an error in a 200 counts as a 429, with the seconds to wait`(retryIn: String, seconds: Double?) throws {
        let rules = AnswerRules([
            AnswerRule(when: AnswerCondition(values: [(at("/error"), [.string("ratelimited")])]), status: 429, wait: at("/retry_in"))
        ])

        let judgement = try rules.judge(Answer(#"{"ok":false,"error":"ratelimited","retry_in":\#(retryIn)}"#))

        #expect(judgement.status == 429)
        #expect(judgement.wait == seconds.map { .seconds($0) })
    }

    @Test func `AP-32 a 404 in a 200 counts as one, as text and as number`() throws {
        let rules = AnswerRules([
            AnswerRule(when: AnswerCondition(values: [(at("/cod"), [.string("404"), .number("404")])]), status: 404)
        ])

        #expect(try rules.judge(Answer(#"{"cod":"404"}"#)).status == 404)
        #expect(try rules.judge(Answer(#"{"cod":404}"#)).status == 404)
        #expect(try rules.judge(Answer(#"{"cod":200}"#)).status == 200)
    }

    @Test func `AP-34 a 403 with a field counts as a 429, and without it stays one`() throws {
        let any = AnswerCondition(statuses: [403], headers: [("retry-after", nil)])
        let rules = AnswerRules([AnswerRule(when: any, status: 429)])

        #expect(try rules.judge(Answer("", status: 403, headers: ["Retry-After": "60"])).status == 429)
        #expect(try rules.judge(Answer("", status: 403)).status == 403)
        #expect(try rules.judge(Answer("", status: 401, headers: ["Retry-After": "60"])).status == 401)
        let listed = AnswerCondition(headers: [("X-Reason", ["quota", "rate"])])
        #expect(Self.fits(listed, Answer("", headers: ["x-reason": " rate "])))
        #expect(Self.fits(listed, Answer("", headers: ["x-reason": "other", "X-REASON": "quota"])))
        #expect(!Self.fits(listed, Answer("", headers: ["x-reason": "Rate"])))
        #expect(!Self.fits(listed, Answer("")))
    }

    @Test(arguments: ["<html>{\"error\":1}</html>", "", "{\"error\":1", "{\"error\":1} x", "\u{FEFF}{\"error\":1}"])
    func `AP-35 a body that is not JSON fits no place, also none that it lacks, and status and fields still fit`(body: String) {
        let answer = Answer(body, status: 403, headers: ["Server": "x"])

        #expect(!Self.fits(AnswerCondition(has: [at("/error")]), answer))
        #expect(!Self.fits(AnswerCondition(lacks: [at("/data")]), answer))
        #expect(!Self.fits(AnswerCondition(values: [(at("/error"), [.number("1")])]), answer))
        #expect(Self.fits(AnswerCondition(statuses: [403], headers: [("server", nil)]), answer))
        #expect(!Self.fits(AnswerCondition(statuses: [403], lacks: [at("/data")], headers: [("server", nil)]), answer))
    }

    @Test func `Places are there also with null, and all members of a condition hold`() {
        let answer = Answer(#"{"data":null,"errors":[{"type":"NOT_FOUND"}]}"#, status: 200)

        #expect(Self.fits(AnswerCondition(has: [at("/data"), at("/errors")]), answer))
        #expect(Self.fits(AnswerCondition(has: [at("/errors")], lacks: [at("/meta")]), answer))
        #expect(!Self.fits(AnswerCondition(lacks: [at("/data")]), answer))
        #expect(!Self.fits(AnswerCondition(statuses: [206], has: [at("/errors")]), answer))
        #expect(Self.fits(AnswerCondition(values: [(at("/errors/0/type"), [.string("NOT_FOUND")])]), answer))
        #expect(!Self.fits(AnswerCondition(values: [(at("/errors/00/type"), [.string("NOT_FOUND")])]), answer))
        #expect(Self.fits(AnswerCondition(), answer))
    }

    @Test func `A name that occurs twice on the way is an error: it could be either`() {
        let error = #expect(throws: SourceError.self) {
            try AnswerRules([AnswerRule(when: AnswerCondition(has: [at("/error")]), status: 400)]).judge(
                Answer(#"{"error":1,"error":null}"#))
        }

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "the name `error` occurs twice in an object")
    }

    @Test(arguments: [
        (
            #"{"title":"Out of credit","detail":"Your balance is 30."}"#, "application/problem+json; charset=utf-8",
            "Out of credit: Your balance is 30."
        ),
        (#"{"title":"Out of credit"}"#, "Application/Problem+JSON", "Out of credit"),
        (#"{"detail":"x","title":7}"#, "application/problem+json", "x"),
        (#"{"title":"Out of credit"}"#, "application/json", nil), (#"[]"#, "application/problem+json", nil),
        ("<p>", "application/problem+json", nil),
        (#"{"title":""}"#, "application/problem+json", nil),
    ])
    func `AP-37 an answer about a problem says what it is`(body: String, type: String, message: String?) throws {
        #expect(try AnswerRules().judge(Answer(body, status: 400, headers: ["Content-Type": type])).message == message)
    }

    @Test func `AP-37 words of an answer are data: one line, of bounded length, without what a terminal obeys, and no word is cut`() throws
    {
        let rules = AnswerRules([AnswerRule(when: AnswerCondition(), message: at("/error"))])
        func message(_ text: String) throws -> String? { try rules.judge(Answer(#"{"error":\#(text)}"#)).message }

        #expect(try message(#""a\nb\t\u001b[31mc\u202ed""#) == "a b \u{FFFD}[31mc\u{FFFD}d")
        #expect(try message(#"{"code": 7,"text":"x\u0000"}"#) == #"{"code": 7,"text":"x\u0000"}"#)
        #expect(try message("42") == "42")
        #expect(try message("null") == nil)
        let long = try message("\"" + String(repeating: "word ", count: 300) + "\"")
        #expect(long?.utf8.count ?? 0 <= 1_030)
        #expect(long?.hasSuffix("word …") == true)
        #expect(try message("\"" + String(repeating: "s", count: 2_000) + "\"") == nil)
        #expect(try message("\"" + String(repeating: "s", count: 1_024) + "\"") == String(repeating: "s", count: 1_024))
    }
}
