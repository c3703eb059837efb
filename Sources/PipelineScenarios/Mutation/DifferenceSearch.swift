internal import Pipeline
internal import PipelineConfig
import PipelineSending

/// Looks for steps by which two configurations differ in what a fetch does.
struct DifferenceSearch {
    /// What a step showed that a test can expect of it.
    private struct Seen: Equatable {
        let step: Int
        /// The expectations, as `tiers: [api hit]`.
        private let facts: [String]

        init?(_ events: [ScenarioEvent], of step: Int) {
            let mine = events.filter { $0.step == step }
            self.step = step
            if let fetch = mine.first(where: { $0.kind == .fetch }) {
                facts = Self.facts(ofFetch: fetch)
            } else if let send = mine.first(where: { $0.kind == .send }) {
                facts = Self.facts(ofSend: send)
            } else {
                // Of a look each is a fact by itself.
                facts = mine.filter { $0.kind == .expect }.map { $0.note ?? "" }
                if facts.isEmpty { return nil }
            }
        }

        private static func facts(ofFetch fetch: ScenarioEvent) -> [String] {
            func list(_ words: [String]) -> String { "[" + words.map(RandomStep.word).joined(separator: ", ") + "]" }
            func words(_ kind: ScenarioEvent.Part.Kind) -> String {
                list(fetch.parts.filter { $0.kind == kind }.map { "\($0.source) \($0.outcome)" })
            }
            let value = fetch.payload.map { "is: \(RandomStep.singleQuoted(String(decoding: $0, as: UTF8.self)))" }
            let sends = list(fetch.sends.map { TraceWord($0).description })
            return ["tiers: \(words(.attempt))", "writes: \(words(.write))", "sends: \(sends)"]
                + [value, "took: \(fetch.took.spelling)"].compactMap(\.self)
        }

        private static func facts(ofSend send: ScenarioEvent) -> [String] {
            guard case .step(_, let end)? = send.sending else { return ["error: true"] }
            return ["state: \(end.rawValue)", "took: \(send.took.spelling)"]
        }

        /// The first fact that another one does not have, as it is written.
        func expected(besides other: Seen?) -> String {
            facts.first { fact in other?.facts.contains(fact) != true } ?? facts.last ?? ""
        }
    }

    /// The seeds with which a proposed test holds before it is proposed, beside the seed of the search.
    private static let otherSeeds: ClosedRange<UInt64> = 2...16

    private let one: ScenarioSuite
    private let other: ScenarioSuite
    private let mutant: Mutant
    private let seed: UInt64
    private let pipelines: (PipelinePlan, PipelinePlan)
    private let arguments: NamedValues<ScenarioText>

    /// Makes a search; nil if one of the two has no such pipeline.
    init?(_ one: ScenarioSuite, _ other: ScenarioSuite, mutant: Mutant, seed: UInt64) {
        guard let mine = try? one.report?.plan.pipeline(mutant.pipeline), let theirs = try? other.report?.plan.pipeline(mutant.pipeline)
        else {
            return nil
        }
        (self.one, self.other, self.mutant, self.seed, pipelines) = (one, other, mutant, seed, (mine, theirs))
        arguments = one.arguments(of: mine)
    }

    /// The test that tells the two apart, as YAML; nil if none was found among so many steps.
    func test(among most: Int, on loop: JobLoop) -> String? {
        let parts = one.parts(of: pipelines.0) + other.parts(of: pipelines.1)
        let sends = [sends(of: pipelines.0, in: one), sends(of: pipelines.1, in: other)]
        var drawer = StepDrawer(pipelines.0, and: pipelines.1, parts: parts, sends: sends, with: arguments, seed: seed)
        var count = 0
        var length = 6
        // In every second row, so that the others find what they find without.
        var hasRare = false
        while count < most, !loop.isCancelled {
            let steps = drawer.steps(length, hasRare: hasRare)
            count += steps.count
            hasRare.toggle()
            // Long rows find what short ones cannot, and take longer to make short again.
            length = length == 16 ? 6 : length + 1
            guard let found = difference(of: steps, on: loop), holds(found, of: steps, on: loop) else { continue }
            let (shrunk, expected) = shrink(Array(steps[..<found.step]), found, on: loop)
            let test = RandomStep.test(named: mutant.title, pipeline: mutant.pipeline, shrunk, arguments, expecting: expected)
            return one.report?.redactor.redacted(test) ?? test
        }
        return nil
    }

    /// The sends that change the pipeline, and those that are mutated.
    private func sends(of pipeline: PipelinePlan, in suite: ScenarioSuite) -> [SendPlan] {
        (suite.report?.plan.sends ?? []).filter { $0.changedPipelines.contains(pipeline.name) || mutant.sends.contains($0.name) }
    }

    /// The first step that shows something else: its number, what is expected of it, and what it shows by the second configuration.
    ///
    /// It is certain where no seed changes what the first configuration does.
    private typealias Difference = (step: Int, expected: String, other: Seen?, isCertain: Bool)

    private func difference(of steps: [RandomStep], on loop: JobLoop) -> Difference? {
        guard let mine = seen(steps, of: pipelines.0, in: one, on: loop), mine.hasPassed else { return nil }
        guard let theirs = seen(steps, of: pipelines.1, in: other, on: loop) else { return nil }
        for (index, seen) in mine.steps.enumerated() {
            let its = index < theirs.steps.count ? theirs.steps[index] : nil
            if seen != its { return (seen.step, seen.expected(besides: its), its, !mine.dependsOnSeed) }
        }
        return nil
    }

    /// Indicates whether the step shows by the first configuration what is expected of it, with other seeds, too.
    private func holds(_ found: Difference, of steps: [RandomStep], on loop: JobLoop) -> Bool {
        if found.isCertain { return true }
        let steps = Array(steps[..<found.step])
        return Self.otherSeeds.allSatisfy { seed in
            guard let run = seen(steps, of: pipelines.0, in: one, seed: seed, on: loop), run.hasPassed else { return false }
            return run.steps.last.map { $0.step == found.step && $0.expected(besides: found.other) == found.expected } ?? false
        }
    }

    private func seen(
        _ steps: [RandomStep], of pipeline: PipelinePlan, in suite: ScenarioSuite, seed: UInt64 = 1, on loop: JobLoop
    ) -> (steps: [Seen], hasPassed: Bool, dependsOnSeed: Bool)? {
        guard let run = ExploredRun.play(steps, of: pipeline, in: suite, with: arguments, seed: seed, on: loop) else { return nil }
        let seen = steps.indices.compactMap { Seen(run.outcome.events, of: $0 + 1) }
        return (seen, run.outcome.hasPassed, run.outcome.dependsOnSeed)
    }

    /// The steps without those that change nothing about the difference, which the last one shows with every seed.
    private func shrink(_ steps: [RandomStep], _ found: Difference, on loop: JobLoop) -> (steps: [RandomStep], expected: String) {
        // Other seeds are asked at each step only where they do not agree about the end.
        for asksAll in [false, true] {
            var last = found
            let shrunk = RandomStep.shrink(steps) { fewer in
                guard let found = difference(of: fewer, on: loop), found.step == fewer.count else { return false }
                guard !asksAll || holds(found, of: fewer, on: loop) else { return false }
                last = found
                return true
            }
            if asksAll || holds(last, of: shrunk, on: loop) { return (shrunk, last.expected) }
        }
        return (steps, found.expected)
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
