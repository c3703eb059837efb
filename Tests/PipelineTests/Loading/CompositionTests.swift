import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import Pipeline
@testable import PipelineConfig

/// The friends example: memory, else a database, else an API; a hit in the database is cached in memory, one of the API in both.
@Suite struct CompositionTests {
    /// How the same parts are put together.
    enum Way: String, CaseIterable, Sendable {
        case fallback
        case nested
        case yaml
    }

    @Test(arguments: Way.allCases)
    func `a cold key is loaded from the API and cached in both`(way: Way) async throws {
        let parts = Parts()
        let loader = try parts.loader(way)

        let trace = try await parts.trace(loader)

        #expect(trace == "memory: miss, database: miss, api: hit → memory: written, database: written")
    }

    @Test(arguments: Way.allCases)
    func `a hit in the database is cached in memory, and the API is not asked`(way: Way) async throws {
        let parts = Parts()
        let loader = try parts.loader(way)
        parts.database.hold("[1]", for: parts.key)

        let traces = try await [parts.trace(loader), parts.trace(loader)]

        #expect(traces == ["memory: miss, database: hit → memory: written", "memory: hit → "])
        #expect(parts.api.readCount == 0)
    }

    @Test(arguments: Way.allCases)
    func `each copy expires by its own ttl`(way: Way) async throws {
        let parts = Parts()
        let loader = try parts.loader(way)
        var traces = [try await parts.trace(loader)]
        for pause in [Duration.seconds(29), .seconds(1), .seconds(570)] {
            parts.time.advance(by: pause)
            traces.append(try await parts.trace(loader))
        }

        #expect(
            traces == [
                "memory: miss, database: miss, api: hit → memory: written, database: written",
                "memory: hit → ",
                "memory: expired, database: hit → memory: renewed",
                "memory: expired, database: expired, api: hit → memory: renewed, database: renewed",
            ])
    }

    @Test(arguments: Way.allCases)
    func `an API that fails leaves its error in the trace`(way: Way) async throws {
        let parts = Parts()
        let loader = try parts.loader(way)
        parts.api.fail(.reads)

        #expect(try await parts.trace(loader) == "memory: miss, database: miss, api: error → ")
    }
}

/// The parts of the example, and the ways to put them together.
private struct Parts {
    let time = ManualClock()
    let memory = MemorySource()
    let database: StubSource
    let api: StubOrigin
    let key = Key(pipeline: "friends")

    init() {
        database = StubSource("database", clock: time.clock)
        api = StubOrigin("api", clock: time.clock)
        api.answers("[\"friend\"]")
    }

    func loader(_ way: CompositionTests.Way) throws -> Loader {
        let memory = Tier("memory", memory, policy: TierPolicy(ttl: .seconds(30)), clock: time.clock)
        let database = Tier("database", database, policy: TierPolicy(ttl: .seconds(600)), clock: time.clock)
        let api = Tier("api", api, clock: time.clock)
        return switch way {
        case .fallback:
            memory.loader()
                .fallback(to: database.loader().storing(in: [memory]))
                .fallback(to: api.loader().storing(in: [memory, database]))
                .coalescing()
        case .nested:
            api.loader().storing(in: [memory, database])
                .below(database.loader().storing(in: [memory]))
                .below(memory.loader())
                .coalescing()
        case .yaml:
            try fromYAML()
        }
    }

    private func fromYAML() throws -> Loader {
        let text = """
            sources:
              memory: { type: memory }
              database: { type: database }
              api: { type: api }
            pipelines:
              friends:
                tiers:
                  - { source: memory, ttl: 30s }
                  - { source: database, ttl: 10m }
                  - api
            """
        let plugins = [
            SourcePlugin(cache: "memory", summary: "") { [memory] _ in memory },
            SourcePlugin(cache: "database", summary: "") { [database] _ in database },
            SourcePlugin(origin: "api", summary: "") { [api] _ in api },
        ]
        let report = ConfigFile(text: Array(text.utf8), name: "friends.yaml").report(plugins: plugins)
        return try Pipelines(report, clock: time.clock).pipeline(named: "friends").loader
    }

    /// `memory: miss, api: hit → memory: written`, when all is written.
    func trace(_ loader: Loader) async throws -> String {
        let reply = try await loader(Call(key))
        let outcome = Outcome(reply, for: key, at: time.now)
        try await outcome.waitForWrites()
        return outcome.trace + " → " + outcome.writeTrace
    }
}

extension Loader {
    /// The loader that asks `first`, and this one when that has no answer.
    fileprivate func below(_ first: Loader) -> Loader {
        first.fallback(to: self)
    }
}
