import NIOHTTP1
import Pipeline
import Testing

@testable import PipelineServer

/// Events as they are written, read by the rules of WHATWG HTML.
@Suite struct StreamEventTests {
    private func bytes(_ event: StreamEvent, piece: Int) -> [UInt8] {
        var event = event
        var bytes: [UInt8] = []
        while let next = event.nextPiece(limit: piece) { bytes += next }
        return bytes
    }

    @Test(arguments: [
        ("[1]", "[1]"), ("[\n1\n]\n", "[\n1\n]\n"), ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("\n", "\n"), ("\r\n\r\n", "\n\n"), (" x", " x"),
        (": no comment\nid: 7\nevent: x", ": no comment\nid: 7\nevent: x"), ("ä🙂\u{2028}", "ä🙂\u{2028}"),
    ])
    func `a value is read as it is, its line ends apart, however it is cut`(value: String, read: String) {
        for piece in 1...8 {
            var reader = EventReader()
            reader.read(bytes(StreamEvent("value", data: Array(value.utf8), id: "e-1"), piece: piece))

            #expect(reader.events == [.init(name: "value", data: read, id: "e-1")], "\(piece)")
        }
    }

    @Test func `an event without an id keeps the one before, a comment is none`() {
        var reader = EventReader()
        for event in [
            StreamEvent("value", data: [0x31], id: "e-1"), .comment, StreamEvent("status", data: Array("[]".utf8)),
        ] { reader.read(bytes(event, piece: 100)) }

        #expect(reader.events.map(\.id) == ["e-1", "e-1"] && reader.events.map(\.name) == ["value", "status"] && reader.comments == 1)
    }

    @Test(
        arguments: [
            ("text/event-stream", true), ("Text/Event-Stream;charset=utf-8", true), ("text/event-stream;q=0", false), ("*/*", false),
            ("", false),
            ("text/*", false), ("application/json, text/event-stream", true), ("application/json, text/event-stream;q=0.5", false),
            ("text/event-stream, */*;q=0.1", true),
        ])
    func `a stream is for those who ask for one`(accept: String, isWanted: Bool) {
        #expect(EventStream.isWanted(["Accept": accept]) == isWanted)
    }

    @Test(
        arguments: [
            (nil, .own), ("http://localhost:8080", .own), ("https://LOCALHOST:8080", .own),
            ("http://localhost", .foreign("http://localhost")),
            ("null", .foreign("null")), ("https://app.example", .allowed("https://app.example")),
            ("https://app.example:443", .allowed("https://app.example:443")), ("http://app.example", .foreign("http://app.example")),
            ("https://app.example.evil", .foreign("https://app.example.evil")), ("", .foreign("")),
        ] as [(String?, OriginRule.Verdict)])
    func `a foreign origin is one that is not named`(origin: String?, verdict: OriginRule.Verdict) {
        let rule = OriginRule(allowing: ["HTTPS://App.Example"])
        var headers: HTTPHeaders = ["Host": "localhost:8080"]
        if let origin { headers.add(name: "Origin", value: origin) }

        #expect(rule.verdict(on: headers) == verdict)
    }

    @Test func `the server's own origin stays its own where it is named, too`() {
        let rule = OriginRule(allowing: ["https://app.example"])

        #expect(rule.verdict(on: ["Host": "app.example", "Origin": "https://app.example"]) == .own)
    }

    @Test func `an origin has a scheme, a host and no path`() {
        for text in ["app.example", "https://", "https://a/b", "https://a/", "*", "https://a b"] {
            #expect(OriginRule.normal(text) == nil, "\(text)")
        }
        #expect(OriginRule.normal("http://[::1]:80") == "http://[::1]" && OriginRule.normal("http://[::1]:81") == "http://[::1]:81")
    }
}
