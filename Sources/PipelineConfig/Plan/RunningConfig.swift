package import Pipeline
import PipelineComposing
import PipelineLive
import PipelineSending

/// Pipelines that run, and the configuration they were made from: another one can take over from them.
package struct RunningConfig: Sendable {
    /// The pipelines.
    package let pipelines: Pipelines
    private let plan: Plan
    private let effective: EffectiveConfig
    private let sources: [ExactName: SourceSpec]
    private let surroundings: Surroundings

    /// What stays when another configuration takes over.
    private struct Surroundings: Sendable {
        let clock: PipelineClock
        let random: RandomGenerator
        let observers: [PipelineEvent.Observer]
        let swaps: SourceSwaps
    }

    /// Builds what `report` planned.
    ///
    /// Throws ``ConfigError`` when the report has errors, and what a plugin throws when it cannot make its source.
    ///
    /// - Parameters:
    ///   - effective: what the report was read from, with the same environment.
    ///   - redactor: masks what is secret, also of the configurations that take over.
    ///   - swaps: sources that others take the place of, also in the configurations that take over.
    package init(
        _ report: ConfigReport, _ effective: EffectiveConfig, redactor: Redactor, swapping swaps: SourceSwaps = .none,
        clock: PipelineClock = .system, random: RandomGenerator = .system, observers: [PipelineEvent.Observer] = []
    ) throws {
        let surroundings = Surroundings(clock: clock, random: random, observers: observers, swaps: swaps)
        let made = try Self.sources(of: report, surroundings)
        let pipelines = try Pipelines(
            report.plan.specs(of: made), sends: report.plan.sendSpecs(of: made), otherSources: report.plan.inOrder(made), clock: clock,
            random: random, redactor: redactor, observers: observers)
        self.init(pipelines: pipelines, plan: report.plan, effective: effective, sources: made, surroundings: surroundings)
    }

    private init(
        pipelines: Pipelines, plan: Plan, effective: EffectiveConfig, sources: [ExactName: SourceSpec], surroundings: Surroundings
    ) {
        self.pipelines = pipelines
        self.plan = plan
        self.effective = effective
        self.sources = sources
        self.surroundings = surroundings
    }

    /// Pipelines of another configuration that take over: see ``Pipelines/succeeded(by:sends:otherSources:keeping:)``.
    ///
    /// What is declared as before goes on, a pipeline only if the sends that change it are, too. Declarations are compared by what they come to, with the values of variables and files, wherever
    /// they stand. Throws as the initializer does, and then changes nothing.
    package func succeeded(by report: ConfigReport, _ effective: EffectiveConfig) throws -> RunningConfig {
        let names = report.plan.sources.filter { isUnchanged($0, in: report.plan, effective) }.map { ExactName($0.name) }
        let kept = names.reduce(into: [:]) { $0[$1] = sources[$1] }
        let made = try Self.sources(of: report, surroundings, keeping: kept)
        let specs = report.plan.specs(of: made)
        let unchanged = specs.filter { spec in
            effective.root["pipelines"]?.isSame(spec.name, in: self.effective.root["pipelines"]) == true
                && (spec.tiers.filter { $0.name != CompositeSpec.placeName }.map(\.name) + spec.live.map(\.name)).allSatisfy {
                    kept[ExactName($0)] != nil
                }
                && areSendsUnchanged(changing: spec.name, in: report.plan, effective, kept)
        }
        let pipelines = try pipelines.succeeded(
            by: specs, sends: report.plan.sendSpecs(of: made), otherSources: report.plan.inOrder(made),
            keeping: Self.keptWithParts(Set(unchanged.map(\.name)), of: specs))
        return RunningConfig(pipelines: pipelines, plan: report.plan, effective: effective, sources: made, surroundings: surroundings)
    }

    /// Those of `unchanged` whose parts, and the parts of these, are among them, too.
    private static func keptWithParts(_ unchanged: Set<String>, of specs: [PipelineSpec]) -> Set<String> {
        let links = Dictionary(specs.map { ($0.name, $0.links) }) { first, _ in first }
        var users: [String: [String]] = [:]
        for spec in specs where spec.combine != nil {
            for part in CompositeCheck.combinedPipelines(spec.combine, links: { links[$0] ?? [] }) {
                users[part, default: []].append(spec.name)
            }
        }
        var kept = unchanged
        var changed = specs.map(\.name).filter { !unchanged.contains($0) }
        while let part = changed.popLast() {
            for user in users[part] ?? [] where kept.remove(user) != nil { changed.append(user) }
        }
        return kept
    }

    /// Whether the sends of `plan` that change `pipeline` are those that change it now, with their sources.
    private func areSendsUnchanged(
        changing pipeline: String, in plan: Plan, _ effective: EffectiveConfig, _ kept: [ExactName: SourceSpec]
    ) -> Bool {
        let (sends, former) = (plan.sends(changing: pipeline), self.plan.sends(changing: pipeline))
        return sends.count == former.count
            && sends.allSatisfy { send in
                effective.root["sends"]?.isSame(send.name, in: self.effective.root["sends"]) == true
                    && [send.target.name, send.outbox.name].allSatisfy { kept[ExactName($0)] != nil }
            }
    }

    /// Whether `source` of `plan` is what the source of its name is now.
    private func isUnchanged(_ source: SourceConfig, in plan: Plan, _ effective: EffectiveConfig) -> Bool {
        guard effective.root["sources"]?.isSame(source.name, in: self.effective.root["sources"]) == true else { return false }
        // A cache that removes copies by itself would have to keep them longer now. One in memory removes none for their age.
        return source.capabilities?.contains(.answersAtOnce) == true
            || plan.longestStale(of: source.name) <= self.plan.longestStale(of: source.name)
    }

    private static func sources(
        of report: ConfigReport, _ surroundings: Surroundings, keeping known: [ExactName: SourceSpec] = [:]
    ) throws -> [ExactName: SourceSpec] {
        guard !report.diagnostics.hasErrors else { throw ConfigError(report.diagnostics) }
        let swapped = try surroundings.swaps.sources(in: report, clock: surroundings.clock)
        return try report.plan.sourceSpecs(
            clock: surroundings.clock, random: surroundings.random, observers: surroundings.observers, placing: surroundings.swaps.place,
            keeping: swapped.merging(known) { _, known in known })
    }
}

extension EffectiveValue {
    /// Whether the member called `name` is the same in both.
    fileprivate func isSame(_ name: String, in other: EffectiveValue?) -> Bool {
        guard let value = self[name], let former = other?[name] else { return false }
        return value.isSame(as: former)
    }

    /// Whether both come to the same value, wherever they stand. The order of members counts for nothing.
    private func isSame(as other: EffectiveValue) -> Bool {
        switch (content, other.content) {
        // The texts are masked, also where something else is a secret now.
        case (.scalar(let scalar), .scalar(let former)): scalar.mustBePlain == former.mustBePlain && identity == other.identity
        case (.list(let elements), .list(let former)):
            elements.count == former.count && zip(elements, former).allSatisfy { $0.isSame(as: $1) }
        case (.mapping(let members), .mapping(let former)):
            members.count == former.count && members.allSatisfy { member in other[member.key].map { member.value.isSame(as: $0) } ?? false }
        default: false
        }
    }
}
