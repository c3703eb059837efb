import PipelineTesting
import PipelineYAML
import SourcesFile
import SourcesMemory
import SourcesSQLite
import Synchronization

@testable import Pipeline
@testable import PipelineConfig
@testable import SourcesHTTP

/// A pipeline `friends` over memory, a folder, a database and an http source that asks a scripted server, on a manual clock that begins on
/// 2026-01-01T00:00:00Z.
struct CachingScene: FriendsScene {
    let time: ManualClock
    let memory: MemorySource
    let server: ScriptedServer
    let pipelines: Pipelines
    let friends: DataPipeline
    private let folder: TemporaryFolder
    private let script: Script
    private let pipeline: String

    /// What the server answers, which a test changes.
    final class Script: Sendable {
        let steps = Mutex<[ScriptedServer.Step]>(Answer.text("[1]"))
    }

    /// Runs `body` with a scene and its server.
    ///
    /// - Parameters:
    ///   - api: fields of the http source.
    ///   - pipeline: what stands below the pipeline's name.
    static func run(
        _ api: String = "caching: headers", _ pipeline: String = "tiers: [memory, disk, database, api]",
        _ body: (CachingScene) async throws -> Void
    ) async throws {
        let script = Script()
        try await ScriptedServer.run({ _ in script.steps.withLock(\.self) }) { server in
            let scene = try CachingScene(api, pipeline, server: server, time: ManualClock(), folder: TemporaryFolder(), script: script)
            try await body(scene)
            await scene.pipelines.shutDown()
        }
    }

    private init(
        _ api: String, _ pipeline: String, server: ScriptedServer, time: ManualClock, folder: TemporaryFolder, script: Script
    ) throws {
        let memory = MemorySource()
        (self.server, self.time, self.folder, self.script) = (server, time, folder, script)
        (self.memory, self.pipeline) = (memory, pipeline)
        let stub = SourcePlugin(cache: "stub_memory", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { _ in memory }
        let lines = pipeline.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        // In folders of their own: while a database is made it locks its folder, and a file would wait for that on the manual clock.
        let text = """
            sources:
              memory: { type: stub_memory }
              disk: { type: file, path: "\(folder.path)/copies/{key}.json", max_entries: 100 }
              database: { type: sqlite, path: "\(folder.path)/cache.sqlite", max_entries: 100 }
              api: { type: http, url: "\(server.url)/friends", \(api) }
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(lines)
            """
        let report = ConfigFile(text: Array(text.utf8), name: "scene.yaml").report(
            plugins: [stub, .file, .sqlite, .http], environment: ConfigEnvironment([:]))
        pipelines = try Pipelines(report, clock: time.clock)
        friends = try pipelines.pipeline(named: "friends")
    }

    /// The same files, server and time in a new process: an empty memory, and these fields of the http source.
    func restarted(_ api: String) async throws -> CachingScene {
        await pipelines.shutDown()
        return try CachingScene(api, pipeline, server: server, time: time, folder: folder, script: script)
    }

    /// Answers every request so from now on.
    func answers(_ headers: [String], _ body: String = "[1]", status: Int = 200) {
        answers(Answer.text(body, status: status, headers: headers))
    }

    func answers(_ steps: [ScriptedServer.Step]) {
        script.steps.withLock { $0 = steps }
    }

    func advance(by seconds: Double) {
        time.advance(by: .milliseconds(Int64(seconds * 1_000)))
    }

    /// The header fields `name` of the requests so far; an empty text where it was not sent.
    func sent(_ name: String) -> [String] { server.requests.map { $0[name] ?? "" } }

    /// What each cache holds: its age and how much longer it is fresh there, in seconds; `-` for none.
    func copies() async throws -> String {
        try await friends.contents().map { cache in
            guard case .copies(let copies, _) = cache.answer, let copy = copies.first else { return "\(cache.source) -" }
            return "\(cache.source) \(copy.age.components.seconds) \(copy.freshFor.map { "\($0.components.seconds)" } ?? "ever")"
        }.joined(separator: ", ")
    }
}
