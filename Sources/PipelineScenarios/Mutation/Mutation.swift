internal import Pipeline
package import PipelineConfig
internal import PipelineYAML

/// The mutants of one configuration that its tests notice, and those that they do not.
package struct Mutation: Sendable {
    package enum Fate: Sendable, Equatable {
        /// A test fails.
        case killed
        /// No test fails; this one would, as YAML.
        case survived(String)
        /// No test fails, and no steps were found that show a difference.
        case equivalent
    }

    package struct Trial: Sendable {
        package let mutant: Mutant
        package let fate: Fate
    }

    /// The configuration as the user named it.
    package let config: String
    /// The trials in the order of the configuration.
    package let results: [Trial]
    /// The number of mutants that were not tried, because the task was cancelled.
    package let left: Int

    /// The number of mutants that the tests noticed.
    package var killed: Int { results.count { $0.fate == .killed } }
    /// The number of mutants there are to notice: those that are probably equivalent do not count.
    package var all: Int { results.count { $0.fate != .equivalent } }

    /// The mutants of the configurations that these suites test, each run against the tests that reach what is changed in it. When the task is
    /// cancelled, some are left. A mutant counts as equivalent if so many steps show no difference.
    package static func of(_ tested: [TestedSuite], plugins: [SourcePlugin], seed: UInt64, steps: Int = 10_000) async -> [Mutation] {
        var mutations: [Mutation] = []
        var groups: [[TestedSuite]] = []
        for tested in tested where tested.suite.isUsable {
            guard let config = tested.suite.config else { continue }
            if let index = groups.firstIndex(where: { $0[0].suite.config?.isSame(as: config) == true }) {
                groups[index].append(tested)
            } else {
                groups.append([tested])
            }
        }
        for group in groups {
            let mutation = await JobLoop.run { loop in MutationRun(group, plugins: plugins, seed: seed, steps: steps).mutation(on: loop) }
            mutations += [mutation].compactMap(\.self)
        }
        return mutations
    }
}

/// The mutants of one configuration and the suites that test it.
private struct MutationRun {
    let group: [TestedSuite]
    let plugins: [SourcePlugin]
    let seed: UInt64
    let steps: Int

    init(_ group: [TestedSuite], plugins: [SourcePlugin], seed: UInt64, steps: Int) {
        (self.group, self.plugins, self.seed, self.steps) = (group, plugins, seed, steps)
    }

    func mutation(on loop: JobLoop) -> Mutation? {
        guard let suite = group.first?.suite, let config = suite.config, let report = suite.report, let root = config.root else {
            return nil
        }
        let fetched = Set(group.flatMap(\.outcomes).map(\.pipeline))
        // A test of a composite tests the pipelines that it is made from, too.
        let names = fetched.union(report.plan.made(of: report.plan.pipelines.filter { fetched.contains($0.name) }).map(\.name))
        let variables = FieldDecoder(file: config.name, folder: config.folder, environment: environment(of: suite))
        let sent = group.flatMap(\.suite.runs).reduce(into: Set<String>()) { $0.formUnion($1.scenario.sent) }
        let mutants = MutantMaker.mutants(of: root, report.plan, pipelines: names, sends: sent) {
            variables.text(of: $0, expecting: "text")
        }
        var results: [Mutation.Trial] = []
        for (index, mutant) in mutants.enumerated() {
            guard self.report(of: mutant, suite).map({ !$0.diagnostics.hasErrors }) == true else { continue }
            let fate = fate(of: mutant, on: loop)
            if loop.isCancelled { return Mutation(config: config.plainlyNamed.name, results: results, left: mutants.count - index) }
            results.append(Mutation.Trial(mutant: mutant, fate: fate))
        }
        return Mutation(config: config.plainlyNamed.name, results: results, left: 0)
    }

    private func report(of mutant: Mutant, _ suite: ScenarioSuite) -> ConfigReport? {
        guard let config = suite.config else { return nil }
        return ConfigReport(
            of: mutant.root, file: config.name, folder: config.folder, plugins: plugins, environment: environment(of: suite))
    }

    /// The environment that the tests of `suite` give the configuration.
    private func environment(of suite: ScenarioSuite) -> ConfigEnvironment {
        ScenarioSuite.environment(Dictionary((suite.document?.environment.members ?? []).map { ($0.name, $0.value.text) }) { $1 })
    }

    private func fate(of mutant: Mutant, on loop: JobLoop) -> Mutation.Fate {
        for tested in group {
            guard let report = report(of: mutant, tested.suite) else { continue }
            let changed = tested.suite.testing(report)
            for run in runs(of: tested, reaching: mutant) {
                let outcome = changed.play(run.run, seed: run.seed, on: loop)
                if outcome?.hasPassed == false { return .killed }
            }
        }
        guard let tested = group.first, let report = report(of: mutant, tested.suite) else { return .equivalent }
        let search = DifferenceSearch(tested.suite, tested.suite.testing(report), mutant: mutant, seed: seed)
        return search?.test(among: steps, on: loop).map { .survived($0) } ?? .equivalent
    }

    /// The runs that passed and reach what is changed, also those of pipelines that are made from the changed one.
    private func runs(of tested: TestedSuite, reaching mutant: Mutant) -> [(run: ScenarioRun, seed: UInt64)] {
        let runs = tested.suite.runs
        func run(of outcome: ScenarioOutcome) -> ScenarioRun? {
            runs.first { $0.scenario.name.value == outcome.name && $0.order?.title == outcome.order }
        }
        let pipelines = (tested.suite.report?.plan).map { plan in
            plan.pipelines.filter { ([$0] + plan.made(of: [$0])).contains { $0.name == mutant.pipeline } }.map(\.name)
        }
        return tested.outcomes.filter { outcome in
            if !mutant.sends.isEmpty {
                return outcome.hasPassed && run(of: outcome).map { !$0.scenario.sent.isDisjoint(with: mutant.sends) } == true
            }
            guard outcome.hasPassed, pipelines?.contains(outcome.pipeline) == true else { return false }
            return mutant.sources.isEmpty || outcome.events.contains { $0.parts.contains { mutant.sources.contains($0.source) } }
        }.compactMap { outcome in run(of: outcome).map { ($0, outcome.seed) } }
    }
}
