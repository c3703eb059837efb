import Pipeline
import PipelineTesting
import SourcesMemory
import Testing

extension TierCase {
    /// What a removal, a clear and a put do to loads and writes that are under way.
    package static let removing: [TierCase] = [
        loadBefore("IN-01, IN-06 a load that began before a removal writes nothing") { try await $0.friends.remove($0.key).isComplete },
        loadBefore("IN-02, IN-06 a load that began before a clear writes nothing") { try await $0.friends.clear().isComplete },
        putDuringLoad, lateLoad, removalBehindWrite, failedRemoval, removalOfWaiting, twoRemovals, cancelledLoad, clearOfMany,
    ]

    private static func loadBefore(
        _ name: String, removing remove: @escaping @Sendable (TierScene) async throws -> Bool
    ) -> TierCase {
        TierCase(name) { scene in
            let gate = Gate()
            scene.network.answers(StubAnswer.value("[\"old\"]").after(gate), "[\"new\"]")
            async let loading = scene.friends.fetch(scene.key)
            await scene.network.reads(atLeast: 1)

            let isComplete = try await remove(scene)
            gate.open()
            let old = try await loading
            try await old.waitForWrites()

            #expect(isComplete)
            #expect(old.text == "[\"old\"]")
            #expect(old.writeTrace == "memory: skipped, disk: skipped")
            #expect(old.writes.allSatisfy { $0.reason == "removed while it was loaded" })
            #expect(try await scene.isEmpty())
            #expect(try await scene.fetch().text == "[\"new\"]")
        }
    }

    private static let putDuringLoad = TierCase(
        "IN-04 a value that is put during a load stays, and what was loaded is dropped and reported"
    ) { scene in
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"old\"]").after(gate))
        async let loading = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)

        try await scene.friends.put(Array("[\"put\"]".utf8), for: scene.key).waitForWrites()
        gate.open()
        let old = try await loading
        try await old.waitForWrites()

        #expect(old.text == "[\"old\"]")
        #expect(old.writeTrace == "memory: skipped, disk: skipped")
        #expect(old.writes.allSatisfy { $0.reason == "removed while it was loaded" })
        #expect(scene.memoryText == "[\"put\"]")
        #expect(try await scene.diskText() == "[\"put\"]")
        #expect(try await scene.fetch().trace == "memory: hit")
    }

    private static let lateLoad = TierCase("IN-07 a load that ends late does not disturb the newer one") { scene in
        let (first, second) = (Gate(), Gate())
        scene.network.answers(StubAnswer.value("[\"old\"]").after(first), StubAnswer.value("[\"new\"]").after(second), "[\"third\"]")
        async let old = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 1)
        _ = try await scene.friends.remove(scene.key)
        async let new = scene.friends.fetch(scene.key)
        await scene.network.reads(atLeast: 2)

        first.open()
        #expect(try await old.text == "[\"old\"]")
        async let joined = scene.friends.fetch(scene.key)
        try await scene.waiters(2)
        second.open()
        let outcome = try await new
        try await outcome.waitForWrites()

        #expect(outcome.text == "[\"new\"]")
        #expect(try await joined.text == "[\"new\"]")
        #expect(scene.network.readCount == 2)
        #expect(scene.memoryText == "[\"new\"]")
        #expect(try await scene.diskText() == "[\"new\"]")
    }

    private static let removalBehindWrite = TierCase(
        "IN-09 a write that is under way is followed by the removal", "tiers: [disk, network]", patience: .seconds(3_600)
    ) { scene in
        scene.network.answers("[\"old\"]", "[\"new\"]")
        try await scene.fetch()
        try await scene.disk.holdUpChanges()
        let outcome = try await scene.friends.fetch(scene.key, policy: .refresh)
        try await scene.disk.changeWaits()
        #expect(try await scene.textMeanwhile() == "[\"old\"]")
        #expect(outcome.writeTrace == "disk: scheduled")

        async let removal = scene.friends.remove(scene.key)
        try await scene.disk.takeChanges()

        #expect(try await removal.isComplete)
        try await outcome.waitForWrites()
        #expect(try await scene.disk.count() == 0)
    }

    private static let failedRemoval = TierCase(
        "IN-09 the middle forgets before memory does; what it cannot forget is named, and not served", patience: .milliseconds(5)
    ) { scene in
        try await scene.fetch()
        let fault = try await scene.disk.refuseChanges()

        let report = try await scene.friends.remove(scene.key)
        let during = try await scene.friends.fetch(scene.key, policy: .cacheOnly)
        try await scene.disk.takeChanges()
        scene.network.answers("[\"v2\"]")

        #expect(report.lines.map(\.source) == ["disk", "memory"])
        #expect(!report.isComplete)
        #expect(report.lines[0].failure?.hasSuffix(fault.words) == true)
        #expect(during.text == nil)
        #expect(try await scene.fetch().text == "[\"v2\"]")
        #expect(try await scene.diskText() == "[\"v2\"]")
    }

    private static let removalOfWaiting = TierCase(
        "IN-10 a removal drops the value that waits", "tiers: [memory, { source: disk, debounce: 10s }, network]"
    ) { scene in
        _ = try await scene.friends.fetch(scene.key)

        _ = try await scene.friends.remove(scene.key)
        await scene.pipelines.flush()

        #expect(try await scene.isEmpty())
    }

    private static let twoRemovals = TierCase("IN-13 removing twice in one tick makes one load") { scene in
        try await scene.fetch()
        scene.network.forgetCalls()
        let gate = Gate()
        scene.network.answers(StubAnswer.value("[\"new\"]").after(gate))

        async let first = scene.friends.remove(scene.key)
        async let second = scene.friends.remove(scene.key)
        let areComplete = try await (first.isComplete, second.isComplete)
        let texts = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { try await scene.friends.fetch(scene.key) } }
            try await scene.waiters(10)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1.text) }
        }

        #expect(areComplete == (true, true))
        #expect(texts == Array(repeating: "[\"new\"]", count: 10))
        #expect(scene.network.readCount == 1)
    }

    private static let cancelledLoad = TierCase(
        "IN-14 a removal asks no source; the next fetch does, and one that is cancelled leaves nothing"
    ) { scene in
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
        #expect(try await scene.isEmpty())
        #expect(try await scene.fetch().text == "[\"new\"]")
        #expect(scene.network.readCount == 2)
    }

    private static let clearOfMany = TierCase(
        "IN-15 a clear while many keys load: each waiter gets its answer, and none of them lands"
    ) { scene in
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
        for outcome in outcomes { try await outcome.waitForWrites() }

        #expect(outcomes.allSatisfy { $0.text == "[\"old\"]" && $0.writeTrace == "memory: skipped, disk: skipped" })
        #expect(try await scene.isEmpty())
        #expect(scene.friends.flights.allSatisfy { $0.count == 0 })
    }
}

extension TierScene {
    /// Whether no cache holds anything.
    fileprivate func isEmpty() async throws -> Bool {
        let diskCount = try await disk.count()
        return memory.count == 0 && diskCount == 0
    }
}
