import NIOHTTP1
import Pipeline
import PipelineJSON
import Testing

@testable import PipelineServer

/// What leaves the process is masked once more where it leaves, and can be read as before.
@Suite struct MaskedDocumentTests {
    private static func masked(_ text: String, _ secrets: [String]) -> String {
        Redactor { text in secrets.reduce(text) { $0.replacing($1, with: "***") } }.redacted(document: text)
    }

    @Test(arguments: [
        ("a token: s3cr3t", ["s3cr3t"], "a token: ***"),
        (#"{"a":"the s3cr3t","b":["s3cr3t"]}"#, ["s3cr3t"], #"{"a":"the ***","b":["***"]}"#),
        // Numbers, names of members and escapes stay as they are.
        (#"{"value":1234,"a":"1234","b": true}"# + "\n", ["1234", "true", "value"], #"{"value":1234,"a":"***","b": true}"# + "\n"),
        (#"{"a":"x\nabc \"y\""}"#, ["nabc"], #"{"a":"x\nabc \"y\""}"#),
        (#"{"a":"x\"y"}"#, ["x\"y", #"x\"y"#], #"{"a":"***"}"#),
        (#"["", "\\", "s3cr3t"]"#, ["s3cr3t"], #"["", "\\", "***"]"#),
        ("[1] is s3cr3t", ["s3cr3t"], "[1] is ***"),
        ("<text x=\"1234\">1234 s3cr3t</text>", ["1234", "s3cr3t"], "<text x=\"1234\">*** ***</text>"),
    ])
    func `a document is masked where people read it`(text: String, secrets: [String], expected: String) {
        #expect(Self.masked(text, secrets) == expected)
    }

    @Test func `all of an answer of the server but a value is masked when it leaves`() {
        let redactor = Redactor { $0.replacing("s3cr3t", with: "***").replacing("1234", with: "***") }
        let problem = ServedAnswer.problem(.badGateway, "no s3cr3t").masked(by: redactor)
        let fields: HTTPHeaders = ["Cache-Status": "\"s3cr3t\"; hit", "X-A": "1234", "Age": "1"]
        let value = ServedAnswer(status: .ok, headers: fields, body: Array("s3cr3t".utf8), isValue: true).masked(by: redactor)
        let metrics = ServedAnswer(status: .ok, body: Array("up{at=\"s3cr3t\"} 1234\n".utf8)).masked(by: redactor)

        #expect(String(decoding: problem.body, as: UTF8.self) == "{\"error\":{\"code\":\"502\",\"message\":\"no ***\"}}\n")
        #expect(String(decoding: value.body, as: UTF8.self) == "s3cr3t")
        #expect(value.headers.map { "\($0.name): \($0.value)" } == ["Age: 1", "Cache-Status: \"***\"; hit", "X-A: ***"].sorted())
        #expect(String(decoding: metrics.body, as: UTF8.self) == "up{at=\"***\"} 1234\n")
    }

    @Test func `an event that is no value is masked when it leaves`() {
        let redactor = Redactor { $0.replacing("s3cr3t", with: "***").replacing("down", with: "***") }
        var event = StreamEvent(
            "status", telling: .array([.object([("state", .string("on")), ("reason", .string("no s3cr3t"))])]), masking: redactor)

        let text = event.nextPiece(limit: 1_000).map { String(decoding: $0, as: UTF8.self) }

        #expect(text == "event: status\ndata: [{\"state\":\"on\",\"reason\":\"no ***\"}]\n\n")
    }
}
