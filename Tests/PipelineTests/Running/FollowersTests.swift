import PipelineLive
import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

/// What a fetch asks those who follow the keys of its pipeline.
@Suite struct FollowersTests {
    private let time = ManualClock()
    private let pipeline: DataPipeline
    private let follower = CountingFollower()

    init() throws {
        let origin = StubOrigin("network", clock: time.clock, answering: "1")
        pipeline = try DataPipeline(
            PipelineSpec(
                "friends", parameters: ["user"],
                tiers: [TierSpec(SourceSpec("memory", MemorySource()), ttl: .seconds(60)), TierSpec(SourceSpec("network", origin))],
                live: [FeedSpec(SourceSpec("events", LiveStub()))]),
            clock: time.clock)
        _ = pipeline.followers.member { follower }
    }

    @Test func `who has a say in a copy and none a moment later ends nothing`() async throws {
        pipeline.followers.count(1, of: nil)
        let key = try pipeline.key(["user": "1"])
        _ = try await pipeline.fetch(key)
        time.advance(by: .seconds(61))
        follower.forget()

        let outcome = try await pipeline.fetch(key, policy: .cacheOnly)

        #expect(outcome.trace == "memory: expired, network: skipped")
        #expect(follower.confirmations.first == key)
    }

    @Test func `a key that nothing follows costs no question while another is followed`() async throws {
        let keys = try (0..<100).map { try pipeline.key(["user": "\($0)"]) }
        let other = try #require(keys.first { $0.hash & 63 != keys[0].hash & 63 })
        for key in keys { _ = try await pipeline.fetch(key) }
        pipeline.followers.count(1, of: keys[0])
        follower.forget()

        _ = try await pipeline.fetch(other)
        #expect(follower.questions.isEmpty)
        _ = try await pipeline.fetch(keys[0])
        #expect(Set(follower.questions) == [keys[0]])
    }

    @Test func `as long as one of several is followed, its key is looked at`() async throws {
        let key = try pipeline.key(["user": "1"])
        _ = try await pipeline.fetch(key)
        for change in [1, 1, -1] { pipeline.followers.count(change, of: key) }
        follower.forget()

        _ = try await pipeline.fetch(key)
        #expect(!follower.questions.isEmpty)
        pipeline.followers.count(-1, of: key)
        follower.forget()
        _ = try await pipeline.fetch(key)
        #expect(follower.questions.isEmpty)
        #expect(pipeline.followers.isEmpty)
    }
}

/// Follows every key that it is asked for, and has a say in copies only the first time.
private final class CountingFollower: KeyFollower {
    private struct State {
        var questions: [Key] = []
        var confirmations: [Key] = []
    }

    private let state = Mutex(State())

    var questions: [Key] { state.withLock(\.questions) }
    var confirmations: [Key] { state.withLock(\.confirmations) }

    func forget() { state.withLock { $0 = State() } }

    func follows(_ key: Key) -> Bool {
        state.withLock { $0.questions.append(key) }
        return true
    }

    func confirmation(of key: Key) -> CopyConfirmation? {
        state.withLock { state in
            state.confirmations.append(key)
            return state.confirmations.count == 1 ? CopyConfirmation(unconfirmedBefore: nil, confirmedAt: nil) : nil
        }
    }
}
