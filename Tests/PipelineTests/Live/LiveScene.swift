import PipelineJSON
import PipelineLive
import PipelineTesting
import SourcesMemory
import Testing

@testable import Pipeline

/// A list of friends in memory and on a disk, from an origin, with a feed that merges by id.
struct LiveScene: Sendable {
    let time = ManualClock()
    let memory: SourceSpec
    let disk: StubSource
    let api: StubOrigin
    let events: LiveStub
    let recorder = EventRecorder()
    let pipelines: Pipelines
    let friends: DataPipeline
    let key: Key

    /// - Parameters:
    ///   - feed: changes the feed before the pipeline is made; nil for a pipeline without a feed.
    init(
        parameters: [ParameterSpec] = [], list: String = #"[{"id":1,"n":"a"},{"id":2,"n":"b"}]"#, events: LiveStub = LiveStub(),
        policy: PipelinePolicy = PipelinePolicy(), memoryTTL: Duration = .seconds(30), feed: ((inout FeedSpec) -> Void)? = { _ in }
    ) throws {
        let clock = time.clock
        memory = SourceSpec("memory", MemorySource(), capabilities: [.keepsNotFound])
        disk = StubSource("disk", clock: clock)
        api = StubOrigin("api", clock: clock, answering: .value(list))
        self.events = events
        var spec = FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [try #require(JSONPointer("/id"))]))
        feed?(&spec)
        var disk = TierPolicy(ttl: .seconds(600))
        disk.debounce = .seconds(2)
        let tiers = [TierSpec(memory, ttl: memoryTTL), TierSpec(SourceSpec("disk", self.disk), disk), TierSpec(SourceSpec("api", api))]
        pipelines = try Pipelines(
            [PipelineSpec("friends", parameters: parameters, policy: policy, tiers: tiers, live: feed == nil ? [] : [spec])], clock: clock,
            random: .seeded(1), observers: [recorder.observer])
        friends = try pipelines.pipeline(named: "friends")
        key = try friends.key(Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, "42") }))
    }

    /// An observer of `key`, once its feed is live.
    func watching() async throws -> (observer: Watch, connection: LiveStubConnection) {
        var observer = Watch(friends.snapshots(key))
        let connection = try await events.connection(1)
        // Its load asks before the stream begins, for which another one asks.
        await api.reads(atLeast: 1)
        connection.begin()
        _ = await observer.until { $0.status.feeds.first?.state == .live && !$0.status.isRefreshing }
        // What has landed is written when the load ends, at this time.
        await friends.finishRefreshes()
        return (observer, connection)
    }

    /// Does `work` while the time goes on.
    func ticking<Value: Sendable>(_ work: () async throws -> Value) async rethrows -> Value {
        // Ends below.
        let ticking = Task { [time] in
            while !Task.isCancelled {
                time.advance(by: .milliseconds(100))
                await Task.yield()
            }
        }
        defer { ticking.cancel() }
        return try await work()
    }

    /// What a fetch answers.
    func fetched() async throws -> String? { try await friends.fetch(key).payload.map { String(decoding: $0, as: UTF8.self) } }
}

/// An observer, and the snapshots it has taken.
struct Watch {
    private var iterator: Snapshots.Iterator
    private(set) var taken: [Snapshot] = []

    init(_ snapshots: Snapshots) { iterator = snapshots.makeAsyncIterator() }

    /// The next snapshot.
    mutating func next() async -> Snapshot? {
        let next = await iterator.next()
        if let next { taken.append(next) }
        return next
    }

    /// Takes snapshots until one is as wanted; nil at the end.
    mutating func until(_ isWanted: (Snapshot) -> Bool) async -> Snapshot? {
        while let snapshot = await next() { if isWanted(snapshot) { return snapshot } }
        return nil
    }

    /// Takes snapshots until the value is `text`.
    @discardableResult
    mutating func until(_ text: String) async -> Snapshot? { await until { $0.text == text } }
}

extension Snapshot {
    /// The value as text.
    var text: String? { entry?.payload.map { String(decoding: $0, as: UTF8.self) } }
}
