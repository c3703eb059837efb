internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// What tests reached of the configurations that they test, and what their expectations depended on.
package struct Coverage: Sendable {
    /// One pipeline in one order.
    package struct Order: Sendable {
        package let pipeline: String
        /// The name of the order, or its sources with commas; nil for the pipeline's own.
        package let title: String?
        package let sources: [String]
        /// In reading order.
        package fileprivate(set) var points: [CoveragePoint]
    }

    /// One configuration.
    package struct Config: Sendable {
        package let file: ConfigFile
        /// Where secrets stand in it.
        package let secretRanges: [TextRange]
        /// Each pipeline in its own order, and in each order that a test ran in.
        package fileprivate(set) var orders: [Order]

        /// The names of the pipelines, in the order of the file.
        package var pipelines: [String] {
            orders.reduce(into: []) { names, order in if !names.contains(order.pipeline) { names.append(order.pipeline) } }
        }
    }

    /// How many of the points.
    package struct Count: Sendable, Equatable {
        package let all: Int
        package let reached: Int
        package let asserted: Int

        package init(of points: some Sequence<CoveragePoint>) {
            (all, reached, asserted) = points.reduce(into: (0, 0, 0)) { sum, point in
                sum = (sum.0 + 1, sum.1 + (point.reached > 0 ? 1 : 0), sum.2 + (point.asserted > 0 ? 1 : 0))
            }
        }

        /// `17/24 reached, 12/24 asserted`.
        package var text: String { "\(reached)/\(all) reached, \(asserted)/\(all) asserted" }
    }

    /// Each configuration once, in the order of the test files.
    package private(set) var configs: [Config] = []
    /// What runs reached although the plan says that it cannot happen: a script may have an origin fail that never does.
    package private(set) var unplanned: Set<String> = []

    package init(of tested: [TestedSuite]) {
        let usable = tested.filter(\.suite.isUsable)
        // All orders first: what a step does in one counts wherever the test stands that runs in it.
        for tested in usable { addOrders(of: tested) }
        for tested in usable { count(tested) }
    }

    /// All points of all configurations.
    package var count: Count { Count(of: configs.flatMap(\.orders).flatMap(\.points)) }

    private mutating func addOrders(of tested: TestedSuite) {
        guard let config = tested.suite.config, let report = tested.suite.report else { return }
        let index = configs.firstIndex { $0.file.isSame(as: config) } ?? configs.count
        if index == configs.count {
            let orders = report.plan.pipelines.map { Order($0, title: nil) }
            configs.append(Config(file: config.plainlyNamed, secretRanges: report.secretRanges, orders: orders))
        }
        for outcome in tested.outcomes {
            guard let title = outcome.order, let pipeline = outcome.asked(in: tested.suite, report.plan) else { continue }
            configs[index].add(pipeline, titled: title)
        }
    }

    private mutating func count(_ tested: TestedSuite) {
        guard let report = tested.suite.report, let config = tested.suite.config,
            let index = configs.firstIndex(where: { $0.file.isSame(as: config) })
        else { return }
        for outcome in tested.outcomes { unplanned.formUnion(configs[index].count(outcome, of: tested.suite, report.plan)) }
    }
}

extension ScenarioOutcome {
    /// The pipeline in the order in which the run asked.
    fileprivate func asked(in suite: ScenarioSuite, _ plan: Plan) -> PipelinePlan? {
        guard let own = plan.pipelines.first(where: { $0.name == pipeline }) else { return nil }
        let sources = order.map { suite.order(named: $0)?.sources ?? $0.split(separator: ",").map(String.init) }
        return sources.flatMap { try? own.asking($0, from: plan.sources) } ?? own
    }
}

extension Coverage.Order {
    fileprivate init(_ pipeline: PipelinePlan, title: String?) {
        self.pipeline = pipeline.name
        self.title = title
        sources = pipeline.tiers.map(\.source.name)
        points = CoveragePlan(pipeline).points
    }

    package var count: Coverage.Count { Coverage.Count(of: points) }
}

extension Coverage.Config {
    /// The points of all orders of a pipeline.
    package func count(of pipeline: String) -> Coverage.Count {
        Coverage.Count(of: orders.lazy.filter { $0.pipeline == pipeline }.flatMap(\.points))
    }

    /// Counts what a run reached; gives what cannot happen by the plan.
    fileprivate mutating func count(_ outcome: ScenarioOutcome, of suite: ScenarioSuite, _ plan: Plan) -> [String] {
        guard let base = outcome.asked(in: suite, plan) else { return [] }
        let scenario = suite.document?.tests.first { $0.name.value == outcome.name }
        // What a composite asks is reached in the pipelines of its parts.
        let parts = base.tiers.contains(where: \.source.isComposite) ? plan.made(of: [base]) : []
        let all = [CoverageOrders(scenario, base: base, plan)] + parts.map { CoverageOrders(nil, base: $0, plan) }
        return all.flatMap { count(outcome, in: $0) }
    }

    private mutating func count(_ outcome: ScenarioOutcome, in orders: CoverageOrders) -> [String] {
        let trace = CoverageTrace(outcome.events, orders)
        let asserted = CoverageAsserted(trace, outcome.checks).asserted
        // What a step does in an order that no test runs in is not counted.
        let places = orders.pipelines.map(index)
        var (reachedIDs, assertedIDs): (Set<Place>, Set<Place>) = ([], [])
        for (index, occurrence) in trace.occurrences.enumerated() {
            guard let order = places[occurrence.order] else { continue }
            let place = Place(order: order, id: occurrence.id)
            reachedIDs.insert(place)
            if asserted.contains(index) { assertedIDs.insert(place) }
        }
        let unplanned = reachedIDs.filter { !change($0) { $0.reached += 1 } }
        for place in assertedIDs { _ = change(place) { $0.asserted += 1 } }
        return unplanned.map { "\(outcome.title): \($0.id.element) \($0.id.branch)" }
    }

    private struct Place: Hashable {
        let order: Int
        let id: CoveragePoint.ID
    }

    /// Changes a point; false where there is none.
    private mutating func change(_ place: Place, _ body: (inout CoveragePoint) -> Void) -> Bool {
        guard let index = orders[place.order].points.firstIndex(where: { $0.id == place.id }) else { return false }
        body(&orders[place.order].points[index])
        return true
    }

    /// The order that asks as `pipeline` does.
    private func index(of pipeline: PipelinePlan) -> Int? {
        orders.firstIndex { $0.pipeline == pipeline.name && $0.sources == pipeline.tiers.map(\.source.name) }
    }

    /// Adds an order, where it is new.
    fileprivate mutating func add(_ pipeline: PipelinePlan, titled title: String) {
        guard index(of: pipeline) == nil else { return }
        let last = orders.lastIndex { $0.pipeline == pipeline.name } ?? orders.count - 1
        orders.insert(Coverage.Order(pipeline, title: title), at: last + 1)
    }
}
