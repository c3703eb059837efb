/// What `serve --record` costs: requests that memory answers, to a server that records them and to one that does not.
///
/// Both run for the whole measurement, and are asked in turns by the same clients.
enum RecordedServe {
    private static let requests = 20_000
    private static let rounds = 41

    @concurrent
    static func rows() async throws -> [Row] {
        let program = try Environment.required("PIPE_RUN")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try StaticServer(body: Array(#"[{"id":1,"name":"Ada Lovelace"}]"#.utf8))
        let config = try folder.write(
            """
            sources:
              memory: { type: memory }
              api: { type: http, url: "http://127.0.0.1:\(origin.port)/friends/{user}" }
            pipelines:
              friends:
                parameters: [user]
                tiers: [{ source: memory, ttl: 10h }, api]

            """, to: "pipeline.yaml")
        let plain = try ServeProcess(program, "-c", config)
        defer { plain.end() }
        let recording = try ServeProcess(program, "-c", config, "--record", folder.path + "/record.jsonl")
        defer { recording.end() }
        let comparison = try await Comparison.of(rounds: rounds) {
            try await recording.ask(requests)
        } floor: {
            try await plain.ask(requests)
        }
        return [
            Row("a request to `serve --record`, answered by memory; floor: without `--record`", comparison, count: requests, atMost: 1.05)
        ]
    }
}
