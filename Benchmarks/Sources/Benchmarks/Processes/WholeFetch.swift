import Pipeline

/// The whole process `pipe-run fetch`, answered by a file, beside `curl -s` of the same bytes from a server on this machine.
enum WholeFetch {
    @concurrent
    static func rows() async throws -> [Row] {
        let program = try Environment.required("PIPE_RUN")
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let body = "[" + (1...100).map { #"{"id":\#($0),"name":"Ada Lovelace"}"# }.joined(separator: ",") + "]"
        let server = try StaticServer(body: Array(body.utf8))
        let url = "http://127.0.0.1:\(server.port)/friends"
        let config = try folder.write(
            """
            sources:
              disk: { type: file, path: "\(folder.path)/{key}.json" }
              api: { type: http, url: "\(url)" }
            pipelines:
              friends:
                tiers: [{ source: disk, ttl: 10h }, api]
            """, to: "pipeline.yaml")
        try ChildProcess(program, "fetch", "friends", "-c", config).run()
        // From here on, nothing but the file answers.
        let fetch = ChildProcess(program, "fetch", "friends", "-c", config, "--policy", "cache-only")
        let curl = ChildProcess("curl", "-s", url)
        let comparison = try await Comparison.of(rounds: 61) {
            try fetch.run()
        } floor: {
            try curl.run()
        }
        let help = ChildProcess(program, "--version")
        let start = try await Comparison.of(rounds: 31) {
            try help.run()
        } floor: {
            try curl.run()
        }
        return [
            Row("process `pipe-run fetch` answered by a file; floor: process `curl -s`", comparison, atMost: 1.1),
            Row("… `pipe-run --version` alone", start),
        ]
    }
}
