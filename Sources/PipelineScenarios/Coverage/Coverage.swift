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
        for tested in tested where tested.suite.isUsable { add(tested) }
    }

    /// All points of all configurations.
    package var count: Count { Count(of: configs.flatMap(\.orders).flatMap(\.points)) }

    private mutating func add(_ tested: TestedSuite) {
        guard let config = tested.suite.config, let report = tested.suite.report else { return }
        let index = configs.firstIndex { $0.file.name == config.name } ?? configs.count
        if index == configs.count {
            let orders = report.plan.pipelines.map { Order($0, title: nil) }
            configs.append(Config(file: config, secretRanges: report.secretRanges, orders: orders))
        }
        for outcome in tested.outcomes { unplanned.formUnion(configs[index].add(outcome, of: tested.suite, report.plan)) }
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
    fileprivate mutating func add(_ outcome: ScenarioOutcome, of suite: ScenarioSuite, _ plan: Plan) -> [String] {
        guard let own = plan.pipelines.first(where: { $0.name == outcome.pipeline }) else { return [] }
        let sources = outcome.order.map { suite.order(named: $0)?.sources ?? $0.split(separator: ",").map(String.init) }
        let base = sources.flatMap { try? own.asking($0, from: plan.sources) } ?? own
        let scenario = suite.document?.tests.first { $0.name.value == outcome.name }
        let orders = CoverageOrders(scenario, base: base, plan)
        let trace = CoverageTrace(outcome.events, orders)
        let asserted = CoverageAsserted(trace, outcome.checks).asserted
        let places = orders.pipelines.enumerated().map { place(of: $1, titled: $0 == 0 ? outcome.order : nil) }
        var (reachedIDs, assertedIDs): (Set<Place>, Set<Place>) = ([], [])
        for (index, occurrence) in trace.occurrences.enumerated() {
            let place = Place(order: places[occurrence.order], id: occurrence.id)
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
    private mutating func place(of pipeline: PipelinePlan, titled title: String?) -> Int {
        let sources = pipeline.tiers.map(\.source.name)
        if let index = orders.firstIndex(where: { $0.pipeline == pipeline.name && $0.sources == sources }) { return index }
        let order = Coverage.Order(pipeline, title: title ?? sources.joined(separator: ","))
        let last = orders.lastIndex { $0.pipeline == pipeline.name } ?? orders.count - 1
        orders.insert(order, at: last + 1)
        return last + 1
    }
}
