import PipelineConfig
import PipelineServer
import PipelineTesting
import Testing

@testable import PipeRunKit
@testable import Pipeline
@testable import PipelineLive
@testable import PipelineComposing

/// What `watch` prints of each snapshot.
@Suite struct WatchPrinterTests {
    private let time = ManualClock()
    private let key = Key(pipeline: "friends", parameters: ["user": "s3cret"])

    private func printer(_ output: WatchOutput, format: PayloadFormat = .json) -> WatchPrinter {
        var spec = PipelineSpec("friends", parameters: ["user"], tiers: [])
        spec.policy.format = format
        let redactor = Redactor { $0.replacing("s3cret", with: "***") }
        return WatchPrinter(spec, output: output, redactor: redactor, clock: time.clock)
    }

    private func snapshot(
        _ revision: UInt64, _ value: Entry?, changes: ListChanges = .reset, isRefreshing: Bool = false, isStale: Bool = false,
        error: LoadError? = nil, feeds: [FeedStatus] = []
    ) -> Snapshot {
        var status = LiveStatus()
        status.isLoading = revision == 0 && error == nil
        (status.isRefreshing, status.isStale, status.error, status.feeds) = (isRefreshing, isStale, error, feeds)
        status.source = value?.source
        return Snapshot(SharedSnapshot(key, revision: revision, SnapshotValue(value), status: status), changes: changes)
    }

    private func entry(_ text: String, source: String = "api", freshFor: Duration? = nil) -> Entry {
        Entry(Array(text.utf8), created: time.now, freshUntil: freshFor.map { time.now + $0 }, source: source)
    }

    private var failure: LoadError {
        LoadError(key: key, kind: .everyTierFailed, attempts: [Attempt("api", .error, reason: "status 503")])
    }

    @Test func `raw is a line for each new value, compact`() {
        var printer = printer(.raw)

        let lines = [
            snapshot(0, nil), snapshot(1, entry("[ 1,\n 2 ]")), snapshot(1, entry("[ 1,\n 2 ]"), changes: .none, isRefreshing: true),
            snapshot(2, entry("[3]")), snapshot(3, .notFound(created: time.now)), snapshot(4, entry("[3]")),
        ].map { printer.text($0).lines }

        #expect(lines == [[], ["[1,2]"], [], ["[3]"], [], ["[3]"]])
        #expect(printer.values == 3)
    }

