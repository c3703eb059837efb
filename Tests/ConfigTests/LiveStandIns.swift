import Pipeline
import PipelineConfig
import PipelineLive

/// Change sources with the fields that these tests need of the built-in ones. They connect to nothing.
enum LiveStandIns {
    static let websocket = SourcePlugin(
        live: "websocket", summary: "Receives messages over a WebSocket.",
        fields: Field<URLTemplate>("url", "Where to connect.", example: "\"wss://api.example.org/changes?user={user}\""),
        Field("subscribe", default: [TextTemplate](), "Messages to send after each connect.", example: "['{\"join\":\"friends\"}']"),
        Field("ready", default: MessagePattern?.none, "The message that says that the stream has begun.", example: "{ /type: joined }"),
        Field("reconnect", default: ReconnectPolicy(), "The pauses between attempts to connect.")
    ) { _, _, _, _, _ in Silence() }

    static let sse = SourcePlugin(
        live: "sse", summary: "Receives the events of an event stream.", capabilities: [.namesEvents],
        fields: Field<URLTemplate>("url", "Where to connect.", example: "https://hub.example.org/changes"),
        Field("resume", default: false, "Whether a new connection goes on where the last one ended.").role(.resumes)
    ) { _, _, _ in Silence() }

    static let poll = SourcePlugin(
        live: "poll", summary: "Asks the origins again and again.", capabilities: [.signalsOnly],
        fields: Field("every", default: Duration.seconds(30), range: .seconds(1)..., "How long to wait in between.")
    ) { _, _ in Silence() }

    static let all = [websocket, sse, poll]

    /// Tells of nothing.
    struct Silence: LiveSource {
        func channel(for key: Key) throws -> String { "" }

        func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding {
            LiveEnding(.ended, "there is nothing to tell")
        }

        func check() async throws -> Reachability { .reachable }
        func connect() async throws {}
        func close() async {}
    }
}
