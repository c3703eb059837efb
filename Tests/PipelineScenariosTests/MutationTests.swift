import PipelineConfig
import PipelineReports
import PipelineScenarios
import PipelineYAML
import Testing

/// What tests notice of a changed configuration.
struct MutationTests {
    private static func mutation(_ text: String, config: String = "mutated.yaml", steps: Int = 2_000) async throws -> Mutation {
        let tested = await Tested.play(Written.suite(text, config: config))
        try #require(Tested.report(of: tested) == "")
        return try #require(await Mutation.of([tested], plugins: Tested.plugins, seed: 1, steps: steps).first)
    }

    private static let first = """
        tests:
          - name: a copy in memory answers
            pipeline: friends
            given: { api: '[1]' }
            steps:
              - fetch: { from: api }
              - fetch: { tiers: [memory hit] }

        """

    @Test func `each change is made once, killed where a test notices it, and survives where none does`() async throws {
        let mutation = try await Self.mutation(Self.first)

        #expect(
            mutation.results.map(\.mutant.summary) == [
                "answers of `disk` are not written to `memory`", "answers of `api` are not written to `memory`",
                "answers of `api` are not written to `disk`", "`memory` and `disk` are swapped", "`memory` is dropped",
                "`read` of `memory` is `false`", "`write` of `memory` is `false`", "`ttl: 30s` of `memory` is dropped",
                "`ttl: 30s` of `memory` is `15s`", "`ttl: 30s` of `memory` is `1m`", "`disk` and `api` are swapped", "`disk` is dropped",
                "`on_error` of `disk` is `fail`", "`read` of `disk` is `false`", "`write` of `disk` is `false`",
                "`ttl: 10m` of `disk` is dropped", "`ttl: 10m` of `disk` is `5m`", "`ttl: 10m` of `disk` is `20m`",
                "`debounce: 2s` of `disk` is dropped", "`debounce: 2s` of `disk` is `1s`", "`debounce: 2s` of `disk` is `4s`",
                "`api` is dropped", "`on_error` of `api` is `fail`", "`read` of `api` is `false`", "`timeout: 1s` of `api` is dropped",
                "`timeout: 1s` of `api` is `500ms`", "`timeout: 1s` of `api` is `2s`", "`stale_if_error: 1d` is dropped",
                "`stale_if_error: 1d` is `12h`", "`stale_if_error: 1d` is `2d`",
            ])
        // Below it no tier is asked, whether it ends the fetch or not.
        #expect(mutation.results.filter { $0.fate == .equivalent }.map(\.mutant.summary) == ["`on_error` of `api` is `fail`"])
        func fate(_ summary: String) -> Mutation.Fate? { mutation.results.first { $0.mutant.summary == summary }?.fate }

