import Pipeline
import PipelineConfig
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// Where a drawing marks the problems.
@Suite struct GraphModelTests {
    /// `p: P207`, `p/m: P401`, `: P203`.
    private static func marks(_ text: String, order: [String]? = nil) -> Set<String> {
        let report = Reading.report(text, level: .env)
        let plans = report.plan.pipelines.map { plan in (try? order.map { try plan.asking($0, from: report.plan.sources) } ?? plan) ?? plan
        }
        let model = GraphModel(plans, of: report)
        let pipelines = model.pipelines.flatMap { pipeline in
            pipeline.problems.map { "\(pipeline.name): \($0.code)" }
                + pipeline.tiers.flatMap { tier in tier.problems.map { "\(pipeline.name)/\(tier.source): \($0.code)" } }
        }
        return Set(pipelines + model.problems.map { ": \($0.code)" })
    }

    @Test func `a problem of a pipeline, a tier, a source, and of none of them`() {
        let text = """
            sources:
              m: { type: memory }
              n: { type: memory }
              o: { type: http, url: "${NO_ORIGIN}/x" }
              z: { type: http, url: "http://h/z" }
            pipelines:
              p: { parameters: [unused], tiers: [{ source: m, ttl: "${NO_TTL}" }, m2] }
              q: { tiers: [o] }
              r:
                tiers:
                  - m
                  - o
            """.replacing(", m2", with: ", z")

        #expect(Self.marks(text) == ["p: P207", "p/m: P401", "q/o: P401", "r/o: P401", ": P203"])
        #expect(Self.marks(text, order: ["o", "m"]).isSuperset(of: ["p/m: P401", "p/o: P401"]))
    }

    @Test func `an alias brings a problem to every place where it is used`() {
        let text = """
            sources: { m: { type: memory }, z: { type: http, url: "http://h/z" } }
            pipelines:
              p: { tiers: [&t { source: m, ttl: "${NO_TTL}" }, z] }
              q: { tiers: [*t, z] }
              r: { tiers: [m, z] }
            """

        #expect(Self.marks(text) == ["p/m: P401", "q/m: P401"])
    }

    @Test func `a drawing of one pipeline has no problems of others`() throws {
        let report = Reading.report(
            """
            sources: { m: { type: memory }, n: { type: memory }, z: { type: http, url: "http://h/z" } }
            pipelines: { p: { tiers: [m, z] }, q: { parameters: [u], tiers: [m, z] } }
            """)

        let model = GraphModel([try report.plan.pipeline("p")], of: report)

        #expect(model.problems == [] && model.pipelines.flatMap(\.problems) == [])
    }
}
