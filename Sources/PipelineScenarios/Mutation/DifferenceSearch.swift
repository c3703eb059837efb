internal import Pipeline
internal import PipelineConfig

/// Looks for steps by which two configurations differ in what a fetch does.
struct DifferenceSearch {
    /// What a fetch did, as a test can expect it.
    private struct Seen: Equatable {
        let step: Int
        let attempts: [String]
        let writes: [String]
        let took: Duration
    }

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
        arguments = one.arguments(of: mutant.pipeline)
    }

    /// The test that tells the two apart, as YAML; nil where none was found.
    func test(on loop: JobLoop) -> String? {
        var drawer = StepDrawer(pipelines.0, and: pipelines.1, seed: seed)
        var count = 0
        var length = 6
        while count < Mutation.mostSteps {
            let steps = drawer.steps(length)
            count += steps.count
            // Long rows find what short ones cannot, and take longer to make short again.
            length = length == 16 ? 6 : length + 1
            guard let found = difference(of: steps, on: loop) else { continue }
            let (shrunk, seen) = shrink(Array(steps[..<found.step]), on: loop) ?? (steps, found.expected)
            return text(shrunk, expecting: seen)
        }
        return nil
    }

    /// What the first fetch that differs does by the first configuration.
    private func difference(of steps: [RandomStep], on loop: JobLoop) -> (step: Int, expected: String)? {
        guard let mine = seen(steps, in: one, on: loop), mine.hasPassed else { return nil }
        guard let theirs = seen(steps, in: other, on: loop) else { return nil }
        for (index, fetch) in mine.fetches.enumerated() {
            guard index < theirs.fetches.count else { return (fetch.step, Self.expected(fetch, nil)) }
            let its = theirs.fetches[index]
            if fetch != its { return (fetch.step, Self.expected(fetch, its)) }
        }
        return nil
    }

    private func seen(_ steps: [RandomStep], in suite: ScenarioSuite, on loop: JobLoop) -> (fetches: [Seen], hasPassed: Bool)? {
        let scenario = Scenario(
            name: Placed("", at: .beginning), pipeline: Placed(mutant.pipeline, at: .beginning), orders: [], tags: [], only: nil,
            given: NamedValues(), steps: steps.map { $0.step(with: arguments) }, range: .beginning, isSound: true)
        guard let outcome = suite.play(ScenarioRun(scenario: scenario, order: nil), seed: 1, on: loop) else { return nil }
        var time = Duration.zero
        var fetches: [Seen] = []
        for (index, step) in steps.enumerated() {
            if case .wait(let duration) = step { time += duration }
            let mine = outcome.events.filter { $0.step == index + 1 }
            if let event = mine.first(where: { $0.kind == .fetch }) {
                func words(_ kind: ScenarioEvent.Part.Kind) -> [String] {
                    event.parts.filter { $0.kind == kind }.map { "\($0.source) \($0.outcome)" }
                }
                fetches.append(Seen(step: index + 1, attempts: words(.attempt), writes: words(.write), took: event.time - time))
            }
            // A step that is no wait may take its time, too.
            time = max(time, mine.filter { $0.kind != .write && $0.kind != .refresh }.map(\.time).max() ?? .zero)
        }
        return (fetches, outcome.hasPassed)
    }

    private static func expected(_ fetch: Seen, _ other: Seen?) -> String {
        func word(_ text: String) -> String { text.contains { "[]{},:#\"'".contains($0) } ? RandomStep.quoted(text) : text }
        func list(_ words: [String]) -> String { "[" + words.map(word).joined(separator: ", ") + "]" }
        if fetch.attempts != other?.attempts { return "tiers: \(list(fetch.attempts))" }
        if fetch.writes != other?.writes { return "writes: \(list(fetch.writes))" }
        return "took: \(fetch.took.spelling)"
    }

    /// The steps without those that change nothing about the difference, which the last one shows.
    private func shrink(_ steps: [RandomStep], on loop: JobLoop) -> ([RandomStep], String)? {
        var (steps, expected) = (steps, "")
        guard let first = difference(of: steps, on: loop), first.step == steps.count else { return nil }
        expected = first.expected
        // Every origin needs its answer.
        let kept = Self.givenCount(steps)
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in steps.indices.dropLast().reversed() where index >= kept {
                var fewer = steps
                fewer.remove(at: index)
                guard let found = difference(of: fewer, on: loop), found.step == fewer.count else { continue }
                (steps, expected, hasChanged) = (fewer, found.expected, true)
            }
        }
        return (steps, expected)
    }

    /// How many of the first steps say for the first time what a source does.
    private static func givenCount(_ steps: [RandomStep]) -> Int {
        var sources: Set<String> = []
        return steps.prefix { $0.source.map { sources.insert($0).inserted } ?? false }.count
    }

    private func text(_ steps: [RandomStep], expecting expected: String) -> String {
        let given = Array(steps.prefix(Self.givenCount(steps)))
        let with = arguments.members.map { "\($0.name): \(RandomStep.quoted($0.value.text))" }.joined(separator: ", ")
        var lines = [
            "  - name: \(RandomStep.quoted(mutant.title))", "    pipeline: \(RandomStep.quoted(mutant.pipeline))",
        ]
        if !given.isEmpty { lines.append("    given: { \(given.map(\.scriptText).joined(separator: ", ")) }") }
        lines.append("    steps:")
        for (index, step) in steps.enumerated().dropFirst(given.count) {
            lines.append(
                "      - " + step.text(with.isEmpty ? "" : "with: { \(with) }", expecting: index == steps.count - 1 ? expected : ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension Mutant {
    /// The name of the test that notices it.
    fileprivate var title: String { "\(pipeline) notices that " + summary.filter { $0 != "`" } }
}

extension ScenarioSuite {
    /// The arguments of the first fetch of the pipeline in the tests.
    func arguments(of pipeline: String) -> NamedValues<ScenarioText> {
        let tests = (document?.tests ?? []).filter { ($0.pipeline ?? document?.pipeline)?.value ?? pipeline == pipeline }
        for step in tests.flatMap(\.steps) {
            switch step.action {
            case .fetch(let fetch): return fetch.arguments
            case .start(let start): return start.fetch.arguments
            default: break
            }
        }
        return NamedValues()
    }
}