    @Test func `a value that goes away is no line of raw, and people are told, of each way once`() {
        var printer = printer(.raw)

        let texts = [
            snapshot(1, entry("[1]")), snapshot(2, nil), snapshot(2, nil, changes: .none, isStale: true), snapshot(3, entry("[3]")),
            snapshot(4, .notFound(created: time.now)), snapshot(5, nil),
        ].map { printer.text($0) }

        #expect(texts.map(\.lines) == [["[1]"], [], [], ["[3]"], [], []])
        #expect(
            texts.map(\.status) == [
                [], ["pipe-run: `friends,user=***` removed; nothing is known of it until it is loaded again"], [], [],
                ["pipe-run: `friends,user=***` not found"], [],
            ])
        #expect(printer.values == 2)
    }

    @Test func `text and bytes stand in a JSON string`() {
        var text = printer(.raw, format: .text)
        var bytes = printer(.raw, format: .bytes)
        var changes = printer(.changes, format: .bytes)

        #expect(text.text(snapshot(1, entry("a\nb"))).lines == [#""a\nb""#])
        #expect(bytes.text(snapshot(1, entry("a\nb"))).lines == [#""YQpi""#])
        #expect(changes.text(snapshot(1, entry("a\nb"))).lines == [#"{"revision":1,"op":"reset","value_base64":"YQpi"}"#])
    }

    @Test func `changes are a line for each element, and a reset for a whole value`() {
        var printer = printer(.changes)
        let changes = ListChanges([
            ListChanges.Change(.delete, id: "1", item: nil, old: Array(#"{ "id": 1 }"#.utf8)),
            ListChanges.Change(.update, id: "2", item: Array(#"{"id":2,"n":2}"#.utf8), old: Array(#"{"id":2}"#.utf8)),
            ListChanges.Change(.insert(at: 1), id: "a\"b", item: Array(#"{"id":"a\"b"}"#.utf8), old: nil),
        ])

        let lines = [
            snapshot(0, nil), snapshot(1, entry("[ 1 ]")), snapshot(7, entry("[]"), changes: changes),
            snapshot(7, entry("[]"), changes: .none, isStale: true), snapshot(8, .notFound(created: time.now)),
        ].map { printer.text($0).lines }

        #expect(
            lines == [
                [], [#"{"revision":1,"op":"reset","value":[1]}"#],
                [
                    #"{"revision":7,"op":"delete","id":"1","old":{"id":1}}"#,
                    #"{"revision":7,"op":"update","id":"2","item":{"id":2,"n":2},"old":{"id":2}}"#,
                    #"{"revision":7,"op":"insert","id":"a\"b","at":1,"item":{"id":"a\"b"}}"#,
                ],
                [], [#"{"revision":8,"op":"reset","value":null}"#],
            ])
        #expect(printer.values == 2)
    }

    @Test func `an envelope is that of fetch with revision and feeds, its secrets masked`() throws {
        var printer = printer(.envelope)
        let value = entry("[ 1 ]", freshFor: .seconds(30))
        time.advance(by: .seconds(2))
        let down = FeedStatus("events", .down, reason: "status 401", pause: .milliseconds(1_200))

        let fresh = printer.text(snapshot(7, value, feeds: [down, FeedStatus("tick", .live)])).lines
        let stale = printer.text(snapshot(7, value, changes: .none, isStale: true, error: failure)).lines

        let head = #"{"pipeline":"friends","parameters":{"user":"***"},"outcome":"value","from":"api","#
        #expect(
            fresh == [
                head + #""stale":false,"age_ms":2000,"fresh_for_ms":28000,"value":[1],"tiers":[],"writes":[],"error":null,"revision":7,"#
                    + #""live":[{"source":"events","state":"down","reason":"status 401","retry_ms":1200},{"source":"tick","state":"live"}]}"#
            ])
        #expect(
            stale == [
                head + #""stale":true,"age_ms":2000,"fresh_for_ms":0,"value":[1],"#
                    + #""tiers":[{"source":"api","outcome":"error","ms":0,"reason":"status 503"}],"writes":[],"#
                    + #""error":{"code":"every_tier_failed","message":"no tier could answer for `friends,user=***`: api: error (status 503)"},"#
                    + #""revision":7,"live":[]}"#
            ])
    }

    @Test func `the envelope of a composite says what is lacking, as that of fetch does, and when only that changes`() {
        let spec = PipelineSpec("home", combine: CompositeSpec(.object([("ads", PartSpec("ads", default: "[]"))])))
        var printer = WatchPrinter(spec, output: .envelope, redactor: Redactor { $0.replacing("s3cret", with: "***") }, clock: time.clock)
        func snapshot(lacking: [PartOutcome], _ changes: ListChanges = .none) -> Snapshot {
            var status = LiveStatus()
            let missing = lacking.isEmpty ? [MissingTarget(at: "/fans", pipeline: "user", id: "s3cret")] : []
            status.detail = Composition(lacking, missing: missing, isComplete: lacking.isEmpty)
            let key = Key(pipeline: "home")
            return Snapshot(
                SharedSnapshot(key, revision: 1, SnapshotValue(entry(#"{"ads":[]}"#)), status: status), changes: changes)
        }
        let problem = PartOutcome.Problem(code: "timeout", message: "no answer for s3cret")
        let part = PartOutcome(
            at: "/ads", "ads", Key(pipeline: "ads"), .failed, usesDefault: true, problem: problem, isDegraded: true)

        let texts = [
            snapshot(lacking: [part], .reset), snapshot(lacking: [part]), snapshot(lacking: []), snapshot(lacking: [part]),
        ].map { printer.text($0) }

        let told =
            #""complete":false,"parts":[{"at":"/ads","pipeline":"ads","parameters":{},"outcome":"failed","used":"default","from":null,"#
            + #""tiers":[],"error":{"code":"timeout","message":"no answer for ***"}}],"missing":[],"revision":1,"live":[]}"#
        let whole = #""complete":true,"parts":[],"missing":[{"at":"/fans","pipeline":"user","id":"***"}],"revision":1,"live":[]}"#
        #expect(texts.map(\.lines.count) == [1, 0, 1, 1])
        #expect(texts[0].lines[0].contains(#""fresh_for_ms":0,"#))
        #expect(texts[0].lines[0].hasSuffix(#""error":null,"# + told), "\(texts[0].lines)")
        #expect(texts[2].lines[0].hasSuffix(#""error":null,"# + whole), "\(texts[2].lines)")
        let line = "pipe-run: incomplete: `/ads` is its default: no answer for ***"
        #expect(texts.map(\.status) == [[line], [], [], [line]])
    }

    @Test func `an envelope comes for each change of value or state, and only then`() {
        var printer = printer(.envelope)
        let live = [FeedStatus("events", .live)]

        let outcomes = [
            snapshot(0, nil), snapshot(0, nil, changes: .none, feeds: live), snapshot(0, nil, changes: .none, feeds: live),
            snapshot(0, nil, changes: .none, error: failure, feeds: live), snapshot(1, entry("[1]"), feeds: live),
            snapshot(1, entry("[1]"), changes: .none, isRefreshing: true, feeds: live),
            snapshot(2, .notFound(created: time.now), feeds: live),
        ].map { printer.text($0).lines.map { $0.firstMatch(of: /"outcome":"([a-z_]+)"/).map { String($0.1) } } }

        #expect(outcomes == [["loading"], ["loading"], [], ["failed"], ["value"], [], ["not_found"]])
    }

    @Test func `the feeds of parts are named with their pipelines, also where they come later and go again`() {
        var printer = printer(.envelope)
        func feed(_ state: FeedStatus.State, _ pipeline: String?) -> FeedStatus {
            var feed = FeedStatus("edits", state)
            feed.pipeline = pipeline
            return feed
        }
        let (own, part) = (feed(.live, nil), feed(.live, "team"))

        let texts = [[own], [own, part], [own, feed(.off, "team"), feed(.off, "fans")], [own]].map { feeds in
            printer.text(snapshot(1, entry("1"), changes: .none, feeds: feeds))
        }

        #expect(texts.map(\.status) == [["edits: live"], ["edits of team: live"], ["edits of team: off"], []])
        let live = #""live":[{"source":"edits","state":"live"},{"source":"edits","pipeline":"team","state":"live"}]}"#
        #expect(texts[1].lines.first?.hasSuffix(live) == true, "\(texts[1].lines)")
    }

    @Test func `people are told of each change of a feed, of failures, and of what is not found`() {
        var printer = printer(.raw)
        func feed(_ state: FeedStatus.State, _ reason: String? = nil, pause: Duration? = nil) -> [FeedStatus] {
            [FeedStatus("events", state, reason: reason, pause: pause)]
        }

        let status = [
            snapshot(0, nil, feeds: feed(.off)), snapshot(0, nil, feeds: feed(.connecting)),
            snapshot(1, entry("1"), feeds: feed(.connecting)), snapshot(1, entry("1"), changes: .none, feeds: feed(.live)),
            snapshot(1, entry("1"), changes: .none, feeds: feed(.down, "gone", pause: .milliseconds(1_200))),
            snapshot(1, entry("1"), changes: .none, error: failure, feeds: feed(.refused, "status 401")),
            snapshot(1, entry("1"), changes: .none, isStale: true, error: failure, feeds: feed(.refused, "status 401")),
            snapshot(2, .notFound(created: time.now), feeds: feed(.refused, "status 401")),
        ].map { printer.text($0).status }

        #expect(
            status == [
                [], ["events: connecting"], [], ["events: live"], ["events: down (gone), again in 1s"],
                ["events: refused (status 401)", "pipe-run: no tier could answer for `friends,user=***`: api: error (status 503)"], [],
                ["pipe-run: `friends,user=***` not found"],
            ])
    }
}
