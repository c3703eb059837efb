import Pipeline
import PipelineJSON
import PipelineLive
import PipelineTesting
import SourcesMemory
import Synchronization
import Testing

@testable import SourcesRedis

/// Processes with feeds of their own, over one server.
@Suite(.timeLimit(.minutes(15)))
struct RedisFeedTests {
    private let time = ManualClock()
    private let list = #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#

    @Test func `of two processes with feeds one writes the changes of a key to the cache that they share`() async throws {
        try await RedisServer.run { server async throws in
            let api = StubOrigin("api", clock: time.clock, answering: .value(list))
            let processes = try (0..<2).map { _ in try Process(server, api, time.clock) }
            for process in processes { try await process.follow(time) }
            try await withSource(server.url()) { shared async throws in
                let key = processes[0].key
                var writers: [[Bool]] = []
                for number in 1...3 {
                    let changed = #"[{"id":1,"n":"a"},{"id":2,"n":\#(number)}]"#
                    for process in processes { process.forgetWrites() }

                    for process in processes { try await process.send(#"{"id":2,"n":\#(number)}"#) }

                    // Each has it in its own memory, whoever writes it.
                    for process in processes { #expect(try await process.fetched() == changed) }
                    _ = try await eventually {
                        time.advance(by: .milliseconds(200))
                        return processes.allSatisfy { $0.writes.count == 1 } ? true : nil
                    }
                    writers.append(processes.map { $0.writes.first == "written" })
                    #expect(try await shared.text(key) == changed)
                }

                #expect(writers[0].count { $0 } == 1)
                // The one that has begun goes on.
                #expect(writers.allSatisfy { $0 == writers[0] }, "\(writers)")
                #expect(processes.flatMap(\.reasons) == ["another process writes the changes of this key"])
            }
            for process in processes { await process.pipelines.shutDown() }
        }
    }
}

/// A pipeline in memory and on the server, with a feed of its own.
private final class Process: Sendable {
    let pipelines: Pipelines
    let key = Key(pipeline: "friends")
    private let friends: DataPipeline
    private let events = LiveStub()
    private let seen: Seen
    private let observed = Mutex<Task<Void, Never>?>(nil)

    private final class Seen: Sendable {
        let records = Mutex<[WriteRecord]>([])
    }

    init(_ server: RedisServer, _ api: StubOrigin, _ clock: PipelineClock) throws {
        let shared = try makeSource(server.url(), clock: clock) { $0.sharedFlight = SharedFlight(lease: .seconds(60)) }
        var policy = TierPolicy(ttl: .seconds(600))
        policy.debounce = .seconds(2)
        let seen = Seen()
        self.seen = seen
        let id = try #require(JSONPointer("/id"))
        pipelines = try Pipelines(
            [
                PipelineSpec(
                    "friends",
                    tiers: [
                        TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(600)), TierSpec(SourceSpec("shared", shared), policy),
                        TierSpec(SourceSpec("api", api)),
                    ],
                    live: [FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [id]))])
            ], clock: clock,
            observers: [
                { event in
                    if case .write(let record, _) = event, record.source == "shared" { seen.records.withLock { $0.append(record) } }
                }
            ])
        friends = try pipelines.pipeline(named: "friends")
    }

    deinit { observed.withLock { $0 }?.cancel() }

    /// Observes the key from now on. Returns when its feed is live, and what it loaded is written.
    func follow(_ time: ManualClock) async throws {
        let live = Gate()
        let snapshots = friends.snapshots(key)
        // Cancelled with the process.
        let task = Task {
            for await snapshot in snapshots where snapshot.status.feeds.first?.state == .live { live.open() }
        }
        observed.withLock { $0 = task }
        try await events.connection(1).begin()
        try await live.wait()
        // The value has landed before it is handed to the caches.
        await friends.finishRefreshes()
        time.advance(by: .seconds(2))
        try await friends.flush(key)
    }

    /// A message comes.
    func send(_ text: String) async throws { try await events.connection(1).send(text) }

    func fetched() async throws -> String? { try await friends.fetch(key).payload.map { String(decoding: $0, as: UTF8.self) } }

    func forgetWrites() { seen.records.withLock { $0 = [] } }

    private var ended: [WriteRecord] { seen.records.withLock { $0.filter { $0.outcome != .scheduled } } }

    /// What came of the writes to the server since then.
    var writes: [String] { ended.map(\.outcome.rawValue) }

    /// Why writes were skipped.
    var reasons: [String] { ended.compactMap(\.reason) }
}
