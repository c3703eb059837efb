import GRDB
import PipelineTesting
import PipelineYAML
import SourcesMemory
import SourcesSQLite

@testable import Pipeline

/// A pipeline `friends` over real memory, a real database `disk` and a scripted origin `network`, on a manual clock; as in a file.
struct DatabaseScene: Sendable {
    let folder: TemporaryFolder
    let time = ManualClock()
    let network: StubOrigin
    let pipelines: Pipelines
    let friends: DataPipeline
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    init(
        _ pipeline: String = "tiers: [memory, disk, network]", fields: String = "", folder: TemporaryFolder? = nil
    ) throws {
        self.folder = try folder ?? TemporaryFolder()
        let network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        let text = """
            version: 1
            sources:
              memory: { type: memory }
              disk: { type: sqlite, path: cache.db, max_entries: 1000, \(fields) }
              network: { type: stub }
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(pipeline.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            """
        let report = ConfigFile(text: Array(text.utf8), name: "scene.yaml", folder: self.folder.path).report(
            plugins: [.memory, .sqlite, SourcePlugin("stub", summary: "", capabilities: [.neverMisses]) { _ in network }],
            environment: ConfigEnvironment([:]))
        self.network = network
        pipelines = try Pipelines(report, clock: time.clock)
        friends = try pipelines["friends"]
    }

    /// Fetches and lets every write end.
    @discardableResult
    func fetch(_ policy: FetchPolicy = .default) async throws -> Outcome {
        let outcome = try await friends.fetch(key, policy: policy)
        try await outcome.settleWrites()
        return outcome
    }

    /// Returns when so many fetches wait for a load of the key.
    func waiters(_ count: Int) async {
        while friends.flights[0].waiterCount(of: key) != count { await Task.yield() }
    }

    /// Puts a copy into the database, as another process would.
    func hold(_ text: String) async throws {
        let other = SQLiteSource(path: folder.database())
        try await other.write(Entry(Array(text.utf8), created: time.now, stored: time.now), for: key)
        await other.close()
    }

    private func database() throws -> DatabaseQueue { try DatabaseQueue(path: folder.path + "/cache.db") }

    /// What the database holds for the key, whether fresh or not.
    func diskText() throws -> String? {
        try database().read { db in
            try String.fetchOne(db, sql: "SELECT CAST(payload AS TEXT) FROM entries WHERE key = ?", arguments: [key.text])
        }
    }

    /// When the copy of the key was written.
    func diskStored() throws -> Int64? {
        try database().read { db in try Int64.fetchOne(db, sql: "SELECT stored FROM entries WHERE key = ?", arguments: [key.text]) }
    }

    /// How many rows the database has.
    func diskCount() throws -> Int {
        try database().read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM entries") ?? 0 }
    }

    /// What memory alone would answer.
    func memoryText() async throws -> String? {
        let outcome = try await friends.fetch(key, policy: .cacheOnly)
        return outcome.source == "memory" ? outcome.text : nil
    }
}

extension Outcome {
    /// The value as text; nil when there is none.
    var text: String? {
        guard case .value(let entry) = result else { return nil }
        return entry.text
    }

    /// The error of a failed fetch.
    var failure: LoadError? {
        if case .failed(let error) = result { error } else { nil }
    }

    var isNotFound: Bool {
        if case .notFound = result { true } else { false }
    }

    /// `memory: miss, disk: hit`.
    var trace: String { attempts.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ") }

    /// `memory: written, disk: failed`.
    var writeTrace: String { writes.map { "\($0.source): \($0.outcome.rawValue)" }.joined(separator: ", ") }
}
