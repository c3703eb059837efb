import Pipeline
import PipelineTesting
import Testing

/// The cases of invalidation, with a database in the middle.
@Suite(.timeLimit(.minutes(1))) struct SQLiteInvalidationTests {
    private static func isEmpty(_ scene: DatabaseScene) async throws -> Bool {
        let outcome = try await scene.friends.fetch(scene.key, policy: .cacheOnly)
        return try outcome.isNotFound && (!scene.folder.contents().contains("cache.db") || scene.diskCount() == 0)
    }

    @Test(arguments: [true, false])
    func `IN-01, IN-02, IN-06 a load that began before a removal writes nothing`(isClear: Bool) async throws {
        let scene = try DatabaseScene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        let report = isClear ? try await scene.friends.clear() : try await scene.friends.remove(scene.key)
        gate.open()
        let old = try await loading
        try await old.settleWrites()

        #expect(report.isComplete)
        #expect(old.text == "[\"old\"]")
        #expect(old.writeTrace == "memory: skipped, disk: skipped")
        #expect(try await Self.isEmpty(scene))
        #expect(try await scene.fetch().text == "[\"new\"]")
    }

    @Test func `IN-04 a value that is put during a load stays, and what was loaded is dropped and reported`() async throws {
        let scene = try DatabaseScene()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key).settle()
        gate.open()
        let old = try await loading
        try await old.settleWrites()

        #expect(old.writeTrace == "memory: skipped, disk: skipped")
        #expect(try scene.diskText() == "[\"put\"]")
        #expect(try await scene.memoryText() == "[\"put\"]")
    }

    @Test func `IN-07 a load that ends late does not disturb the newer one`() async throws {
        let scene = try DatabaseScene()
        let (first, second) = (Gate(), Gate())
        scene.network.answers(StubAnswer.value("[\"old\"]").after(first), StubAnswer.value("[\"new\"]").after(second), "[\"third\"]")
        async let old = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        _ = try await scene.friends.remove(scene.key)
        async let new = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 2)

        first.open()
        #expect(try await old.text == "[\"old\"]")
        second.open()
        let outcome = try await new
        try await outcome.settleWrites()

        #expect(outcome.text == "[\"new\"]")
        #expect(try scene.diskText() == "[\"new\"]")
        #expect(scene.network.readCount == 2)
    }

    @Test func `IN-09 a write that waits for the database is followed by the removal`() async throws {
        let scene = try DatabaseScene("tiers: [disk, network]", fields: "busy_timeout: 1h")
        try await scene.hold("[\"old\"]")
        let lock = try LockedDatabase(in: scene.folder)
        let outcome = try await scene.friends.fetch(scene.key, policy: .refresh)
        #expect(outcome.writeTrace == "disk: scheduled")

        async let removal = scene.friends.remove(scene.key)
        try lock.release()

        #expect(try await removal.isComplete)
        try await outcome.settleWrites()
        #expect(try scene.diskCount() == 0)
    }

    @Test func `IN-09 the database forgets before memory does, and a failure is named`() async throws {
        let scene = try DatabaseScene(fields: "busy_timeout: 5ms")
        try await scene.fetch()
        let lock = try LockedDatabase(in: scene.folder)

        let report = try await scene.friends.remove(scene.key)
        let during = try await scene.friends.fetch(scene.key, policy: .cacheOnly)
        try lock.release()
        scene.network.answers("[\"v2\"]")

        #expect(report.lines.map(\.source) == ["disk", "memory"])
        #expect(!report.isComplete)
        // What it could not forget is not served.
        #expect(during.text == nil)
        #expect(try await scene.fetch().text == "[\"v2\"]")
        #expect(try scene.diskText() == "[\"v2\"]")
    }

    @Test func `IN-10 a removal drops the value that waits`() async throws {
        let scene = try DatabaseScene("tiers: [memory, { source: disk, debounce: 10s }, network]")
        _ = try await scene.friends.fetch(scene.key)

        _ = try await scene.friends.remove(scene.key)
        await scene.pipelines.flush()

        #expect(try await Self.isEmpty(scene))
    }

    @Test func `IN-13 removing twice in one tick makes one load`() async throws {
        let scene = try DatabaseScene()
        try await scene.fetch()
        scene.network.forgetCalls()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"new\"]").after(gate))

        async let first = scene.friends.remove(scene.key)
        async let second = scene.friends.remove(scene.key)
        let areComplete = try await (first.isComplete, second.isComplete)
        let texts = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { try await scene.friends.fetch(scene.key) } }
            await scene.waiters(10)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.text) }
        }

        #expect(areComplete == (true, true))
        #expect(texts == Array(repeating: "[\"new\"]", count: 10))
        #expect(scene.network.readCount == 1)
    }

    @Test func `IN-14 a removal asks nobody; the next fetch does, and one that is cancelled leaves nothing`() async throws {
        let scene = try DatabaseScene()
        try await scene.fetch()
        scene.network.forgetCalls()
        scene.network.answers(.hanging, "[\"new\"]")

        _ = try await scene.friends.remove(scene.key)
        let readsAfterRemoval = scene.network.readCount
        let cancelled = Task { try await scene.friends.fetch(scene.key) }
        await scene.network.reads(atLeast: 1)
        cancelled.cancel()

        #expect(readsAfterRemoval == 0)
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await Self.isEmpty(scene))
        #expect(try await scene.fetch().text == "[\"new\"]")
    }

    @Test func `IN-15 a clear while many keys load: each waiter gets its answer, and none of them lands`() async throws {
        let scene = try DatabaseScene()
        try await scene.hold("[\"held\"]")
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for user in 0..<20 { group.addTask { try await scene.friends.fetch(["user": "\(user)"]) } }
            await scene.network.reads(atLeast: 20)
            #expect(try await scene.friends.clear().isComplete)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for outcome in outcomes { try await outcome.settleWrites() }

        #expect(outcomes.allSatisfy { $0.text == "[\"old\"]" && $0.writeTrace == "memory: skipped, disk: skipped" })
        #expect(try scene.diskCount() == 0)
    }
}
