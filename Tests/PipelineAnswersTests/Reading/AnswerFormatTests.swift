import PipelineAnswers
import Testing

@Suite struct AnswerFormatTests {
    @Test(arguments: [#"{ "a": 1.10 }"#, "<html>", "", "\u{FEFF}[1]"]) func `json stays as it came`(body: String) {
        #expect(ReadAnswer(body, as: .json, contentType: "application/json; charset=koi8-r", limit: 0) == .json(body))
    }

    @Test(arguments: [
        ("{\"a\":1}\n[2]\n", #"[{"a":1},[2]]"#), ("1\r\n\r\n \t\n2", "[1,2]"), ("\u{FEFF}1\n2\n", "[1,2]"), ("", "[]"), ("\n\r\n", "[]"),
        (" 1.10 \n\"\\u00e9\u{2028}\"\n", "[1.10,\"\\u00e9\u{2028}\"]"), ("{ \"a\" : 1 }", #"[{ "a" : 1 }]"#), ("null", "[null]"),
    ])
    func `AP-77 ndjson is the list of its lines, byte for byte`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .ndjson) == .json(expected))
    }

    @Test(arguments: [
        ("{\"a\":1}\n\n{\"a\":", "line 3: the text ends too early: expected a value"), ("1,2\n", "line 1: something follows the value"),
        ("1\n2 3", "line 2: something follows the value"), ("[1,\n2]", "line 1: the text ends too early: expected a value"),
        ("{}\nNaN", "line 2: expected a value"), ("1\r2", "line 1: something follows the value"),
        ("1\n\"a\u{7}\"", "line 2: a control character in a string"),
    ])
    func `AP-77 a line that is no JSON is named`(body: String, expected: String) {
        #expect(ReadAnswer(body, as: .ndjson) == .problem(expected))
    }

    @Test func `a list of lines is nested one deeper than they are`() {
        let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }

        #expect(ReadAnswer(deep(511), as: .ndjson) == .json("[\(deep(511))]"))
        #expect(ReadAnswer(deep(512), as: .ndjson) == .problem("nested deeper than 512"))
    }

    private static let bodies: [(AnswerFormat, String)] = [
        (.ndjson, "{\"a\":1}\n[2]\n"), (.ndjson, ""), (.csv, "a,b\n1,\"x\"\"\ny\"\n2,\u{1}"), (.csv, ""), (.csv, "a"),
        (.xml, "<a/>"), (.xml, "<a b='\"'>x<c/>y<d/><c>z</c><d/>\n</a>"), (.xml, "<a><b/><c/><b/><c/><b><d/><e/><d>1</d></b></a>"),
    ]

    @Test(arguments: bodies) func `max_size is the size of what comes out, to the byte`(format: AnswerFormat, body: String) throws {
        let whole = try format.read(Array(body.utf8), contentType: nil, limit: .max)

        #expect(ReadAnswer(body, as: format, limit: whole.count) == .json(String(decoding: whole, as: UTF8.self)))
        for limit in -1..<whole.count { #expect(ReadAnswer(body, as: format, limit: limit).isProblem, "\(limit)") }
    }

    @Test func `what is too large is said with the limit`() {
        #expect(ReadAnswer("<a>12345678</a>", as: .xml, limit: 9) == .problem("line 1: more than 9 bytes as JSON"))
        #expect(ReadAnswer("a\n12345678", as: .csv, limit: 9) == .problem("more than 9 bytes as JSON"))
        #expect(ReadAnswer("12345678", as: .ndjson, limit: 9) == .problem("10 bytes, and no more than 9 are allowed"))
    }

    @Test func `a header of long names repeated in each row stops at the limit`() {
        let body = String(repeating: "n", count: 10_000) + "\n" + String(repeating: "1\n", count: 100_000)

        #expect(ReadAnswer(body, as: .csv, limit: 1 << 20) == .problem("more than 1048576 bytes as JSON"))
    }
}
