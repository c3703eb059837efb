import PipelineReports
import Testing

@testable import PipeRunKit

/// What a change does, pipeline by pipeline.
@Suite struct GraphDiffTests {
    private static let sources = """
        sources:
          m: { type: memory }
          d: { type: file, path: "x/{key}" }
          o: { type: http, url: "http://h/{key}" }
          r: { type: file, path: x.json, read_only: true }

        """

    private static func changes(_ old: String, _ new: String) -> (changed: [GraphPipeline], unchanged: [String]) {
        GraphDiff.changes(
            from: Drawing.model(sources + "pipelines: { \(old) }").pipelines, to: Drawing.model(sources + "pipelines: { \(new) }").pipelines
        )
    }

    private static func text(_ old: String, _ new: String) -> [String] {
        let (changed, unchanged) = changes(old, new)
        return GraphDiffText(hasColour: false).text(changed, unchanged: unchanged, from: "a", to: "b").split(separator: "\n").map(
            String.init)
    }

    @Test func `nothing changed`() {
        #expect(Self.text("p: { tiers: [m, o] }", "p: { tiers: [m, o] }") == ["no changes between a and b"])
    }

    @Test func `a tier is added, with the write-backs that come with it`() {
        #expect(
            Self.text("p: { tiers: [m, o] }", "p: { tiers: [m, { source: d, ttl: 1m }, o] }") == [
                "--- a", "+++ b", "~ p", "    1. m (memory)", "+   2. d (file)  ttl 1m", "    3. o (http)", "+   write-back d → m",
                "+   write-back o → d, ttl 1m",
            ])
    }

    @Test func `a tier is removed`() {
        #expect(
            Self.text("p: { tiers: [m, d, o] }", "p: { tiers: [m, o] }") == [
                "--- a", "+++ b", "~ p", "    1. m (memory)", "    2. o (http)", "-   d (file)", "-   write-back d → m",
                "-   write-back o → d",
            ])
    }

    @Test func `one tier that moves does not move the others`() {
        let (changed, _) = Self.changes("p: { tiers: [m, d, r, o] }", "p: { tiers: [d, r, m, o] }")

        #expect(changed.first?.tiers.map(\.change) == [nil, nil, .moved, nil])
        #expect(changed.first?.tiers.map(\.formerIndex) == [nil, nil, 0, nil])
    }

    @Test func `policies say what they were`() {
        #expect(
            Self.text(
                "p: { deadline: 1s, tiers: [{ source: m, ttl: 30s, debounce: 2s }, o] }",
                "p: { deadline: 2s, stale_if_error: 1h, tiers: [{ source: m, ttl: 1m, jitter: 0.1 }, o] }") == [
                    "--- a", "+++ b", "~ p", "~   deadline 1s → 2s", "+   stale_if_error 1h", "    1. m (memory)", "~        ttl 30s → 1m",
                    "+        jitter 0.1", "-        debounce 2s", "    2. o (http)",
                ])
    }

    @Test func `pipelines are added and removed`() {
        let (changed, unchanged) = Self.changes("p: { tiers: [m] }, q: { tiers: [o] }", "p: { tiers: [m] }, r: { tiers: [o, m] }")

        #expect(changed.map(\.name) == ["r", "q"] && changed.map(\.change) == [.added, .removed] && unchanged == ["p"])
        #expect(changed[0].tiers.allSatisfy { $0.change == .added } && changed[0].writeBacks.allSatisfy { $0.change == .added })
    }

    @Test func `write-back changes without a tier`() {
        #expect(
            Self.text("p: { tiers: [m, d, o] }", "p: { tiers: [m, d, o], write_back: { o: [d] } }") == [
                "--- a", "+++ b", "~ p", "+   write_back as listed", "    1. m (memory)", "    2. d (file)", "    3. o (http)",
                "-   write-back d → m", "-   write-back o → m",
            ])
    }

    @Test func `a source that becomes something else is no other tier`() {
        let old = Drawing.model("sources: { s: { type: file, path: x, read_only: true } }\npipelines: { p: { tiers: [s] } }").pipelines
        let new = Drawing.model("sources: { s: { type: memory } }\npipelines: { p: { tiers: [s] } }").pipelines

        let (changed, _) = GraphDiff.changes(from: old, to: new)

        #expect(changed.first?.tiers.map(\.change) == [.changed] && changed.first?.tiers.first?.formerTitle == "file · origin")
    }

    @Test func `parameters and descriptions count`() {
        let text = Self.text(
            "p: { description: one, tiers: [o] }", "p: { description: two, parameters: { key2: { default: x } }, tiers: [o] }")

        #expect(text.contains("~   description “one” → “two”") && text.contains("+   parameters (key2 = x)"))
    }

    @Test(arguments: 0..<30) func `a drawing and itself have no changes, and any two are drawn`(_ seed: UInt64) {
        var (one, two) = (Drawing.random(seed), Drawing.random(seed + 1_000))
        // Names within a pipeline differ, as the rules of configurations demand.
        for pipeline in one.pipelines.indices { one.pipelines[pipeline].makeNamesDiffer() }
        for pipeline in two.pipelines.indices { two.pipelines[pipeline].makeNamesDiffer() }

        #expect(GraphDiff.changes(from: one.pipelines, to: one.pipelines).changed == [])
        let changed = GraphDiff.changes(from: one.pipelines, to: two.pipelines).changed
        #expect(changed.allSatisfy { pipeline in pipeline.writeBacks.allSatisfy { max($0.from, $0.to) < pipeline.tiers.count } })
        #expect(!GraphSVG.draw(GraphModel(pipelines: changed)).isEmpty)
    }
}

extension GraphPipeline {
    fileprivate mutating func makeNamesDiffer() {
        for index in tiers.indices {
            tiers[index].source += "\(index)"
            (tiers[index].change, tiers[index].formerIndex) = (nil, nil)
            for policy in tiers[index].policies.indices { tiers[index].policies[policy].change = nil }
        }
        for index in policies.indices { policies[index].change = nil }
        for index in writeBacks.indices { writeBacks[index].change = nil }
        change = nil
    }
}
