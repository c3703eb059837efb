import InMemoryLogging
import Logging
import PipelineLive
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipeRunKit
@testable import PipelineSending
@testable import PipelineServer

@Suite struct PipelineLogTests {
    private static let key = Key(pipeline: "friends", parameters: ["user": "42"])

    /// What is logged of `events` from `level` on.
    private func entries(_ events: [PipelineEvent], from level: Logger.Level = .trace) -> [InMemoryLogHandler.Entry] {
        var handler = InMemoryLogHandler()
        handler.logLevel = level
        let log = PipelineLog(Logger(label: "test") { [handler] _ in handler })
        for event in events { log.observer(event) }
        return handler.entries
    }

    static let levels: [(PipelineEvent, Logger.Level)] =
        Attempt.Outcome.allCases.map { outcome in
            (.attempt(Attempt("disk", outcome), key: key), [.error, .invalid, .timeout].contains(outcome) ? .warning : .debug)
        }
        + WriteRecord.Outcome.allCases.map { (.write(WriteRecord("disk", $0), key: key), $0 == .failed ? .warning : .debug) }
        + FetchEnding.allCases.map { (.refresh(Outcome($0, from: "disk", for: key), duration: .zero), $0 == .failed ? .warning : .debug) }
        + FetchEnding.allCases.map { (.fetch(Outcome($0, from: "disk", for: key), duration: .zero), .debug) }
        + [
            (.removal(RemovalReport(lines: [.init(source: "disk", failure: nil)]), pipeline: "friends", key: nil), .notice),
            (.removal(RemovalReport(lines: [.init(source: "disk", failure: "read-only")]), pipeline: "friends", key: key), .warning),
            (.eviction(source: "memory", key: nil), .debug), (.subscription(source: "redis", failure: "no"), .warning),
            (.subscription(source: "redis", failure: nil), .notice),
        ]
        + FeedStatus.State.allCases.map { state in
            (
                .feed(.state(FeedStatus("events", state, reason: "no"), before: .off), source: "events", pipeline: "friends"),
                [.down, .refused].contains(state) ? .warning : state == .ended ? .notice : .debug
            )
        }
        + [
            (.feed(.messages(3), source: "events", pipeline: "friends"), .debug),
            (.feed(.skipped(3, reason: "no"), source: "events", pipeline: "friends"), .warning),
        ]

    @Test func `what feeds skip is written at once, then once a minute with its count, each kind and feed by itself`() {
        var handler = InMemoryLogHandler()
        handler.logLevel = .trace
        let time = ManualClock()
        let log = PipelineLog(Logger(label: "test") { [handler] _ in handler }, clock: time.clock)
        func tell(_ event: FeedEvent, of source: String = "events") {
            log.observer(.feed(event, source: source, pipeline: "friends"))
        }
        func written() -> [String] {
            handler.entries.map { entry in
                ["source", "outcome", "count", "reason"].compactMap { entry.metadata[$0].map { "\($0)" } }.joined(separator: " ")
            }
        }

        tell(.skipped(1, reason: "a"))
        tell(.skipped(2, reason: "b"))
        tell(.dropped(5, reason: "c"))
        tell(.skipped(1, reason: "d"), of: "hub")
        tell(.messages(9))
        tell(.skipped(3, reason: "e"))
        let first = ["events skipped 1 a", "events dropped 5 c", "hub skipped 1 d", "events messages 9"]
        #expect(written() == first)

        time.advance(by: .seconds(59))
        #expect(written() == first)
        time.advance(by: .seconds(1))
        #expect(written() == first + ["events skipped 5 e"])
        tell(.skipped(1, reason: "f"))
        time.advance(by: .seconds(60))
        #expect(written() == first + ["events skipped 5 e", "events skipped 1 f"])
        time.advance(by: .seconds(60))
        tell(.skipped(1, reason: "g"))
        #expect(written() == first + ["events skipped 5 e", "events skipped 1 f", "events skipped 1 g"])
    }

    @Test func `what failed is a warning, a removal and the end of a refusal a notice, all else for debugging`() {
        for (event, level) in Self.levels {
            #expect(entries([event]).map(\.level) == [level], "\(event)")
            #expect(entries([event], from: .warning).count == (level == .warning ? 1 : 0), "\(event)")
        }
    }

