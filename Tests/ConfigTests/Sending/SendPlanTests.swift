import PipelineTesting
import PipelineYAML
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineConfig
@testable import PipelineReports
@testable import PipelineSending

/// Which sends a call needs, which a hot reload keeps, and what stands in for their sources.
@Suite struct SendPlanTests {
    private static let text = """
        sources:
          memory: { type: memory, max_entries: 10 }
          api: { type: http, url: "http://h/{user}" }
          other: { type: http, url: "http://h/other" }
          store: { type: http, method: PUT, url: "http://h/{user}" }
          keep: { type: http, method: PUT, url: "http://h/other" }
          first: { type: outbox, path: first.db }
          second: { type: outbox, path: second.db }
        pipelines:
          friends: { parameters: [user], tiers: [{ source: memory, ttl: 30s }, api] }
          others: { tiers: [other] }
          home: { parameters: [user], combine: { object: { f: friends } } }
          alone: { tiers: [other] }
        sends:
          save: { parameters: [user], to: store, outbox: first, changes: [{ pipeline: friends }] }
          both: { parameters: [user], to: store, outbox: first, changes: [{ pipeline: friends }, { pipeline: others }] }
          note: { to: keep, outbox: second, changes: [{ pipeline: others }] }
        """

    private static func report(_ text: String = text, environment: ConfigEnvironment = Reading.environment) -> ConfigReport {
        Reading.report(text, plugins: Reading.plugins(for: text), environment: environment)
    }

    private static let plan = report().plan

    @Test(arguments: [
        ("alone", ["alone"], [String](), ["other"]),
        ("others", ["friends", "others"], ["save", "both", "note"], ["memory", "api", "other", "store", "keep", "first", "second"]),
        (
            "home", ["friends", "others", "home"], ["save", "both", "note"], ["memory", "api", "other", "store", "keep", "first", "second"]
        ),
    ]) func `a call has the sends that show in what it reads, with all that these change`(
        name: String, pipelines: [String], sends: [String], sources: [String]
    ) {
        let part = Self.plan.part(for: name, asking: [])

        #expect(part.pipelines.map(\.name) == pipelines)
        #expect(part.sends.map(\.name) == sends && part.sources.map(\.name) == sources)
    }

    @Test func `a call of a send has all of its outbox, and what they change`() {
        let part = Self.plan.part(forSend: "note")

        #expect(part.sends.map(\.name) == ["save", "both", "note"] && part.pipelines.map(\.name) == ["friends", "others"])
        #expect(Self.plan.part(forSend: "save").pipelines.map(\.name) == ["friends", "others", "home"])
        #expect(Self.plan.part(forSend: "none").pipelines.count == Self.plan.pipelines.count)
    }

    @Test func `a part can be built`() throws {
        let report = Self.report()

        for name in Self.plan.pipelines.map(\.name) {
            _ = try Pipelines(report, only: report.plan.part(for: name, asking: []), swapping: .none)
        }
        for name in Self.plan.sends.map(\.name) { _ = try Pipelines(report, only: report.plan.part(forSend: name), swapping: .none) }
    }

    /// The pipelines that are the same objects after `text` took over.
    private func kept(_ text: String) async throws -> Set<String> {
        func read(_ text: String) -> (ConfigReport, EffectiveConfig) {
            let report = Self.report(text)
            #expect(!report.diagnostics.hasErrors, "\(report.summary)")
            return (report, EffectiveConfig(report, folder: "", plugins: Reading.plugins(for: text), environment: Reading.environment))
        }
        let ((report, effective), (next, nextEffective)) = (read(Self.text), read(text))
        let before = try RunningConfig(report, effective, redactor: Redactor())
        let after = try before.succeeded(by: next, nextEffective)
        let old = before.pipelines.all
        await after.pipelines.shutDown()
        return Set(after.pipelines.all.filter { pipeline in old.contains { $0 === pipeline } }.map(\.spec.name))
    }

    @Test(
        arguments: [
            ("nothing", "nothing", ["friends", "others", "home", "alone"]),
            // Written out, a default changes nothing.
            ("save: { parameters", "save: { order: key, parameters", ["friends", "others", "home", "alone"]),
            ("save: { parameters", "save: { order: none, parameters", ["others", "alone"]),
            ("note: { to: keep", "note: { priority: low, to: keep", ["friends", "home", "alone"]),
            (
                "  note: { to: keep, outbox: second, changes: [{ pipeline: others }] }", "  new: { to: keep, outbox: second }",
                ["friends", "home", "alone"]
            ),
            ("PUT, url: \"http://h/{user}\"", "PATCH, url: \"http://h/{user}\"", ["alone"]),
            ("path: second.db", "path: third.db", ["friends", "home", "alone"]),
        ] as [(String, String, Set<String>)])
    func `a pipeline stays as long as the sends that change it`(part: String, other: String, kept: Set<String>) async throws {
        #expect(try await self.kept(Self.text.replacing(part, with: other)) == kept)
    }

