import CoreMetrics
import PipelineLive
import PipelineTesting
import PipelineYAML
import Testing

@testable import Pipeline
@testable import PipeRunKit
@testable import PipelineConfig
@testable import PipelineSending
@testable import PipelineServer

@Suite struct PipelineMetricsTests {
    private let registry = PrometheusRegistry()
    private let key = Key(pipeline: "friends", parameters: ["user": "42"])

    private func read() throws -> PrometheusText { try PrometheusText(registry.text) }

    @Test(
        arguments: [
            (.hit, "hits"), (.notFound, "hits"), (.miss, "misses"), (.expired, "misses"), (.stale, "stale"), (.error, "errors"),
            (.invalid, "errors"), (.timeout, "errors"), (.skipped, nil),
        ] as [(Attempt.Outcome, String?)])
    func `an attempt is counted once, by what came of it`(outcome: Attempt.Outcome, counter: String?) throws {
        PipelineMetrics(factory: registry).observer(.attempt(Attempt("disk", outcome, duration: .milliseconds(1)), key: key))

        for name in ["hits", "misses", "stale", "errors"] {
            #expect(try read()["pipe_run_\(name)_total", "friends", "disk"] == (name == counter ? 1 : 0), "\(name)")
        }
        #expect(try read()["pipe_run_load_seconds_count", "friends", "disk"] == (counter == nil ? 0 : 1))
    }

    @Test func `a duration is in the bucket whose bound it does not exceed`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        for duration in [Duration.zero, .milliseconds(5), .nanoseconds(5_000_001), .milliseconds(2500), .seconds(10), .seconds(11)] {
            observer(.attempt(Attempt("disk", .hit, duration: duration), key: key))
        }

