import Pipeline
import PipelineConfig
import PipelineYAML
import SourcesCommand
import SourcesInline
import SourcesRedis
import Testing

@testable import PipeRunKit
@testable import PipelineReports

/// What the reports say of feeds.
@Suite struct LivePrintingTests {
    private static let plugins = Reading.plugins + LiveStandIns.all

    private static let text = """
        sources:
          m: { type: memory }
          d: { type: file, path: d.json }
          o: { type: http, url: "http://h/" }
          events: { type: websocket, url: "ws://h/" }
          hub: { type: sse, url: "http://h/hub", resume: true }
          tick: { type: poll }
        pipelines:
          p:
            tiers: [{ source: m, ttl: 30s }, { source: d, ttl: 10m, debounce: 2s }, o]
            live:
              - source: events
                list: /friends
                item: /friend
                id: [/id, /tenant]
                op: { at: /type, upsert: [added, updated], delete: removed }
                version: /at
                insert: { by: /name }
                sequence: /seq
                resync: { /type: reset }
                overlap: 2s
              - tick
          q:
            tiers: [{ source: m, ttl: 30s }, o]
            live: [{ source: hub, confirms: true }]

        """

    private static let report: ConfigReport = {
        let report = Reading.report(text, plugins: plugins)
        #expect(report.codes == [])
        return report
    }()

    private static let model = GraphModel(report.plan.pipelines, of: report)

