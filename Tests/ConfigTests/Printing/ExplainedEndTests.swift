import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesMemory
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// What `explain` says of failures and of values that are not there, held against pipelines that run: whatever their sources do.
@Suite struct ExplainedEndTests {
    /// What a source of each name can do; memory only misses.
    private static let behaviours: [String: [StubAnswer]] = [
        "m": [.miss], "d": [.miss, "[1]", .error()], "o": ["[1]", .notFound, .error()], "p": ["[1]", .notFound, .error()],
        "f": ["[1]", .miss, .error()], "c": ["[1]"],
    ]

    /// What came of a pipeline, all things that its sources can do taken together.
    private struct Seen {
        var asked: Set<String> = []
        var failing: Set<String> = []
        var saying: Set<String> = []
        var kinds: Set<LoadError.Kind> = []
        var hasNone = false

        mutating func note(_ outcome: Outcome) {
            for attempt in outcome.attempts where attempt.outcome != .skipped {
                asked.insert(attempt.source)
                if attempt.outcome == .error { failing.insert(attempt.source) }
            }
            switch outcome.result {
            case .failed(let error): kinds.insert(error.kind)
            case .notFound: outcome.source.map { _ = saying.insert($0) } ?? { hasNone = true }()
            case .value: break
            }
        }
    }

    private static func pipeline(_ tiers: [String], _ answers: [String: StubAnswer]) throws -> (DataPipeline, Explanation) {
        let time = ManualClock()
        func plugin(_ name: String, _ capabilities: Set<Capability>, _ make: @escaping @Sendable () -> any Source) -> SourcePlugin {
            SourcePlugin(origin: name, summary: "", capabilities: capabilities) { _ in make() }
        }
        func origin(_ name: String) -> @Sendable () -> any Source {
            { [answer = answers[name] ?? .miss] in StubOrigin(name, clock: time.clock, answering: answer) }
        }
        let report = Reading.report(
            """
            sources: { m: { type: memory }, d: { type: disk }, o: { type: one }, p: { type: other }, f: { type: flat }, c: { type: constant } }
            pipelines: { p: { write_back: none, tiers: [\(tiers.joined(separator: ", "))] } }
            """,
            plugins: [
                .memory, plugin("one", [.neverMisses], origin("o")), plugin("other", [.neverMisses], origin("p")),
                plugin("flat", [], origin("f")), plugin("constant", [.alwaysAnswers, .neverMisses], origin("c")),
                SourcePlugin(cache: "disk", summary: "", capabilities: [.keepsMetadata]) { [answer = answers["d"] ?? .miss] _ in
                    let disk = StubSource("d", clock: time.clock)
                    disk.answers(answer)
                    return disk
                },
            ])
        let pipeline = try Pipelines(report, clock: time.clock).pipeline(named: "p")
        return (pipeline, Explanation(try report.plan.pipeline("p")))
    }

    private static func seen(_ tiers: [String], _ names: [String]) async throws -> Seen {
        var choices: [[String: StubAnswer]] = [[:]]
        for name in names {
            choices = choices.flatMap { choice in (behaviours[name] ?? []).map { choice.merging([name: $0]) { $1 } } }
        }
        var seen = Seen()
        for choice in choices { seen.note(try await pipeline(tiers, choice).0.fetch()) }
        return seen
    }

    @Test(arguments: [
        ["m"], ["m", "o"], ["m", "d", "o"], ["m", "d", "f"], ["m", "c"], ["d", "o", "c"], ["m", "f", "c"], ["o fail", "f"],
        ["d", "o fail", "f"], ["d fail", "o"], ["f fail", "o"], ["f", "o fail"], ["o", "p"], ["o", "f", "d"], ["c", "m", "o"], ["f"], ["d"],
        ["m", "f fail", "p"],
    ])
    func `says all that can happen, and nothing else`(written: [String]) async throws {
        let names = written.map { String($0.prefix(1)) }
        let tiers = written.map { $0.hasSuffix("fail") ? "{ source: \($0.prefix(1)), on_error: fail }" : $0 }

        let seen = try await Self.seen(tiers, names)
        let sentences = try Self.pipeline(tiers, [:]).1.sections.flatMap(\.sentences).map(\.text)

        func those(_ isMeant: (String) -> Bool) -> Set<String> { Set(names.filter(isMeant)) }
        func has(_ words: String) -> Bool { sentences.contains { $0.contains(words) } }
        #expect(those { has("When `\($0)` fails") } == seen.failing)
        #expect(those { name in sentences.contains { $0.hasPrefix("`\(name)` is never asked") } } == Set(names).subtracting(seen.asked))
        let ends = sentences.filter { $0.contains("says that there is no value, the fetch ends") }
        #expect(those { name in ends.contains { $0.contains("`\(name)`") } } == seen.saying)
        #expect(has("fails with `every_tier_failed`") == seen.kinds.contains(.everyTierFailed))
        #expect(has("fails with `tier_failed`") == seen.kinds.contains(.tierFailed))
        #expect(has("none failed and none has a value") == seen.hasNone)
    }

    @Test func `an origin is said to limit freshness where it does`() throws {
        let limiting = SourcePlugin(origin: "limiting", summary: "", capabilities: [.neverMisses, .limitsFreshness]) { _ in
            throw CancellationError()
        }
        func ages(_ type: String) throws -> [String] {
            let report = Reading.report(
                "sources: { m: { type: memory }, o: { type: \(type) } }\npipelines: { p: { tiers: [m, o] } }",
                plugins: Reading.plugins + [limiting])
            return Explanation(try report.plan.pipeline("p")).sections.first { $0.id == "age" }?.sentences.map(\.text) ?? []
        }

        for field in ["", ", caching: none"] {
            #expect(
                try ages("http, url: http://h" + field) == [
                    "A value can be served as fresh for ever after an origin gave it: `m` has no ttl.",
                    "No header of a response of `o` changes that: its `caching` is `none`.",
                ])
        }
        #expect(
            try ages("limiting") == [
                "A value can be served as fresh for ever after an origin gave it, unless the origin limits it: `m` has no ttl."
            ])
    }

    @Test(arguments: [
        ("caching: headers", "", "at most 30d; where it does not, it is not fresh"),
        (
            "caching: private, min_freshness: 5s, max_freshness: 1h, default_freshness: 10m", "",
            "at least 5s and at most 1h; where it does not, it is fresh for 10m"
        ),
        (
            "caching: shared, default_freshness: heuristic", " to a cache of several users",
            "at most 30d; where it does not, it is fresh for a tenth of the time since `Last-Modified`"
        ),
    ])
    func `one sentence says how long copies are fresh where the response decides`(fields: String, caches: String, rest: String) throws {
        let report = Reading.report(
            "sources: { m: { type: memory }, o: { type: http, url: http://h, \(fields) } }\npipelines: { p: { tiers: [m, o] } }",
            plugins: Reading.plugins)
        let sections = Explanation(try report.plan.pipeline("p")).sections
        func sentences(_ id: String) -> [String] { sections.first { $0.id == id }?.sentences.map(\.text) ?? [] }
        let most = fields.contains("1h") ? "1h" : "30d"

        #expect(
            sentences("age") == [
                "The response of `o` says\(caches) how long a copy is fresh, \(rest); the ttl of a tier can only shorten that.",
                "A value is served as fresh for at most \(most) after an origin gave or confirmed it.",
            ])
        #expect(
            sentences("stale").first
                == "An expired copy is served for as long as the response allows by `stale-while-revalidate` or `stale-if-error`; "
                + "a copy whose response says `no-cache` or `must-revalidate` is never served expired.")
    }
}