        let metrics = try read()
        let counts = ["5e-05", "0.0025", "0.005", "0.01", "1", "2.5", "5", "10", "+Inf"].map {
            metrics["pipe_run_load_seconds_bucket", ["pipeline": "friends", "source": "disk", "le": $0]]
        }
        #expect(counts == [1, 1, 2, 3, 3, 4, 4, 5, 6])
        let sum = try #require(metrics["pipe_run_load_seconds_sum", "friends", "disk"])
        #expect(abs(sum - 23.510000001) < 1e-9)
        #expect(metrics["pipe_run_hits_total", "friends", "disk"] == 6, "an answer from memory takes no time, and is a hit all the same")
    }

    @Test func `a load that was tried three times counts two retries`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        observer(.attempt(Attempt("api", .hit, duration: .milliseconds(1), tries: 3), key: key))
        observer(.attempt(Attempt("api", .hit, duration: .milliseconds(1)), key: key))

        #expect(try read()["pipe_run_retries_total", "friends", "api"] == 2)
    }

    @Test func `a refresh counts by its outcome, and one that kept the old copy as failed`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        for result in [FetchEnding.value, .value, .stale, .notFound] {
            observer(.refresh(Outcome(result, from: "api", for: key), duration: .zero))
        }

        let counts = try ["value", "failed", "not_found"].map {
            try read()["pipe_run_refreshes_total", ["pipeline": "friends", "outcome": $0]]
        }
        #expect(counts == [2, 1, 1])
    }

    @Test func `a gauge shows what it was told last`() throws {
        let gauge = Gauge(label: "x", dimensions: [("a", "1")], factory: registry)
        for value in [3, 1.5] { gauge.record(value) }
        #expect(try read()["x", ["a": "1"]] == 1.5)
        #expect(try read().types["x"] == "gauge")

        gauge.destroy()
        #expect(registry.text == "")
    }

    @Test func `writes are counted by outcome, evictions also without a key`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        for outcome in [WriteRecord.Outcome.written, .written, .failed] { observer(.write(WriteRecord("disk", outcome), key: key)) }
        observer(.eviction(source: "disk", key: nil))
        observer(.eviction(source: "memory", key: key))

        let metrics = try read()
        let counts = ["written", "failed", "unchanged", "skipped", "scheduled"].map {
            metrics["pipe_run_writes_total", ["pipeline": "friends", "source": "disk", "outcome": $0]]
        }
        #expect(counts == [2, 1, 0, 0, nil])
        #expect(metrics["pipe_run_evictions_total", "", "disk"] == 1 && metrics["pipe_run_evictions_total", "friends", "memory"] == 1)
    }

    @Test func `sends are counted by what they come to, once, and each try`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        func tell(_ state: SendState, isSettled: Bool = false) {
            var row = SendRow(
                number: 1, id: "1", name: "add_friend", arguments: [:], payload: [], owner: "", taken: Timestamp(nanoseconds: 0),
                state: state)
            row.isSettled = isSettled
            observer(.change(SendEvent(SendStatus(row)), source: "outbox", pipeline: "add_friend"))
        }
        for state in [SendState.waiting, .sending, .waiting, .sending, .sent, .failed] { tell(state) }
        tell(.sent, isSettled: true)

        let metrics = try read()
        let counts = ["sent", "failed", "held", "dropped", "merged", "waiting"].map {
            metrics["pipe_run_sends_total", ["send": "add_friend", "outcome": $0]]
        }
        #expect(counts == [1, 1, 0, 0, 0, nil])
        #expect(metrics["pipe_run_send_tries_total", ["send": "add_friend"]] == 2)
    }

    @Test func `a send has taken from the moment when it was taken in until it is sent, whatever else was told of it`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        func tell(_ state: SendState, after seconds: Int64?, isSettled: Bool = false) {
            var row = SendRow(
                number: 1, id: "1", name: "add_friend", arguments: [:], payload: [], owner: "",
                taken: Timestamp(nanoseconds: 7_000_000_000), state: state)
            row.ended = seconds.map { Timestamp(nanoseconds: 7_000_000_000 + $0 * 1_000_000_000) }
            row.isSettled = isSettled
            observer(.change(SendEvent(SendStatus(row)), source: "outbox", pipeline: "add_friend"))
        }
        for state in [SendState.waiting, .sending] { tell(state, after: nil) }
        tell(.failed, after: 1)
        tell(.sent, after: 3)
        tell(.sent, after: 3, isSettled: true)
        // The clock on the wall was set back meanwhile.
        tell(.sent, after: -60)

        let metrics = try read()
        #expect(metrics["pipe_run_send_seconds_count", ["send": "add_friend"]] == 2)
        #expect(metrics["pipe_run_send_seconds_sum", ["send": "add_friend"]] == 3)
        #expect(metrics["pipe_run_send_seconds_bucket", ["send": "add_friend", "le": "2.5"]] == 1)
        #expect(metrics["pipe_run_send_seconds_bucket", ["send": "add_friend", "le": "5"]] == 2)
    }

    @Test func `feeds are counted by state, and what happens at them one by one`() throws {
        let observer = PipelineMetrics(factory: registry).observer
        func tell(_ event: FeedEvent) { observer(.feed(event, source: "events", pipeline: "friends")) }
        for _ in 1...2 {
            tell(.state(FeedStatus("events", .connecting), before: .off))
            tell(.state(FeedStatus("events", .live), before: .connecting))
        }
        tell(.state(FeedStatus("events", .down), before: .live))
        tell(.messages(5))
        tell(.skipped(2, reason: "no JSON"))
        tell(.dropped(3, reason: "no copy"))
        tell(.reconnect)
        tell(.synced)

        let metrics = try read()
        let states = FeedStatus.State.allCases.map {
            metrics["pipe_run_feeds", ["pipeline": "friends", "source": "events", "state": $0.rawValue]]
        }
        #expect(states == [nil, 0, 0, 1, 1, 0, 0])
        let counts = ["messages", "skipped", "dropped", "reconnects", "syncs"].map {
            metrics["pipe_run_feed_\($0)_total", "friends", "events"]
        }
        #expect(counts == [5, 2, 3, 1, 1])
    }

    @Test func `a reload is told from the first one on`() throws {
        let metrics = ReloadMetrics(factory: registry)
        #expect(registry.text.isEmpty)
        metrics.note(Timestamp(nanoseconds: 1_500_000_000))
        #expect(try read()["pipe_run_config_reload_success", [:]] == 1)
        metrics.note(nil)

        #expect(try read()["pipe_run_config_reload_success", [:]] == 0)
        #expect(try read()["pipe_run_config_reload_timestamp_seconds", [:]] == 1.5)
        #expect(try ["success", "failed"].map { try read()["pipe_run_config_reloads_total", ["outcome": $0]] } == [1, 1])
    }

    @Test func `nothing is lost when events come at once`() async throws {
        let observer = PipelineMetrics(factory: registry).observer
        let (tasks, events) = (8, 5_000)

        await withTaskGroup { group in
            for task in 0..<tasks {
                group.addTask { [key] in
                    for event in 0..<events {
                        let source = "s\((task + event) % 3)"
                        observer(.attempt(Attempt(source, .hit, duration: .milliseconds(event % 2 * 20)), key: key))
                        observer(.eviction(source: source, key: key))
                    }
                }
            }
            group.addTask { [registry] in for _ in 1...20 { #expect(throws: Never.self) { _ = try PrometheusText(registry.text) } } }
        }

        let metrics = try read()
        func sum(_ name: String) -> Double { (0..<3).reduce(0) { $0 + (metrics[name, "friends", "s\($1)"] ?? 0) } }
        #expect(sum("pipe_run_hits_total") == Double(tasks * events))
        #expect(sum("pipe_run_evictions_total") == Double(tasks * events))
        #expect(sum("pipe_run_load_seconds_count") == Double(tasks * events))
        #expect(abs(sum("pipe_run_load_seconds_sum") - Double(tasks * events / 2) * 0.02) < 1e-6)
    }

    @Test func `two observers with one backend count together`() throws {
        let (first, second) = (PipelineMetrics(factory: registry), PipelineMetrics(factory: registry))
        for metrics in [first, first, second] { metrics.observer(.attempt(Attempt("disk", .hit), key: key)) }

        #expect(try read()["pipe_run_hits_total", "friends", "disk"] == 3)
    }

    @Test func `labels that differ in bytes only are two series`() throws {
        let names = ["\u{E9}", "e\u{301}"]
        for name in names { registry.makeCounter(label: "x_total", dimensions: [("name", name)]).increment(by: 1) }

        let lines = registry.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasSuffix(" 1") })
    }

    @Test func `a metric that is destroyed is not shown any more`() throws {
        let counter = Counter(label: "x_total", dimensions: [("a", "1")], factory: registry)
        let timer = CoreMetrics.Timer(label: "y_seconds", dimensions: [], factory: registry)
        counter.increment(by: 7)
        timer.recordSeconds(1)
        #expect(try read()["x_total", ["a": "1"]] == 7)
        #expect(try read()["y_seconds_bucket", ["le": "1"]] == 1)

        counter.destroy()
        timer.destroy()

        #expect(registry.text == "")
    }

    private static func plan(_ pipelines: String) throws -> Plan {
        let text = """
            sources:
              memory: { type: shelf }
              disk: { type: shelf }
              api: { type: service }
            pipelines:
            \(pipelines)
            """
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml").report(plugins: [
            SourcePlugin(cache: "shelf", summary: "") { _ in StubSource("shelf", clock: .system) },
            SourcePlugin(origin: "service", summary: "") { _ in StubOrigin(clock: .system) },
        ])
        try #require(!report.diagnostics.hasErrors)
        return report.plan
    }

    @Test func `what a plan no longer has is shown no more, what ends late is not counted, and a name that returns begins at 0`() throws {
        let before = try Self.plan("  friends: { tiers: [memory, disk, api] }\n  others: { tiers: [memory, api] }")
        let after = try Self.plan("  friends: { tiers: [memory, api] }\n  new: { tiers: [memory, api] }")
        let metrics = PipelineMetrics(plan: before, factory: registry)
        let (friends, others) = (Key(pipeline: "friends", parameters: []), Key(pipeline: "others", parameters: []))
        func happen() {
            for key in [friends, others] {
                for source in ["memory", "disk"] {
                    metrics.observer(.attempt(Attempt(source, .hit, duration: .zero), key: key))
                    metrics.observer(.write(WriteRecord(source, .written), key: key))
                }
                metrics.observer(.refresh(Outcome(.value, from: "api", for: key), duration: .zero))
                metrics.observer(.eviction(source: "memory", key: nil))
            }
        }
        func labels() throws -> Set<String> {
            Set(try read().order.map { [$0.labels["pipeline"] ?? "", $0.labels["source"] ?? ""].joined(separator: " ") })
        }
        happen()
        #expect(try labels().isSuperset(of: ["friends disk", "others memory", "others api"]))

        metrics.show(after)
        metrics.showOnly(after)
        happen()

        #expect(try labels() == ["friends memory", "friends api", "friends ", "new memory", "new api", "new ", " memory"])
        #expect(try read()["pipe_run_hits_total", "friends", "memory"] == 2)
        #expect(try read()["pipe_run_evictions_total", "", "memory"] == 4)
        metrics.show(before)
        metrics.showOnly(before)
        #expect(try read()["pipe_run_hits_total", "others", "memory"] == 0)
        #expect(try read()["pipe_run_hits_total", "friends", "memory"] == 2)
    }

    @Test func `metrics of a thousand plans are as long as those of one`() throws {
        let metrics = PipelineMetrics(plan: try Self.plan("  p0: { tiers: [memory, api] }"), factory: registry)
        let length = registry.text.utf8.count
        for number in 1...1_000 {
            // Names of one length.
            let plan = try Self.plan("  p\(number % 10): { tiers: [memory, api] }")
            metrics.show(plan)
            metrics.observer(
                .attempt(Attempt("memory", .hit, duration: .zero), key: Key(pipeline: "p\((number + 9) % 10)", parameters: [])))
            metrics.showOnly(plan)
            metrics.observer(
                .attempt(Attempt("memory", .hit, duration: .zero), key: Key(pipeline: "p\((number + 9) % 10)", parameters: [])))
        }

        #expect(registry.text.utf8.count == length)
    }

    @Test func `help is on one line`() throws {
        let registry = PrometheusRegistry(help: ["x_total": "a\\b\nc"])
        registry.makeCounter(label: "x_total", dimensions: []).increment(by: 1)

        #expect(registry.text == "# HELP x_total a\\\\b\\nc\n# TYPE x_total counter\nx_total 1\n")
    }
}