    @Test func `the drawing in characters names feeds, and what they do`() {
        let lines = GraphText(hasColour: false).draw(Self.model).split(separator: "\n").map(String.init)

        #expect(
            lines.suffix(from: lines.firstIndex { $0.hasPrefix("  3.") } ?? 0) == [
                "  3. o (http)", "       its answer is written to m, d", "  ┆",
                "  ┄ events (websocket)  id /id + /tenant, list /friends, item /friend, op at /type: added, updated = upsert; removed = delete, version /at, insert by /name, sequence /seq, resync { /type: reset }, overlap 2s",
                "       its changes are merged into m, d", "  ┆", "  ┄ tick (poll)", "       its messages load the value again, from o",
                "q  json", "  1. m (memory)  ttl 30s", "  ↓", "  2. o (http)", "       its answer is written to m", "  ┆",
                "  ┄ hub (sse)  confirms copies", "       its messages load the value again, from o",
            ])
    }

    @Test func `Mermaid and DOT draw them dashed`() {
        let mermaid = GraphMermaid.draw(Self.model)
        let dot = GraphDot.draw(Self.model)

        #expect(mermaid.contains("\n        p0f1([\"tick (poll)\"])\n"))
        for line in ["p0f0 -.->|changes| p0t0", "p0f0 -.->|changes| p0t1", "p0f1 -.->|load again| p0t2", "p1f0 -.->|load again| p1t1"] {
            #expect(mermaid.contains("\n    \(line)\n"))
        }
        #expect(mermaid.contains("\n    class p0f0,p0f1,p1f0 feed\n"))
        #expect(dot.contains("p0f1 [label=\"tick (poll)\", shape=box, style=\"rounded,dashed\""))
        #expect(dot.contains("p0f0 -> p0t1 [style=dashed, constraint=false, label=\"changes\""))
        #expect(dot.contains("p1f0 -> p1t1 [style=dashed, constraint=false, label=\"load again\""))
    }

    @Test func `the JSON has feeds and their edges`() {
        let text = GraphJSON.text(Self.model)

        #expect(
            text.contains(
                #""feeds":[{"source":"hub","type":"sse","kind":"change source","merges":false,"policies":{"confirms":"copies"},"problems":[]}]"#
            ))
        #expect(
            text.contains(#"{"kind":"change","from":"events","to":"d"}"#) && text.contains(#"{"kind":"refresh","from":"tick","to":"o"}"#))
    }

    @Test func `the drawing describes them`() {
        let svg = GraphSVG.draw(Self.model)

        #expect(svg.contains("Changes come from events (websocket): its changes are merged into m, d."))
        #expect(svg.contains("<title>tick (poll), change source; its messages load the value again, from o</title>"))
        #expect(svg.contains(">tells of changes</text>"))
    }

    @Test(arguments: 0..<50) func `feeds stand below the tiers, apart from each other and within the card`(_ seed: UInt64) {
        for placed in GraphLayout(Drawing.withFeeds(seed)).cards {
            let card = placed.card
            let whole = DrawnRect(x: 0, y: 0, width: card.width, height: card.height)
            let texts = (card.heading + card.arrowLabels + card.lanes.flatMap(\.label)).map(\.frame)
            #expect(card.feedBoxes.count == card.pipeline.feeds.count)
            for (index, box) in card.feedBoxes.enumerated() {
                #expect(whole.contains(box.frame) && box.lines.allSatisfy { box.frame.contains($0.frame) })
                #expect(!(card.boxes + card.feedBoxes[..<index]).contains { $0.frame.overlaps(box.frame) })
                #expect(!texts.contains { $0.overlaps(box.frame) })
            }
            for (index, text) in texts.enumerated() { #expect(!texts[..<index].contains { $0.overlaps(text) }) }
        }
    }

    @Test func `a problem is marked at its feed`() {
        let report = Reading.report(
            Self.text.replacing("debounce: 2s", with: "jitter: 1%").replacing("sequence: /seq", with: "for: { x: /y }"),
            plugins: Self.plugins)
        let pipeline = GraphModel(report.plan.pipelines, of: report).pipelines[0]

        #expect(pipeline.feeds.map { $0.problems.map(\.code) } == [["P210"], []])
        #expect(pipeline.tiers.map { $0.problems.map(\.code) } == [[], ["P311"], []])
    }

    private static func changes(_ old: String, _ new: String) -> [String] {
        let models = [old, new].map { live in
            let text = Self.text.split(separator: "  p:")[0] + "  p: { tiers: [m, o], live: \(live) }\n"
            let report = Reading.report(String(text), plugins: plugins)
            let effective = EffectiveConfig(report, folder: "", plugins: plugins, environment: Reading.environment)
            return report.plan.pipelines.map { GraphPipeline($0, compared: ComparedFields(effective)) }
        }
        let (changed, unchanged) = GraphDiff.changes(from: models[0], to: models[1])
        #expect(GraphDiffJSON.text(changed, unchanged: unchanged, from: "a", to: "b").contains(#""feeds":[{"source":"#) == !changed.isEmpty)
        return GraphDiffText(hasColour: false).text(changed, unchanged: unchanged, from: "a", to: "b").split(separator: "\n").map(
            String.init)
    }

    @Test func `a change of feeds is told`() {
        #expect(Self.changes("[tick]", "[tick]") == ["no changes between a and b"])
        #expect(
            Self.changes("[tick]", "[{ source: events, id: /id }]").suffix(2) == [
                "+   live events (websocket)  id /id", "-   live tick (poll)",
            ])
        #expect(
            Self.changes("[{ source: events, id: /id }]", "[{ source: events, id: /key, version: /at }]").suffix(3) == [
                "    live events (websocket)", "~        id /id → /key", "+        version /at",
            ])
    }

    /// The sentences about changes, each with its lines.
    private static func sentences(_ name: String) throws -> [String] {
        let explanation = Explanation(try report.plan.pipeline(name))
        return explanation.sections.filter { $0.id == "live" }.flatMap(\.sentences).map { sentence in
            let grounds = sentence.grounds.map { ground in
                if case .place(let range) = ground { "\(range.start.line)" } else { "\(ground)" }
            }
            return "\(sentence.text) [\(grounds.joined(separator: ", "))]"
        }
    }

    @Test func `explain says what each message does`() throws {
        #expect(
            try Self.sentences("p") == [
                "A message of `events` (websocket) changes the list at `/friends` of the value by the id of its item; the item stands at `/friend` of the message, and its id at `/id` and `/tenant` of the item. [12, 13, 14, 15]",
                "The word at `/type` says what a message does: `added` or `updated` inserts the item, or replaces the one with its id, `removed` removes the item. A message with another word is skipped, and counted. [16]",
                "An item whose id the list lacks is inserted in the order of `/name`, the least first; an item whose value changes moves. [18]",
                "A change counts only if its version, at `/at` of the item, is newer than the item's: an older one never wins. [17]",
                "A message is for each key that its connection serves. [byDefault]",
                "The numbers at `/seq` are consecutive: a gap or a step back reloads the value, and a message with an equal number is dropped. [19]",
                "A message with `reset` at `/type` reloads the value. [20]",
                "Changes from up to 2s before a load began are merged into its answer, too. [21]",
                "A message of `tick` (poll) reloads the value, at most once a second, and less often while that brings nothing new. [22]",
                "`events` is connected while a key is observed, and for 5s after that; under `serve`, at once. [always]",
                "Each new connection reloads the value; after a lost connection, copies count as expired until then. [always]",
                "`tick` is connected while a key is observed, and for 5s after that; under `serve`, at once. [always]",
                "Each new connection reloads the value; after a lost connection, copies count as expired until then. [always]",
                "Each change is written to `m` at once. [byDefault]",
                "It is written to `d` when nothing has changed for 2s. [10]",
                "A change makes no copy younger. Without a copy and a running load it is dropped. [always]",
            ])
        #expect(
            try Self.sentences("q") == [
                "A message of `hub` (sse) reloads the value, at most once a second, and less often while that brings nothing new. [25]",
                "A message is for each key that its connection serves. [byDefault]",
                "A message that is lost during a connection goes unnoticed: messages have no numbers. [byDefault]",
                "`hub` is connected while a key is observed, and for 5s after that; under `serve`, at once. [always]",
                "A new connection continues where the last one ended, so the value is not reloaded. [25]",
                "While it is live, a copy counts as confirmed at the last sign of life. [25]",
            ])
    }

    @Test func `config writes feeds out, with what holds`() {
        let effective = EffectiveConfig(Self.report, folder: "", plugins: Self.plugins, environment: Reading.environment)
        let lines = ConfigYAML(file: "f").text(effective).split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }

        #expect(
            lines.suffix(from: lines.lastIndex(of: "live:") ?? 0).prefix(7) == [
                "live:", "- source: hub # f:25", "confirms: true # f:25", "for: {} # default", "parameters: [] # default",
                "format: json # default", "write_back: auto # default",
            ])
        #expect(lines.contains("- source: tick # f:22") && lines.contains("resync:") && lines.contains("/type: reset # f:20"))
        #expect(lines.contains("by: /name # f:18") && lines.contains("confirms: false # default"))
        // What is printed can be read again, and means the same.
        let again = Reading.report(ConfigYAML(file: "f").text(effective), plugins: Self.plugins)
        #expect(again.codes == [])
        #expect(again.plan.pipelines.first?.feeds.first?.feed.merging == Self.report.plan.pipelines.first?.feeds.first?.feed.merging)
        let bare = Reading.report(
            Self.text.replacing("list: /friends", with: "").replacing("item: /friend", with: ""), plugins: Self.plugins)
        let whole = EffectiveConfig(bare, folder: "", plugins: Self.plugins, environment: Reading.environment)
        #expect(Reading.report(ConfigYAML(file: "f").text(whole), plugins: Self.plugins).codes == [])
    }

    @Test func `a starter file with change sources validates, whatever stands beside them`() {
        let others: [SourcePlugin] = Self.plugins + [.redis, .inline, .command]
        for live in LiveStandIns.all {
            for other in others {
                for third in others {
                    let chosen = StarterFile.filled([live, other, third], from: Self.plugins)
                    let text = StarterFile(chosen).text
                    let diagnostics = Reading.report(text, plugins: others, environment: ConfigEnvironment([:])).diagnostics
                    #expect(diagnostics.isEmpty, "\(chosen.map(\.name)) \(diagnostics.map(\.message))\n\(text)")
                    #expect(text.contains("    live:\n      - \(live.name)\n"))
                }
            }
        }
    }

    @Test func `the reference says what a feed's fields need`() throws {
        let reference = FieldReference(Self.plugins)

        #expect(try #require(reference.text(about: "live.version")).contains("(JSON Pointer, needs id)"))
        #expect(try #require(reference.text(about: "live.list")).contains("(JSON Pointer, default \"\", needs id)"))
        #expect(reference.markdown.contains("| `list` | JSON Pointer |  | `\"\"` | Where the list stands"))
        #expect(PluginPrinter.text(LiveStandIns.poll).hasPrefix("poll: Asks the origins again and again.\nemits changes, signals only\n"))
    }

    @Test func `a comment allows the warnings of feeds`() {
        let text = Self.text.replacing("debounce: 2s", with: "jitter: 1%").replacing(
            "    tiers: [{ source: m, ttl: 30s }, { source: d",
            with: "    # pipe-run: allow P311 few changes\n    tiers: [{ source: m, ttl: 30s }, { source: d")

        #expect(Reading.report(text, plugins: Self.plugins).codes == [])
    }
}
