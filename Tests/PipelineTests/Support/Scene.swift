import Pipeline
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import Pipeline

/// A pipeline `friends` over real memory, a scripted cache `disk` and a scripted origin `network`, on a manual clock.
///
/// Its tiers and policies are written as in a file, so that a test reads as what a user would write.
struct Scene: Sendable {
    let time = ManualClock()
    let memory: MemorySource
    let disk: StubSource
    let network: StubOrigin
    let pipelines: Pipelines
    let friends: DataPipeline
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    init(
        _ pipeline: String = "tiers: [memory, disk, network]", extra: [SourcePlugin] = [], sources: String = "",
        observers: [PipelineEvent.Observer] = []
    ) throws {
        let memory = MemorySource()
        let disk = StubSource("disk", clock: time.clock)
        let network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
        let text = """
            version: 1
            sources:
              memory: { type: stub_memory }
              disk: { type: stub_disk }
              network: { type: stub_network }
            \(sources.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(pipeline.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            """
        let report = ConfigFile(text: Array(text.utf8), name: "scene.yaml").report(
            plugins: [
                SourcePlugin("stub_memory", summary: "", capabilities: [.writes, .keepsMetadata, .keepsNotFound]) { _ in memory },
                SourcePlugin("stub_disk", summary: "", capabilities: [.writes, .keepsMetadata]) { _ in disk },
                SourcePlugin("stub_network", summary: "", capabilities: [.neverMisses]) { _ in network },
            ] + extra, environment: ConfigEnvironment([:]))
        self.memory = memory
        self.disk = disk
        self.network = network
        pipelines = try Pipelines(report, clock: time.clock, observers: observers)
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

    /// What memory holds, whether fresh or not.
    var memoryText: String? { memory.peek(key).flatMap { $0.payload.map { String(decoding: $0, as: UTF8.self) } } }
    /// What the disk holds, whether fresh or not.
    var diskText: String? { disk.text(for: key) }
}

extension Outcome {
    /// The value as text; nil when there is none.
    var text: String? {
        guard case .value(let entry) = result else { return nil }
        return entry.payload.map { String(decoding: $0, as: UTF8.self) }
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

/// An error of a test's own.
struct Broken: Error, Equatable {
    var name = "broken"
}
