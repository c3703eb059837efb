import Pipeline
import PipelineConfig
import PipelineJSON
import PipelineLive
import PipelineYAML
import SourcesMemory
import Testing

/// What `live` comes to: the plan, and what is built from it.
@Suite struct FeedPlanTests {
    private static let head = """
        sources:
          memory: { type: memory, max_entries: 10 }
          api: { type: http, url: "http://h/{user}" }
          events: { type: websocket, url: "ws://h/{user}" }
          tick: { type: poll }
        pipelines:
          friends:
            parameters: [user]
            tiers: [memory, api]

        """

    private static func report(
        _ live: String, of type: String = "websocket", environment: ConfigEnvironment = Reading.environment
    ) -> ConfigReport {
        let head = head.replacing("websocket", with: type)
        return Reading.report(head + "    live: \(live)\n", plugins: Reading.plugins + LiveStandIns.all, environment: environment)
    }

    /// The feeds of the pipeline as it is built.
    private static func built(_ live: String, of type: String = "websocket") throws -> [FeedSpec] {
        let report = report(live, of: type)
        #expect(report.codes.filter { $0 != "P203" } == [])
        return try #require(try Pipelines(report).specs.first).live
    }

    private static func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

    @Test(arguments: ["[events]", "[{ source: events }]", "[{ source: \"${NAME:-events}\" }]"])
    func `a name, and a mapping without an id, mean that the value is loaded again`(live: String) throws {
        let feed = try #require(try Self.built(live).first)

        #expect(feed.name == "events" && feed.merging == nil && feed.addressing.isEmpty && feed.sequence == nil && feed.resync == nil)
        #expect(!feed.confirms && feed.overlap == .zero && feed.source.source is LiveStandIns.Silence && !feed.source.isOrigin)
    }

    @Test func `an id alone merges whole messages into the whole value`() throws {
        let merging = try #require(try Self.built("[{ source: events, id: /id }]").first?.merging)

        #expect(merging == MergePolicy(id: [try Self.pointer("/id")]))
    }

    @Test func `every field arrives`() throws {
        let feed = try #require(
            try Self.built(
                """

                      - source: events
                        list: /data/friends
                        item: /friend
                        id: [/id, /tenant~1of]
                        op: { at: /type, upsert: [added, updated], delete: removed, patch: renamed }
                        version: /updated_at
                        insert: { by: /name, order: desc }
                        for: { user: /user_id }
                        sequence: /seq
                        resync: { /type: reset, /code: 1.50, /final: True, /text: "True" }
                        confirms: true
                        overlap: 2s
                """
            ).first)

