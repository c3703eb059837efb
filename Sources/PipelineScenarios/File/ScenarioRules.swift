internal import Pipeline
internal import PipelineConfig

/// Finds what in a test file does not fit the configuration, before anything runs.
struct ScenarioRules {
    let document: ScenarioDocument
    let plan: Plan
    let decoder: FieldDecoder
    /// Indicates whether the tests run without a person watching, as in CI: then none may keep the others from running.
    let isForCI: Bool

    let orderNames: [String]
    let sources: [ExactName: SourceConfig]
    /// The names of the sources that hold values, which change sources do not.
    let holding: [String]
    private var sourceNames: [String] { plan.sources.map(\.name) }

    init(document: ScenarioDocument, plan: Plan, decoder: FieldDecoder, isForCI: Bool) {
        (self.document, self.plan, self.decoder, self.isForCI) = (document, plan, decoder, isForCI)
        orderNames = document.orders.members.map(\.name)
        sources = Dictionary(plan.sources.map { (ExactName($0.name), $0) }) { first, _ in first }
        holding = plan.sources.filter { $0.tellsOfChanges != true }.map(\.name)
    }

    func check() {
        for order in document.orders.members { checkOrder(order.value, at: order.range) }
        if let pipeline = document.pipeline { _ = plan(of: pipeline) }
        var names: [String: TextRange] = [:]
        for test in document.tests {
            if let first = names[test.name.value] {
                decoder.report(
                    .repeatedTest, "two tests are called `\(test.name.value.shortened)`", range: test.name.range,
                    help: "give one of them another name", related: [Diagnostic.Related("the first is here", at: first)])
            } else {
                names[test.name.value] = test.name.range
            }
            if let only = test.only, only.value, isForCI {
                decoder.report(
                    .onlyTest, "`only: true` keeps the other tests from running", range: only.range,
                    help: "remove it before this runs in CI")
            }
            checkTest(test)
        }
    }

    /// The pipeline of a test; nil, and reported, where there is none.
    static func pipeline(of test: Scenario, in document: ScenarioDocument, _ plan: Plan) -> PipelinePlan? {
        guard let name = (test.pipeline ?? document.pipeline)?.value else {
            return plan.pipelines.count == 1 ? plan.pipelines.first : nil
        }
        return plan.pipelines.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    private func plan(of name: Placed<String>) -> PipelinePlan? {
        let found = plan.pipelines.first { $0.name.utf8.elementsEqual(name.value.utf8) }
        if found == nil { reportUnknown("pipeline", name.value, at: name.range, among: plan.pipelines.map(\.name)) }
        return found
    }

    private func checkTest(_ test: Scenario) {
        for order in test.orders where !orderNames.contains(order.value) {
            reportUnknown("order", order.value, at: order.range, among: orderNames)
        }
        if let pipeline = test.pipeline, plan(of: pipeline) == nil { return }
        guard let pipeline = Self.pipeline(of: test, in: document, plan) else {
            if document.pipeline == nil {
                decoder.report(
                    .missingField, "the test `\(test.name.value.shortened)` needs `pipeline`", range: test.name.range,
                    help: "name one of \(plan.pipelines.map { "`\($0.name.shortened)`" }.joined(separator: ", "))")
            }
            return
        }
        ScenarioChecker(test, of: pipeline, in: self).check()
    }

    private func checkOrder(_ order: [Placed<String>], at range: TextRange) {
        for source in order where !sourceNames.contains(source.value) {
            reportUnknown("source", source.value, at: source.range, among: sourceNames)
        }
        if order.isEmpty { decoder.report(.outOfRange, "the list of sources is empty", range: range) }
        if let again = order.enumerated().first(where: { index, source in order[..<index].contains { $0.value == source.value } }) {
            decoder.report(.notAllowed, "the source `\(again.element.value.shortened)` stands twice", range: again.element.range)
        }
    }

    private func reportUnknown(_ noun: String, _ name: String, at range: TextRange, among known: [String]) {
        decoder.reportUnknown(.unknownInTest, noun, name, at: range, among: known)
    }
}
