import Pipeline
import PipelineTesting
import Testing

@testable import SourcesFile

/// A process that stood still while it loaded a value writes it when another process has stored a newer one.
@Suite struct FileLateWriteTests {
    private let folder: TemporaryFolder
    private let time = ManualClock()
    private let (here, there): (StubOrigin, StubOrigin)

    init() throws {
        folder = try TemporaryFolder()
        here = StubOrigin("here", clock: time.clock, answering: .value("1"))
        there = StubOrigin("there", clock: time.clock, answering: .value("2"))
    }

    /// A process that keeps what `origin` gives in the file.
    private func process(_ origin: StubOrigin) throws -> DataPipeline {
        let files = FileSource(path: folder.template("{key}.json"), clock: time.clock)
        let tiers = [
            TierSpec(SourceSpec("disk", files, capabilities: [.keepsMetadata]), ttl: .seconds(60)), TierSpec(SourceSpec("api", origin)),
        ]
        return try Pipelines([PipelineSpec("friends", tiers: tiers)], clock: time.clock).pipeline(named: "friends")
    }

    private func fetch(_ pipeline: DataPipeline, _ policy: FetchPolicy = .default) async throws -> Outcome {
        let outcome = try await pipeline.fetch(pipeline.key(), policy: policy)
        try await outcome.waitForWrites()
        return outcome
    }

    private var text: String? { get throws { try folder.contents().contains("friends.json") ? folder.text(of: "friends.json") : nil } }

    /// What happens in the other process while this one stands still.
    enum Meanwhile: CaseIterable {
        case load, confirmation, editByHand
    }

    @Test(arguments: Meanwhile.allCases, [FetchPolicy.default, .refresh])
    func `a late write leaves the newer copy of another process`(meanwhile: Meanwhile, policy: FetchPolicy) async throws {
        let other = try process(there)
        if meanwhile == .confirmation || policy == .refresh { _ = try await fetch(other) }
        if meanwhile == .confirmation { time.advance(by: .seconds(61)) }
        let gate = Gate()
        for operation in [StubOperation.reads, .revalidations] { here.delay(operation, until: gate) }
        async let late = fetch(process(here), policy)
        await gate.waiters(atLeast: 1)

        time.advance(by: .seconds(1))
        switch meanwhile {
        case .load: _ = try await fetch(other, .refresh)
        case .confirmation: _ = try await fetch(other)
        case .editByHand:
            try folder.put("2", into: "friends.json")
            FileTimes.set(modified: time.clock.wall().nanoseconds, of: folder.path + "/friends.json")
        }
        time.advance(by: .seconds(1))
        gate.open()

        let outcome = try await late
        #expect(outcome.text == "1")
        #expect(try text == "2")
        #expect(outcome.writes.map(\.outcome) == [.skipped])
        #expect(outcome.writes.map(\.reason) == ["a newer value took its place"])
        #expect(try await fetch(process(here)).text == "2")
    }

    /// What a write takes the place of all the same.
    enum Present: CaseIterable {
        /// It was there when the load began, though created later: the origin has an older value now.
        case createdLater
        /// Its process's wall clock is ahead.
        case fromTheFuture
        /// A value that is put counts, whatever was there before.
        case put
        /// The copy of another key that has the same file.
        case ofAnotherKey
    }

    @Test(arguments: Present.allCases) func `any other copy is replaced`(present: Present) async throws {
        let files = FileSource(path: folder.template("friends.json"), clock: time.clock)
        let key = Key(pipeline: present == .ofAnotherKey ? "others" : "friends")
        func copy(created: Duration) async throws {
            try await files.write(Entry(Array("2".utf8), created: time.now + created, stored: time.now), for: key)
        }
        let old = Entry(Array("1".utf8), created: time.now - .seconds(100))
        here.answers(.entry(old))
        if present == .createdLater { try await copy(created: .zero) }
        let gate = Gate()
        for operation in [StubOperation.reads, .revalidations] { here.delay(operation, until: gate) }
        let pipeline = try process(here)
        async let late = present == .put ? nil : fetch(pipeline, .refresh)
        if present != .put { await gate.waiters(atLeast: 1) }

        time.advance(by: .seconds(1))
        switch present {
        case .createdLater: break
        case .fromTheFuture: try await copy(created: .seconds(3600))
        case .put, .ofAnotherKey: try await copy(created: .zero)
        }
        if present == .put { try await pipeline.put(old, for: pipeline.key()).waitForWrites() }
        gate.open()

        _ = try await late
        #expect(try text == "1")
    }
}