        #expect(
            feed.merging
                == MergePolicy(
                    list: try Self.pointer("/data/friends"), item: try Self.pointer("/friend"),
                    id: [try Self.pointer("/id"), try Self.pointer("/tenant~1of")],
                    operations: MergePolicy.Operations(
                        at: .pointer(try Self.pointer("/type")), upsert: ["added", "updated"], delete: ["removed"], patch: ["renamed"]),
                    version: try Self.pointer("/updated_at"), insertion: .sorted(try Self.pointer("/name"), isDescending: true)))
        #expect(feed.addressing == ["user": try Self.pointer("/user_id")] && feed.sequence == JSONPointer("/seq"))
        let members = [("/type", "reset"), ("/code", "1.50"), ("/final", "true"), ("/text", "True")]
        #expect(feed.resync == MessagePattern(Dictionary(uniqueKeysWithValues: try members.map { (try Self.pointer($0.0), $0.1) })))
        #expect(feed.confirms && feed.overlap == .seconds(2))
    }

    @Test(arguments: [
        ("refresh", MergePolicy.Insertion.refresh), ("first", .first), ("last", .last), ("ignore", .ignore),
        ("{ by: \"\" }", .sorted(.whole, isDescending: false)), ("{ by: \"\", order: asc }", .sorted(.whole, isDescending: false)),
    ]) func `each place for an unknown id`(written: String, insertion: MergePolicy.Insertion) throws {
        #expect(try Self.built("[{ source: events, id: /id, insert: \(written) }]").first?.merging?.insertion == insertion)
    }

    @Test func `the name of an event is the word`() throws {
        let feeds = try Self.built("[{ source: events, id: /id, op: { at: event, upsert: put } }]", of: "sse")

        #expect(feeds.first?.merging?.operations == MergePolicy.Operations(at: .event, upsert: ["put"]))
    }

    @Test func `feeds stand in the order of the file`() throws {
        #expect(try Self.built("[tick, events]").map(\.name) == ["tick", "events"])
    }

    @Test func `a pointer may come from a variable`() throws {
        let environment = ConfigEnvironment(["ID": "/id", "BAD": "id"])
        let good = Self.report("[tick, { source: events, id: \"${ID}\" }]", environment: environment)
        let bad = Self.report("[tick, { source: events, id: \"${BAD}\" }]", environment: environment)

        #expect(good.plan.pipelines.first?.feeds.last?.feed.merging?.id == [try Self.pointer("/id")])
        #expect(bad.diagnostics.map(\.code) == [.malformed])
        #expect(bad.diagnostics.first?.help == "set the variable to such a value: `BAD=/id`")
    }

    @Test func `a feed that cannot be read leaves its source in peace`() {
        #expect(Self.report("[tick, { source: events, id: id }]").codes == ["P105"])
        #expect(Self.report("[{ suorce: events, id: /id }]").codes == ["P101"])
    }

    @Test func `another order keeps the feeds, and takes no change source`() throws {
        let plan = Self.report("[events, tick]").plan
        let pipeline = try plan.pipeline("friends")

        #expect(try pipeline.asking(["api"], from: plan.sources).feeds.map(\.source.name) == ["events", "tick"])
        #expect(throws: UsageError.self) { try pipeline.asking(["events"], from: plan.sources) }
    }

    @Test(arguments: [
        // Neither an origin, nor a cache, nor what stands in the way of one.
        ("tiers: [{ source: memory, ttl: 1m }, api], live: [events]", [String]()),
        ("tiers: [memory, api, events]", ["P208"]), ("tiers: [events]", ["P208"]), ("tiers: [memory, events]", ["P208"]),
        ("tiers: [events, { source: events, ttl: 3s }, api]", ["P208", "P208"]),
        // A cache alone has no origin, whatever reports changes.
        ("tiers: [{ source: memory, ttl: 1m }], live: [events]", ["P207", "P304"]),
    ]) func `a change source takes part in no rule of tiers`(pipeline: String, codes: [String]) {
        let head = String(Self.head.split(separator: "  friends:")[0])
        let report = Reading.report(
            head
                + "  friends: { parameters: [user], \(pipeline) }\n  rest: { parameters: [user], tiers: [memory, api], live: [events, tick] }\n",
            plugins: Reading.plugins + LiveStandIns.all)

        #expect(report.codes.sorted() == codes)
    }

    @Test func `a source that only feeds use is checked like any other`() async {
        let asked = SourcePlugin(live: "asked", summary: "Refuses.", fields: Field<URLTemplate>("url", "Where it is.")) { _, _ in Refusing()
        }
        let report = Reading.report(
            """
            sources:
              memory: { type: memory }
              feed: { type: asked, url: "ws://h/" }
            pipelines: { friends: { tiers: [memory], live: [feed] } }
            """, level: .connect, plugins: [.memory, asked])

        let checks = await report.checkSources()

        #expect(checks.last?.outcome == .refused("status 401") && checks.last?.diagnostic?.code == .connectionRefused)
    }

    private struct Refusing: LiveSource {
        func channel(for key: Key) throws -> String { "" }
        func listen(for key: Key, to listener: LiveListener) async throws -> LiveEnding { LiveEnding(.ended, "") }
        func check() async throws -> Reachability { throw SourceError("status 401", kind: .refused) }
        func connect() async throws {}
        func close() async {}
    }
}
