import PipelineConfig
import Testing

/// What is reported of the fields of the built-in change sources themselves.
@Suite struct WebSocketFieldTests {
    private static func report(_ source: String) -> ConfigReport {
        Reading.report(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: "http://h/friends" }
              events: { \(source) }
            pipelines:
              friends: { tiers: [memory, api], live: [{ source: events, id: /id, op: { at: event, upsert: put } }] }

            """, plugins: Reading.allPlugins)
    }

    @Test(arguments: ["ws://h/events#live", "wss://h/#", "ws://h/events?a=1#b"])
    func `a WebSocket has no fragment`(url: String) {
        let report = Reading.report(
            "sources: { e: { type: websocket, url: \"\(url)\" } }\npipelines: { p: { tiers: [i], live: [e] } }\n",
            plugins: Reading.allPlugins)

        #expect(report.diagnostics.first?.code == .outOfRange)
        #expect(
            report.diagnostics.first?.message.hasSuffix(
                "expected a URL without a fragment: a WebSocket has none, and `#` in a path or query is `%23`") == true)
    }

    @Test func `an encoded number sign, and one in a value, are no fragment`() {
        #expect(!Self.report("type: websocket, url: \"ws://h/events%23live\"").codes.contains("P104"))
        #expect(!Self.report("type: sse, url: \"http://h/events#live\"").codes.contains("P104"))
    }

    @Test func `only the events of sse have a name`() {
        #expect(Self.report("type: websocket, url: \"ws://h/events\"").codes == ["P303"])
        #expect(Self.report("type: sse, url: \"http://h/events\"").codes == [])
    }
}
