import Pipeline
import PipelineJSON
import PipelineLive
import PipelineSending
import PipelineTesting
import Synchronization
import Testing

/// Memory answers without a load, and must not hide a send.
@Suite struct ImmediateCopyTests {
    private final class Memory: WritableSource {
        private let copies = Mutex<[Key: Entry]>([:])
        var style: ReadStyle { .immediate }
        func peek(_ key: Key) throws -> Entry? { copies.withLock { $0[key] } }
        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try peek(key) }
        func write(_ entry: Entry, for key: Key) async throws { copies.withLock { $0[key] = entry } }
        func remove(_ key: Key) async throws { copies.withLock { $0[key] = nil } }
        func clear(pipeline: String) async throws { copies.withLock { $0 = [:] } }
    }

    @Test func `a fetch from memory shows what waits, and again the base when it is given up`() async throws {
        let clock = ManualClock()
        let target = ScriptedTarget()
        target.replies(then: .fails(.unreached))
        let outbox = SourceSpec("outbox", MemoryOutbox(on: clock.clock))
        var rename = SendSpec("rename", parameters: ["id"], to: SourceSpec("edit", target), outbox: outbox)
        rename.changes = [SendChange(of: "friends", .patch, merging: MergePolicy(id: [JSONPointer(tokens: ["id"])]))]
        rename.changes[0].target = .parameter("id")
        let origin = StubOrigin(clock: clock.clock, answering: #"[{"id":1}]"#)
        let spec = PipelineSpec(
            "friends", tiers: [TierSpec(SourceSpec("memory", Memory()), ttl: .seconds(600)), TierSpec(SourceSpec("api", origin))])
        let pipelines = try Pipelines([spec], sends: [rename], clock: clock.clock)
        let friends = try pipelines.pipeline(named: "friends")
        let key = try friends.key()
        func list() async throws -> (byKey: String, byArguments: String) {
            let outcomes = [try await friends.fetch(key), try await friends.fetch()]
            let texts = outcomes.map { outcome -> String in
                guard case .value(let entry) = outcome.result else { return "" }
                return String(decoding: entry.payload ?? [], as: UTF8.self)
            }
            return (texts[0], texts[1])
        }
        #expect(try await list() == (#"[{"id":1}]"#, #"[{"id":1}]"#))

        let sent = try await pipelines.send("rename", ["id": "1"], Array(#"{"name":"Ann"}"#.utf8))
        #expect(try await list() == (#"[{"id":1,"name":"Ann"}]"#, #"[{"id":1,"name":"Ann"}]"#))
        try await pipelines.drop(sent.id)

        #expect(try await list() == (#"[{"id":1}]"#, #"[{"id":1}]"#))
        #expect(origin.readCount == 1 || origin.readCount == 2)
        await pipelines.shutDown()
    }
}