        #expect(fate("`memory` is dropped") == .killed)
        #expect(fate("`read` of `memory` is `false`") == .killed)
        #expect(fate("`write` of `memory` is `false`") == .killed)
        let survivor = fate("`ttl: 30s` of `memory` is `1m`")
        guard case .survived(let test)? = survivor else {
            Issue.record("\(String(describing: survivor))")
            return
        }
        #expect(test.hasPrefix("  - name: \"friends notices that ttl: 30s of memory is 1m\"\n    pipeline: \"friends\"\n"))
        #expect(MutationReport([mutation]).text.contains(test))
        #expect(MutationReport([mutation]).text.contains("\(mutation.killed)/\(mutation.all) killed"))
    }

    @Test func `what held copies, slow caches and rows of puts show is found, and the proposed tests kill it`() async throws {
        let text = """
            tests:
              - name: the default answers
                pipeline: rare
                steps:
                  - fetch: { from: standard }

            """

        let before = try await Self.mutation(text, steps: 10_000)
        let proposed = before.results.compactMap { result -> (summary: String, test: String)? in
            guard case .survived(let test) = result.fate else { return nil }
            return (result.mutant.summary, test)
        }
        let after = try await Self.mutation(text + proposed.map(\.test).joined())

        let rare = [
            "`max_delay: 5s` of `disk` is dropped", "`max_delay: 5s` of `disk` is `2s500ms`", "`max_delay: 5s` of `disk` is `10s`",
            "`timeout: 1s` of `disk` is dropped", "`timeout: 1s` of `disk` is `500ms`", "`timeout: 1s` of `disk` is `2s`",
            "`ttl: 1h` of `far` is dropped", "`ttl: 1h` of `far` is `30m`", "`ttl: 1h` of `far` is `2h`",
        ]
        #expect(rare.filter { summary in !proposed.contains { $0.summary == summary } } == [])
        #expect(after.killed == after.all && after.all >= before.all)
    }

    @Test func `a duration that a variable gives is halved and doubled, in its place`() async throws {
        let text = """
            environment: { KEPT: 1h }
            tests:
              - name: memory
                pipeline: varied
                steps:
                  - fetch: { from: standard }
                  - fetch: { from: memory }

            """

        let mutation = try await Self.mutation(text, config: "varied.yaml")

        let mutants = mutation.results.map(\.mutant)
        let ofTimes = mutants.filter { $0.summary.contains("ttl") }
        #expect(
            ofTimes.map(\.summary) == [
                "`ttl: ${TTL:-30s}` of `memory` is dropped", "`ttl: ${TTL:-30s}` of `memory` is `15s`",
                "`ttl: ${TTL:-30s}` of `memory` is `1m`", "`ttl: ${KEPT}` of `disk` is dropped", "`ttl: ${KEPT}` of `disk` is `30m`",
                "`ttl: ${KEPT}` of `disk` is `2h`",
            ])
        #expect(Set(ofTimes.map(\.range.start)) == [TextPosition(line: 11, column: 27), TextPosition(line: 12, column: 25)])
        #expect(mutation.results.filter { $0.mutant.summary.contains("ttl") && $0.fate == .equivalent }.map(\.mutant.summary) == [])
    }

    @Test func `a test of a composite notices what is changed in its parts`() async throws {
        let text = """
            tests:
              - name: a part answers
                pipeline: friends
                given: { friends: '[1]' }
                steps:
                  - fetch: { with: { user: 42 }, from: friends }
              - name: a part is kept longer than the whole
                pipeline: home
                given: { friends: '[1]', ads: '[2]' }
                steps:
                  - fetch: { with: { user: 42 } }
                  - wait: 10s
                  - fetch: { with: { user: 42 } }
                  - expect: { friends: { calls: 1 } }
            """

        let mutation = try await Self.mutation(text, config: "combine.yaml")

        let result = mutation.results.first { $0.mutant.pipeline == "friends" && $0.mutant.summary == "`memory` is dropped" }
        #expect(result?.fate == .killed)
    }

    @Test func `the tests that are proposed for a composite script the origins of its parts`() async throws {
        let text = """
            tests:
              - name: the whole
                pipeline: home
                given: { friends: '[1]', ads: '[2]' }
                steps:
                  - fetch: { with: { user: 42 }, from: combine }

            """

        let before = try await Self.mutation(text, config: "combine.yaml")
        let proposed = before.results.compactMap { result -> (pipeline: String, test: String)? in
            guard case .survived(let test) = result.fate else { return nil }
            return (result.mutant.pipeline, test)
        }
        let after = try await Self.mutation(text + proposed.map(\.test).joined(), config: "combine.yaml")

        let ofWhole = proposed.filter { $0.pipeline == "home" }.map(\.test)
        #expect(!ofWhole.isEmpty && ofWhole.allSatisfy { $0.contains("given: { friends: ") && !$0.contains("combine: ") })
        // No test fetches the parts themselves.
        #expect(Set(before.results.map(\.mutant.pipeline)) == ["ads", "friends", "home"])
        #expect(proposed.contains { $0.pipeline == "friends" && $0.test.contains("    pipeline: \"friends\"\n") })
        #expect(after.killed == after.all && after.all >= before.all)
    }

    @Test func `one configuration by two paths counts once, by its plain name`() async {
        let tested = [
            await Tested.play(Written.suite(Self.first, config: "Formats/../mutated.yaml")),
            await Tested.play(Written.suite(Self.first.replacing("memory answers", with: "memory is asked"), config: "mutated.yaml")),
        ]

        let mutations = await Mutation.of(tested, plugins: Tested.plugins, seed: 1)
        let coverage = Coverage(of: tested)

        #expect(mutations.map(\.config) == [Tested.folder + "mutated.yaml"])
        #expect(coverage.configs.map(\.file.name) == [Tested.folder + "mutated.yaml"])
        #expect(coverage.count == Coverage(of: [tested[1]]).count)
    }

    @Test func `the tests that are proposed kill what survived`() async throws {
        let second = """
              - name: a guarded fetch
                pipeline: guarded
                given: { api: '[1]', backup: '[2]' }
                steps:
                  - fetch: { with: { user: 42 }, from: api }

            """
        let text = Self.first + second
        let before = try await Self.mutation(text)
        let proposed = before.results.compactMap { result in if case .survived(let test) = result.fate { test } else { nil } }
        try #require(proposed.count > 20)

        let after = try await Self.mutation(text + proposed.joined())

        #expect(before.killed < before.all)
        #expect(after.results.filter { $0.fate != .killed && $0.fate != .equivalent }.map(\.mutant.summary) == [])
        #expect(after.killed == after.all)
        #expect(after.all >= before.all)
    }

    @Test(arguments: [
        ("plain", "{ api: '[1]' }", "fetch, { wait: 10s }, fetch, kill, fetch", false),
        ("spread", "{ api: '[1]' }", "fetch", true), ("retried", "{ api: '[1]' }", "fetch", false),
        ("retried", "{ api: [error, '[1]'] }", "fetch", true),
    ])
    func `a run depends on its seed where it asks for a random number`(pipeline: String, given: String, steps: String, depends: Bool) async
    {
        let outcome = await Written.play(Written.test(pipeline: pipeline, given: given, steps + ", { expect: { api: { reads: 0 } } }"))

        #expect(outcome?.dependsOnSeed == depends)
    }

    @Test func `a proposed test holds with every seed, where ttls and pauses are random, too`() async throws {
        let text =
            Written.test(pipeline: "spread", "fetch: { from: api }")
            + Written.test(pipeline: "retried", "fetch: { from: api }")
            .replacing("tests:\n", with: "").replacing("a test", with: "another")
        let mutation = try await Self.mutation(text, config: "policies.yaml")
        let proposed = mutation.results.compactMap { result in if case .survived(let test) = result.fate { test } else { nil } }
        let suite = Written.suite("tests:\n" + proposed.joined())

        let tested = await TestedSuite.play(suite.runs, of: suite, seeds: 1...40)

        #expect(proposed.count > 10)
        #expect(Tested.report(of: tested) == "")
    }
}
