internal import Pipeline
package import PipelineConfig
package import PipelineYAML

/// The points of the tested configurations that tests reached, and those that their expectations depended on.
package struct Coverage: Sendable {
    /// One pipeline, in one order or in all of them.
    package struct Order: Sendable {
        package let pipeline: String
        /// The name of the order, or its sources with commas; nil for the pipeline's own, and for all.
        package let title: String?
        package let sources: [String]
        /// The points in reading order.
        package fileprivate(set) var points: [CoveragePoint]
    }

    /// One configuration.
    package struct Config: Sendable {
        package let file: ConfigFile
        /// The places of secrets in the text.
        package let secretRanges: [TextRange]
        /// Each pipeline; by order, in its own one and in each that a test ran in.
        package fileprivate(set) var orders: [Order]

        /// The names of the pipelines, in the order of the file.
        package var pipelines: [String] {
            orders.reduce(into: []) { names, order in if !names.contains(order.pipeline) { names.append(order.pipeline) } }
        }
    }

    /// The number of the points.
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
    /// The points that runs reached although the plan says that they cannot happen: a script may have an origin fail that never does.
    package private(set) var unplanned: Set<String> = []

    /// - Parameter byOrder: whether each order of a pipeline has points of its own. Otherwise what can happen in several of them is one point,
    ///   which is reached when a test reaches it in any.
    package init(of tested: [TestedSuite], byOrder: Bool = false) {
        let usable = tested.filter(\.suite.isUsable)
        // All orders first: what a step does in one counts wherever the test stands that runs in it.
        for tested in usable { addOrders(of: tested) }
        for tested in usable { count(tested) }
        if !byOrder { for index in configs.indices { configs[index].mergeOrders() } }
    }

    /// All points of all configurations.
    package var count: Count { Count(of: configs.flatMap(\.orders).flatMap(\.points)) }

    private mutating func addOrders(of tested: TestedSuite) {
        guard let config = tested.suite.config, let report = tested.suite.report else { return }
        let index = configs.firstIndex { $0.file.isSame(as: config) } ?? configs.count
        if index == configs.count {
            let orders = report.plan.pipelines.map { Order($0, title: nil, report.plan) }
            configs.append(Config(file: config.plainlyNamed, secretRanges: report.secretRanges, orders: orders))
        }
        for outcome in tested.outcomes {
            guard let title = outcome.order, let pipeline = outcome.asked(in: tested.suite, report.plan) else { continue }
            configs[index].add(pipeline, titled: title, report.plan)
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
    fileprivate init(_ pipeline: PipelinePlan, title: String?, _ plan: Plan) {
        self.pipeline = pipeline.name
        self.title = title
        sources = pipeline.tiers.map(\.source.name)
        points = CoveragePlan(pipeline, CoveredSend.all(changing: pipeline, in: plan)).points
    }

    package var count: Coverage.Count { Coverage.Count(of: points) }

    fileprivate mutating func merge(_ others: [CoveragePoint]) {
        for other in others {
            guard let index = points.firstIndex(where: { $0.id == other.id }) else {
                let place = points.firstIndex { other.range.start < $0.range.start }
                points.insert(other, at: place ?? points.count)
                continue
            }
            points[index].reached += other.reached
            points[index].asserted += other.asserted
        }
    }
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

    /// Has one list of points for each pipeline, in which each stands once.
    fileprivate mutating func mergeOrders() {
        orders = pipelines.map { name in
            let mine = orders.filter { $0.pipeline == name }
            return mine.dropFirst().reduce(into: mine[0]) { $0.merge($1.points) }
        }
    }

    /// Adds an order, where it is new.
    fileprivate mutating func add(_ pipeline: PipelinePlan, titled title: String, _ plan: Plan) {
        guard index(of: pipeline) == nil else { return }
        let last = orders.lastIndex { $0.pipeline == pipeline.name } ?? orders.count - 1
        orders.insert(Coverage.Order(pipeline, title: title, plan), at: last + 1)
    }
}

/// The orders in which the fetches of one run ask: its own, and those that steps name.
struct CoverageOrders {
    /// The pipeline in each order; the order of the run first.
    private(set) var pipelines: [PipelinePlan]
    /// The order of a step that names one, by its number.
    private var ofSteps: [Int: Int] = [:]
    private var ofNames: [String: Int] = [:]
    /// The sends that change the pipeline.
    let sends: [CoveredSend]

    var base: PipelinePlan { pipelines[0] }

    init(_ scenario: Scenario?, base: PipelinePlan, _ plan: Plan) {
        pipelines = [base]
        sends = CoveredSend.all(changing: base, in: plan)
        for (index, step) in (scenario?.steps ?? []).enumerated() {
            switch step.action {
            case .fetch(let fetch): ofSteps[index + 1] = add(fetch, plan)
            case .start(let start): ofNames[start.name.value] = add(start.fetch, plan)
            // Which of several fetches an event belongs to is not known.
            case .finish(let finishes) where finishes.members.count == 1: ofSteps[index + 1] = ofNames[finishes.members[0].name]
            default: break
            }
        }
    }

    private mutating func add(_ fetch: FetchStep, _ plan: Plan) -> Int? {
        guard let order = fetch.order, let pipeline = try? base.asking(order.value.map(\.value), from: plan.sources) else { return nil }
        pipelines.append(pipeline)
        return pipelines.count - 1
    }

    /// Indicates whether an event concerns the pipeline, and no part of it.
    func concern(_ event: ScenarioEvent) -> Bool {
        if event.key.isEmpty { return true }
        // What is masked in the arguments makes them no text of a key.
        return Key(text: String(event.key.prefix { $0 != "," })).map { $0.pipeline.utf8.elementsEqual(base.name.utf8) } ?? true
    }

    func index(ofStep step: Int) -> Int { ofSteps[step] ?? 0 }

    func tier(_ source: String) -> TierPlan? {
        pipelines.lazy.flatMap(\.tiers).first { $0.source.name == source }
    }
}