    @Test func `a send is told with its kind, id, state and reason, and without its payload`() throws {
        func event(_ state: SendState) -> PipelineEvent {
            var row = SendRow(
                number: 1, id: "my-1", name: "add_friend", arguments: ["user": "42"], payload: Array("s3cret".utf8), owner: "",
                taken: Timestamp(nanoseconds: 0), state: state)
            row.reason = "status 503"
            return .change(SendEvent(SendStatus(row)), source: "outbox", pipeline: "add_friend")
        }

        for state in SendState.allCases {
            let level: Logger.Level = state == .held || state == .failed ? .warning : .info
            #expect(entries([event(state)]).map(\.level) == [level], "\(state)")
        }
        let entry = try #require(entries([event(.waiting)]).first)
        #expect(entry.message == "send")
        #expect(
            entry.metadata == ["source": "outbox", "send": "add_friend", "id": "my-1", "state": "waiting", "reason": "status 503"])
    }

    @Test func `an outbox that cannot be opened is a warning with the reason, and one that can be again a notice`() throws {
        func event(_ problem: String?) -> PipelineEvent { .change(OutboxEvent(problem: problem), source: "outbox", pipeline: "") }

        let failed = try #require(entries([event("the disk is gone")], from: .warning).first)
        let opened = try #require(entries([event(nil)], from: .notice).first)

        #expect(failed.message == "outbox" && failed.level == .warning)
        #expect(failed.metadata == ["source": "outbox", "outcome": "failed", "reason": "the disk is gone"])
        #expect(opened.message == "outbox" && opened.level == .notice)
        #expect(opened.metadata == ["source": "outbox", "outcome": "opened"])
    }

    @Test func `an attempt is told with its pipeline, key, source, outcome, reason and time`() throws {
        let attempt = Attempt("disk", .error, duration: .microseconds(1500), reason: "permission denied")
        let entry = try #require(entries([.attempt(attempt, key: Self.key)]).first)

        #expect(entry.message == "attempt")
        #expect(
            entry.metadata == [
                "pipeline": "friends", "key": "friends,user=42", "source": "disk", "outcome": "error", "reason": "permission denied",
                "ms": "1.5",
            ])
    }

    @Test func `what the other side said about a failure is told as its detail`() throws {
        let attempt = Attempt("api", .error, reason: "status 500", detail: "out of memory")

        #expect(try #require(entries([.attempt(attempt, key: Self.key)]).first).metadata["detail"] == "out of memory")
    }

    @Test func `a removal is told with the caches that have not forgotten`() throws {
        let report = RemovalReport(lines: [.init(source: "disk", failure: "read-only"), .init(source: "memory", failure: nil)])
        let entry = try #require(entries([.removal(report, pipeline: "friends", key: nil)]).first)

        #expect(
            entry.metadata == ["pipeline": "friends", "source": "disk, memory", "outcome": "failed", "reason": "disk: read-only"])
    }

    @Test func `control characters of values do not reach the logger`() {
        let odd = "a\nb\r\u{1B}[31m\u{2028}\u{202E}"
        let key = Key(pipeline: odd, parameters: [odd: odd])
        let events: [PipelineEvent] = [
            .attempt(Attempt(odd, .error, reason: odd), key: key), .write(WriteRecord(odd, .failed, reason: odd), key: key),
            .eviction(source: odd, key: key), .fetch(Outcome(.value, from: odd, for: key), duration: .zero),
            .removal(RemovalReport(lines: [.init(source: odd, failure: odd)]), pipeline: odd, key: key),
            .subscription(source: odd, failure: odd), .feed(.skipped(1, reason: odd), source: odd, pipeline: odd),
        ]
        let values = entries(events).flatMap { $0.metadata.values.map { "\($0)" } + ["\($0.message)"] }

        #expect(values.count > 20)
        #expect(
            values.allSatisfy { value in !value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x2028 || $0.value == 0x202E } })
    }

    @Test func `a long key is cut`() {
        let key = Key(pipeline: "friends", parameters: ["user": String(repeating: "x", count: 100_000)])
        let fetch = PipelineEvent.fetch(Outcome(.notFound, from: "disk", for: key), duration: .zero)
        let values = entries([fetch]).flatMap { $0.metadata.values.map { "\($0)" } }

        #expect(values.contains { $0.hasSuffix("…") } && values.allSatisfy { $0.count <= 1_025 })
    }

    @Test(arguments: ["text", "json"])
    func `lines that are missing are a warning in the format of the log`(format: String) throws {
        let handler = ConsoleLogHandler(logLevel: .info, format: try #require(LogFormat(rawValue: format)))

        let line = handler.dropped(12)

        #expect(line.contains("warning") && line.contains("12") && line.contains("standard error was not read"))
        #expect(line.hasSuffix("\n") && line.count { $0 == "\n" } == 1)
    }

    @Test(arguments: [
        ("plain-1.5,x%20", "plain-1.5,x%20"), ("", "\"\""), ("a b", "\"a b\""), ("a outcome=hit", "\"a outcome=hit\""),
        ("say \"hi\"", "\"say \\\"hi\\\"\""), ("a\nb", "\"a\u{FFFD}b\""), ("back\\slash", "\"back\\\\slash\""), ("ä", "\"ä\""),
    ])
    func `on the console a value is one word, quoted where it would be more`(value: String, written: String) {
        let event = LogEvent(
            level: .warning, message: "attempt", metadata: ["reason": .string(value), "a": "1"], source: nil, file: "", function: "",
            line: 0)

        #expect(ConsoleLogHandler.line(event) == "warning attempt a=1 reason=\(written)")
    }
}
