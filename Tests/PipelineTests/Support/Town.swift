import PipelineTesting
import PipelineYAML
import SourcesMemory

@testable import Pipeline
@testable import PipelineConfig

/// Several processes on one manual clock, each with a pipeline `friends` over its own memory and disk, a cache `shared` that all of them
/// use, and one origin.
struct Town: Sendable {
    let time = ManualClock()
    let server = SharedStore()
    let network: StubOrigin
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    private let pipeline: String
    private let publishes: Bool
    private let sharedFlight: SharedFlight?

    init(
        _ pipeline: String = "tiers: [memory, disk, shared, network]", publishes: Bool = false, sharedFlight: SharedFlight? = nil
    ) {
        self.pipeline = pipeline
        self.publishes = publishes
        self.sharedFlight = sharedFlight
        network = StubOrigin("network", clock: time.clock)
        network.answers("[\"v1\"]")
    }

    /// A process that starts now.
    func process(disk: StubSource? = nil, observers: [PipelineEvent.Observer] = []) throws -> Inhabitant {
        let memory = MemorySource()
        let disk = disk ?? StubSource("disk", clock: time.clock)
        let shared = StubSource("shared", clock: time.clock, sharing: server, publishes: publishes, sharedFlight: sharedFlight)
        let text = """
            version: 1
            sources:
              memory: { type: stub_memory }
              disk: { type: stub_disk }
              shared: { type: stub_shared }
              network: { type: stub_network }
            pipelines:
              friends:
                parameters: { user: { default: "42" } }
            \(pipeline.split(separator: "\n").map { "    " + $0 }.joined(separator: "\n"))
            """
        let report = ConfigFile(text: Array(text.utf8), name: "town.yaml").report(
            plugins: [
                SourcePlugin(cache: "stub_memory", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { _ in memory },
                SourcePlugin(cache: "stub_disk", summary: "", capabilities: [.keepsMetadata]) { _ in disk },
                SourcePlugin(cache: "stub_shared", summary: "", capabilities: [.keepsMetadata, .keepsNotFound]) { _ in shared },
                SourcePlugin(origin: "stub_network", summary: "", capabilities: [.neverMisses]) { [network] _ in network },
            ], environment: ConfigEnvironment([:]))
        let pipelines = try Pipelines(report, clock: time.clock, observers: observers)
        return Inhabitant(
            memory: memory, disk: disk, shared: shared, pipelines: pipelines, friends: try pipelines.pipeline(named: "friends"), key: key)
    }

    /// A town whose shared cache has an expired copy alone, and a process that serves it when a load takes longer than 200 ms.
    static func withExpiredCopy(sharedFlight: SharedFlight) async throws -> (Town, Inhabitant) {
        let town = Town(
            "tiers: [memory, { source: shared, ttl: 10s }, { source: network, soft_timeout: 200ms, timeout: 20s }]\nstale_if_error: 1m",
            sharedFlight: sharedFlight)
        let process = try town.process()
        try await process.fetch()
        await process.pipelines.flush()
        _ = try await process.memory.remove(town.key)
        town.time.advance(by: .seconds(11))
        return (town, process)
    }

    /// So many processes that have begun to hear each other.
    func processes(_ count: Int) async throws -> [Inhabitant] {
        let processes = try (0..<count).map { _ in try process() }
        for process in processes { await process.subscribe() }
        return processes
    }

    /// What the shared cache holds, whether fresh or not.
    var sharedText: String? { server.contents[key]?.payload.map { String(decoding: $0, as: UTF8.self) } }

    /// Moves time on in small steps until `work` has ended.
    func passing<Result: Sendable>(
        by step: Duration = .milliseconds(1), until work: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        // Ends with the work.
        let pump = Task { [time] in
            while !Task.isCancelled {
                time.advance(by: step)
                for _ in 0..<20 { await Task.yield() }
            }
        }
        defer { pump.cancel() }
        return try await work()
    }

    /// Moves time on in small steps until all of `fetches` have ended.
    func outcomes(of fetches: [Task<Outcome, any Error>], by step: Duration = .milliseconds(1)) async throws -> [Outcome] {
        try await passing(by: step) {
            var outcomes: [Outcome] = []
            for fetch in fetches { outcomes.append(try await fetch.value) }
            return outcomes
        }
    }

    /// Returns when so many processes wait for the one that loads.
    func waiting(_ count: Int) async {
        await time.sleepers(atLeast: count)
    }
}

/// One process of a ``Town``.
struct Inhabitant: Sendable {
    let memory: MemorySource
    let disk: StubSource
    let shared: StubSource
    let pipelines: Pipelines
    let friends: DataPipeline
    let key: Key

    /// Begins to hear the others, and returns when it does.
    func subscribe() async {
        pipelines.startListening()
        await shared.receptions(atLeast: 1)
    }

    /// Returns when it has received so many invalidation messages, besides the beginning, and forgotten what they were about.
    func receives(_ count: Int) async {
        await shared.receptions(atLeast: count + 1)
        await friends.finishRefreshes()
    }

    @discardableResult
    func fetch(_ policy: FetchPolicy = .default) async throws -> Outcome {
        let outcome = try await friends.fetch(key, policy: policy)
        try await outcome.waitForWrites()
        return outcome
    }

    var memoryText: String? { memory.peek(key).flatMap { $0.payload.map { String(decoding: $0, as: UTF8.self) } } }
    var diskText: String? { disk.text(for: key) }

    /// What it published, in order.
    var published: [String] { shared.calls.filter { $0.operation == .messages }.map(\.description) }
}
