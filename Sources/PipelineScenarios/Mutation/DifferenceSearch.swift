internal import Pipeline
internal import PipelineConfig

/// Looks for steps by which two configurations differ in what a fetch does.
struct DifferenceSearch {
    /// What a fetch did, as a test can expect it.
    private struct Seen: Equatable {
        let step: Int
        let attempts: [String]
        let writes: [String]
        let payload: [UInt8]?
        let took: Duration

        init(_ fetch: ExploredRun.Fetch) {
            func words(_ kind: ScenarioEvent.Part.Kind) -> [String] {
                fetch.event.parts.filter { $0.kind == kind }.map { "\($0.source) \($0.outcome)" }
            }
            (step, attempts, writes) = (fetch.event.step, words(.attempt), words(.write))
            (payload, took) = (fetch.event.payload, fetch.event.took)
        }
    }

    /// The seeds with which a proposed test holds before it is proposed, beside that of the search.
    private static let otherSeeds: ClosedRange<UInt64> = 2...16

    private let one: ScenarioSuite
    private let other: ScenarioSuite
    private let mutant: Mutant
    private let seed: UInt64
    private let pipelines: (PipelinePlan, PipelinePlan)
    private let arguments: NamedValues<ScenarioText>

    /// Nil where one of the two has no such pipeline.
    init?(_ one: ScenarioSuite, _ other: ScenarioSuite, mutant: Mutant, seed: UInt64) {
        guard let mine = try? one.report?.plan.pipeline(mutant.pipeline), let theirs = try? other.report?.plan.pipeline(mutant.pipeline)
        else {
            return nil
        }
        (self.one, self.other, self.mutant, self.seed, pipelines) = (one, other, mutant, seed, (mine, theirs))
        arguments = one.arguments(of: mine)
    }

    /// The test that tells the two apart, as YAML; nil where none was found.
    func test(on loop: JobLoop) -> String? {
        let parts = one.parts(of: pipelines.0) + other.parts(of: pipelines.1)
        var drawer = StepDrawer(pipelines.0, and: pipelines.1, parts: parts, with: arguments, seed: seed)
        var count = 0
        var length = 6
        // In every second row, so that the others find what they find without.
        var hasRare = false
        while count < Mutation.mostSteps {
            let steps = drawer.steps(length, hasRare: hasRare)
            count += steps.count
            hasRare.toggle()
            // Long rows find what short ones cannot, and take longer to make short again.
            length = length == 16 ? 6 : length + 1
            guard let found = difference(of: steps, on: loop) else { continue }
            let (shrunk, expected) = shrink(Array(steps[..<found.step]), found.expected, on: loop)
            let test = RandomStep.test(named: mutant.title, pipeline: mutant.pipeline, shrunk, arguments, expecting: expected)
            return one.report?.redactor.redacted(test) ?? test
        }
        return nil
    }

    /// What the first fetch that differs does by the first configuration, with every seed.
    private func difference(of steps: [RandomStep], on loop: JobLoop) -> (step: Int, expected: String)? {
        guard let mine = seen(steps, of: pipelines.0, in: one, on: loop), mine.hasPassed else { return nil }
        guard let theirs = seen(steps, of: pipelines.1, in: other, on: loop) else { return nil }
        let its: [Seen?] = theirs.fetches + Array(repeating: nil, count: max(0, mine.fetches.count - theirs.fetches.count))
        guard let index = mine.fetches.indices.first(where: { mine.fetches[$0] != its[$0] }) else { return nil }
        let (step, expected) = (mine.fetches[index].step, Self.expected(mine.fetches[index], its[index]))
        let steps = Array(steps[..<step])
        let holds = Self.otherSeeds.allSatisfy { seed in
            guard let run = seen(steps, of: pipelines.0, in: one, seed: seed, on: loop), run.hasPassed else { return false }
            return run.fetches.last.map { $0.step == step && Self.expected($0, its[index]) == expected } ?? false
        }
        return holds ? (step, expected) : nil
    }

    private func seen(
        _ steps: [RandomStep], of pipeline: PipelinePlan, in suite: ScenarioSuite, seed: UInt64 = 1, on loop: JobLoop
    ) -> (fetches: [Seen], hasPassed: Bool)? {
        guard let run = ExploredRun.play(steps, of: pipeline, in: suite, with: arguments, seed: seed, on: loop) else { return nil }
        return (run.fetches.map(Seen.init), run.outcome.hasPassed)
    }

    private static func expected(_ fetch: Seen, _ other: Seen?) -> String {
        func list(_ words: [String]) -> String { "[" + words.map(RandomStep.word).joined(separator: ", ") + "]" }
        if fetch.attempts != other?.attempts { return "tiers: \(list(fetch.attempts))" }
        if fetch.writes != other?.writes { return "writes: \(list(fetch.writes))" }
        if fetch.payload != other?.payload, let payload = fetch.payload {
            return "is: \(RandomStep.singleQuoted(String(decoding: payload, as: UTF8.self)))"
        }
        return "took: \(fetch.took.spelling)"
    }

    /// The steps without those that change nothing about the difference, which the last one shows.
    private func shrink(_ steps: [RandomStep], _ found: String, on loop: JobLoop) -> (steps: [RandomStep], expected: String) {
        var expected = found
        let shrunk = RandomStep.shrink(steps) { fewer in
            guard let found = difference(of: fewer, on: loop), found.step == fewer.count else { return false }
            expected = found.expected
            return true
        }
        return (shrunk, expected)
    }
}

extension Mutant {
    /// The name of the test that notices it.
    fileprivate var title: String { "\(pipeline) notices that " + summary.filter { $0 != "`" } }
}

extension ScenarioSuite {
    /// The arguments of the first fetch of the pipeline in the tests; `1` for each parameter where no test fetches it.
    func arguments(of pipeline: PipelinePlan) -> NamedValues<ScenarioText> {
        let tests = (document?.tests ?? []).filter { ($0.pipeline ?? document?.pipeline)?.value ?? pipeline.name == pipeline.name }
        for step in tests.flatMap(\.steps) {
            switch step.action {
            case .fetch(let fetch): return fetch.arguments
            case .start(let start): return start.fetch.arguments
            default: break
            }
        }
        return NamedValues(
            pipeline.parameters.map { NamedValues.Member(name: $0.name, range: .beginning, value: ScenarioText("1")) })
    }

    /// The pipelines that a composite is made from, and those that these link to; none for another pipeline.
    func parts(of pipeline: PipelinePlan) -> [PipelinePlan] {
        pipeline.combine == nil ? [] : report?.plan.made(of: [pipeline]) ?? []
    }
}
