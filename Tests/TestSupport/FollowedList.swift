import Pipeline
import PipelineJSON
package import PipelineLive
package import PipelineTesting

/// A list in a cache, from a scripted origin, that follows a change source by the system's clock, and an observer of it.
package struct FollowedList {
    package let origin = StubOrigin("api", clock: .system)
    private let pipelines: Pipelines
    private var snapshots: Snapshots.Iterator

    /// A list that begins as `list`, into which the messages of `source` are merged by `id`.
    ///
    /// - Parameter operations: what messages do; nil when each is an upsert.
    package init(_ list: String, following source: any LiveSource, operations: MergePolicy.Operations? = nil) throws {
        origin.answers(.value(list))
        let merging = MergePolicy(id: [JSONPointer("/id") ?? .whole], operations: operations, insertion: .last)
        let spec = PipelineSpec(
            "friends",
            tiers: [
                TierSpec(SourceSpec("memory", StubSource("memory", clock: .system)), ttl: .seconds(600)),
                TierSpec(SourceSpec("api", origin)),
            ],
            live: [FeedSpec(SourceSpec("events", source), merging: merging)])
        pipelines = try Pipelines([spec], clock: .system)
        snapshots = try pipelines.pipeline(named: "friends").snapshots().makeAsyncIterator()
    }

    /// Returns when the feed is in this state.
    package mutating func wait(for state: FeedStatus.State) async -> FeedStatus? {
        while let snapshot = await snapshots.next() {
            if let feed = snapshot.status.feeds.first, feed.state == state { return feed }
        }
        return nil
    }

    /// Returns when the feed is live and the value is `text`: with false where the sequence ends before.
    package mutating func becomes(_ text: String) async -> Bool {
        while let snapshot = await snapshots.next() {
            if snapshot.entry?.payload.map({ String(decoding: $0, as: UTF8.self) }) == text, snapshot.status.feeds.first?.state == .live {
                return true
            }
        }
        return false
    }

    package func end() async { await pipelines.shutDown() }
}

extension FollowedList {
    /// Plays messages of a hub that is killed and started again while the list became another one. Returns the first step that did not come
    /// about; nil when all did. The list must be empty, and follow the channel `friends`.
    package mutating func survives(aRestartOf server: NginxServer) async throws -> String? {
        guard await becomes("[]") else { return "the empty list" }
        try server.publish(#"{"id":1}"#, to: "friends")
        guard await becomes(#"[{"id":1}]"#) else { return "a message" }

        server.kill()
        guard await wait(for: .down)?.reason != nil else { return "the end of the connection" }
        origin.answers(.value(#"[{"id":1},{"id":2}]"#))
        try await server.start()

        guard await becomes(#"[{"id":1},{"id":2}]"#) else { return "a load after the restart" }
        try server.publish(#"{"id":3}"#, to: "friends")
        return await becomes(#"[{"id":1},{"id":2},{"id":3}]"#) ? nil : "a message after the restart"
    }
}
