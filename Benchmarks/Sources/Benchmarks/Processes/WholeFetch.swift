import Pipeline
import SourcesMemory

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
        ] + (try await startRows(folder))
    }

    /// What the number of pipelines in the file costs at the start, where one is asked, and where all are built.
    private static func startRows(_ folder: TemporaryFolder) async throws -> [Row] {
        let program = try Environment.required("PIPE_RUN")
        let many = try folder.write(GeneratedConfig(pipelines: 1_000).text, to: "1000.yaml")
        let fetch = ChildProcess(program, "fetch", "p1", "user=1", "-c", many, "--swap", "api=\(try folder.write("1", to: "one.json"))")
        let validate = ChildProcess(program, "validate", many)
        let one = try await Comparison.of(rounds: 41) {
            try fetch.run()
        } floor: {
            try validate.run()
        }
        let built = try await Comparison.of(rounds: 9) {
            try build(10_000)
        } floor: {
            for _ in 0..<10 { try build(1_000) }
        }
        return [
            Row("process `fetch` of one of 1,000 pipelines; floor: process `validate` of the same file", one, atMost: 1.3),
            Row("10,000 pipelines built; floor: ten times 1,000 (linear)", built, atMost: 1.1),
        ]
    }

    /// Builds so many pipelines over a memory cache and an origin that all share.
    private static func build(_ count: Int) throws {
        let memory = SourceSpec("memory", MemorySource())
        let origin = SourceSpec("api", ConstantOrigin(payload: Array("1".utf8)))
        let policy = TierPolicy(ttl: .seconds(30))
        use(
            try Pipelines(
                (0..<count).map { PipelineSpec("p\($0)", tiers: [TierSpec(memory, policy), TierSpec(origin)]) }))
    }
}
