import Testing

@testable import PipeRunKit
@testable import PipelineReports

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

    @Test func `parts of a merge are moved, changed, added and removed, each on a line of its own`() {
        let others = "a: { tiers: [r] }, b: { parameters: [n], tiers: [o] }, c: { tiers: [r] }, "
        let old = others + "p: { combine: { merge: [a, { pipeline: b, with: { n: \"1\" } }, c], by: /id } }"
        let new =
            others
            + "p: { combine: { merge: [{ pipeline: b, with: { n: \"2\" }, select: /x, optional: true }, a, { pipeline: b, with: { n: \"3\" } }], by: /id } }"

        #expect(
            Self.text(old, new) == [
                "--- a", "+++ b", "~ p", "    1. combine", "~   part 1: b", "~        with.n 1 → 2", "+        select /x",
                "+        optional true", "~   part 2: a, was number 1", "+   part 3: b  n = 3", "-   part 3: c", "not changed: a, b, c",
            ])
    }

    @Test func `members of an object, the sides of a join and links say what changes`() {
        let others = "a: { parameters: [id], tiers: [o] }, l: { tiers: [r] }, "
        let old =
            others
            + "p: { combine: { object: { x: l, y: l } } }, j: { combine: { join: { from: l, on: /id, to: l, to_on: /id, as: a } } }, "
            + "k: { tiers: [r], links: { author: { at: /author_id, pipeline: a }, old: { at: /b, pipeline: a } } }"
        let new =
            others
            + "p: { combine: { object: { x: { pipeline: l, default: [] }, z: l } } }, "
            + "j: { combine: { join: { from: l, on: /id, to: { pipeline: l, optional: true, timeout: 1s }, to_on: /id, as: a } } }, "
            + "k: { tiers: [r], links: { author: { at: /author, pipeline: a, optional: true }, new: { at: /b, pipeline: a } } }"

        #expect(
            Self.text(old, new) == [
                "--- a", "+++ b", "~ p", "    1. combine", "~   part x: l", "+        default []", "+   part z: l", "-   part y: l", "~ j",
                "    1. combine", "~   part to: l", "+        optional true", "+        timeout 1s", "~ k", "    1. r (file)",
                "~   link author: a", "~        at /author_id → /author", "+        optional true", "+   link new: a  /b",
                "-   link old: a  /b", "not changed: a, l",
            ])
        // The short form says the same as the long one.
        #expect(Self.text(others + "p: { combine: { of: l } }", others + "p: { combine: { of: { pipeline: l } } }").count == 1)
    }

    @Test func `every format shows what becomes of a part`() {
        let others = "a: { tiers: [r] }, b: { tiers: [r] }, "
        let (changed, unchanged) = Self.changes(
            others + "p: { combine: { object: { x: a, y: b } } }",
            others + "p: { combine: { object: { x: { pipeline: a, optional: true }, z: b } } }")
        let model = GraphModel(pipelines: changed)

        let dot = GraphDot.draw(model)
        #expect(dot.contains(##"color="#9a6700", fontcolor="#9a6700", label="~ x\n+ optional true""##), "\(dot)")
        #expect(dot.contains(##"label="+ z""##) && dot.contains(##"label="- y""##), "\(dot)")
        let mermaid = GraphMermaid.draw(model)
        #expect(mermaid.contains(#"|"+ z"|"#) && mermaid.contains("linkStyle 1 stroke:#1a7f37"), "\(mermaid)")
        let svg = GraphSVG.draw(model)
        #expect(!svg.contains(">optional</text>"))
        #expect(svg.contains(">+ optional true</text>") && svg.contains("<title>removed: y is b</title>"))
        let json = GraphDiffJSON.text(changed, unchanged: unchanged, from: "a", to: "b")
        #expect(
            json.contains(
                #""parts":[{"name":"x","pipeline":"a","change":"changed","position":1,"former_position":null,"fields":"#
                    + #"[{"name":"optional","change":"added","from":null,"to":"true"}]}"#), "\(json)")
    }

    @Test func `a changed value of a part is drawn once, and the others stay`() {
        let others = "a: { tiers: [r] }, "
        let (changed, _) = Self.changes(
            others + "p: { combine: { object: { x: { pipeline: a, default: [], timeout: 300ms } } } }",
            others + "p: { combine: { object: { x: { pipeline: a, default: [], timeout: 1s } } } }")
        let svg = GraphSVG.draw(GraphModel(pipelines: changed))

        #expect(svg.contains(">timeout 300ms → 1s</text>") && svg.contains(">default []</text>"))
        #expect(!svg.contains(">timeout 1s</text>"))
        #expect(GraphMermaid.draw(GraphModel(pipelines: changed)).contains("~ x<br/>default []<br/>timeout 300ms → 1s"))
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