    @Test func `sources that lack something are made all the same, and say so when they are used`() async throws {
        let text = Self.text.replacing("path: first.db", with: "path: first.db, owner: \"${NOBODY}\"").replacing(
            "PUT, url: \"http://h/other\"", with: "PUT, url: \"${NOWHERE}/other\"")
        let report = Self.report(text).allowingLacks()
        let made = try report.plan.sourceSpecs(
            clock: .system, random: .system, observers: [], keeping: report.lackingSources(clock: .system))

        let (outbox, target) = (
            made[ExactName("first")]?.source as? any OutboxSource, made[ExactName("keep")]?.source as? any SendingSource
        )

        await #expect(throws: SourceError.self) { try await outbox?.open() }
        let send = OutgoingSend(Key(pipeline: "note"), payload: [], format: .json, id: "1")
        await #expect(throws: SourceError.self) { try await target?.send(send, ReadContext()) }
        _ = try Pipelines(report)
    }

    @Test func `a file in the place of a target is its answer`() async throws {
        let folder = try TemporaryFolder()
        try folder.put("[1]", into: "42.json")
        let report = Self.report()
        let swaps = try SourceSwaps(
            ["store=\(folder.path)/{user}.json"], plugins: Reading.plugins, environment: ConfigEnvironment([:]))

        let target = try swaps.sources(in: report, clock: .system)[ExactName("store")]?.source as? any SendingSource

        func answer(_ user: String) async throws -> SendAnswer? {
            let key = Key(pipeline: "save", parameters: ["user": user])
            return try await target?.send(OutgoingSend(key, payload: [], format: .json, id: "1"), ReadContext())
        }
        #expect(try await answer("42")?.status == 200)
        #expect(try await answer("42")?.body == Array("[1]".utf8))
        #expect(try await answer("43")?.status == 404)
        #expect(throws: SwapError.self) {
            try SourceSwaps(["first=error"], plugins: Reading.plugins, environment: ConfigEnvironment([:])).sources(
                in: report, clock: .system)
        }
    }

    @Test func `what holds is written out, and can be read again`() {
        let report = Self.report()
        let effective = EffectiveConfig(report, folder: "", plugins: Reading.plugins(for: Self.text), environment: Reading.environment)
        let printed = ConfigYAML(file: "pipeline.yaml").text(effective)

        #expect(Self.report(printed).summary == report.summary)
        let save = effective.root["sends"]?["save"]
        #expect(save?["id_header"]?.text == "none" && save?["expires"]?.text == "7d" && save?["priority"]?.text == "high")
        #expect(save?["retry"]?["attempts"]?.text == "10" && save?["max_delay"] == nil)
    }

    @Test func `a send is drawn with its source and what it changes`() throws {
        let report = Self.report()
        let model = GraphModel(report.plan.pipelines, of: report)

        #expect(
            GraphText(hasColour: false).draw(model).contains(
                "both(user)\n  → store (http)  PUT, kept in first\n  ⇢ friends  refresh\n  ⇢ others  refresh\n"))
        let mermaid = GraphMermaid.draw(model)
        #expect(mermaid.contains("s1[/\"both(user)\"/]") && mermaid.contains("s1 -->|\"PUT\"| s1o"))
        #expect(mermaid.contains("s1 -.->|\"refresh\"| p0t0") && mermaid.contains("s1 -.->|\"refresh\"| p1t0"))
        #expect(GraphDot.draw(model).contains("s2 -> p1t0 [style=dashed, label=\"refresh\"]"))
        #expect(GraphJSON.text(model).contains(#""sends":[{"name":"save","#))
        #expect(GraphSVG.draw(model).contains("The send note goes to keep (http) by PUT and changes others (refresh)."))
        #expect(GraphModel([try report.plan.pipeline("alone")], of: report).sends.isEmpty)
    }

    @Test func `a send is explained where its pipeline changes`() throws {
        let report = Self.report()
        let explanation = Explanation(try report.plan.pipeline("others"), changedBy: report.plan.sends)
        let sentences = explanation.sections.first { $0.id == "live" }?.sentences ?? []

        #expect(
            sentences.map(\.text) == [
                "A send `both` goes to `store` (http); when it is sent, the value is reloaded.",
                "A send `note` goes to `keep` (http); when it is sent, the value is reloaded.",
            ])
        #expect(sentences.flatMap(\.grounds).count == 2)
    }
}
