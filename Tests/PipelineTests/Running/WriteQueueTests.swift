import PipelineTesting
import Synchronization
import TestSupport
import Testing

@testable import Pipeline

#if canImport(Glibc)
import Glibc
#endif

/// What writes that wait, hang and fail cost, and how long they hold callers up.
@Suite struct WriteQueueTests {
    private let time = ManualClock()

    /// Counts what it is handed, and how much at once.
    private final class Shelf: WritableSource {
        let mostWrittenAtOnce: Int
        private let state = Mutex((batches: 0, largest: 0, keys: Set<Key>()))

        init(most: Int) { mostWrittenAtOnce = most }

        var batches: Int { state.withLock(\.batches) }
        var largest: Int { state.withLock(\.largest) }
        var keys: Set<Key> { state.withLock(\.keys) }

        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
        func write(_ entry: Entry, for key: Key) async throws { _ = await write([(entry, key)]) }
        func remove(_ key: Key) async throws {}
        func clear(pipeline: String) async throws {}

        func write(_ entries: [(entry: Entry, key: Key)]) async -> [(any Error)?] {
            state.withLock { state in
                state.batches += 1
                state.largest = max(state.largest, entries.count)
                state.keys.formUnion(entries.map(\.key))
            }
            return entries.map { $0.key["user"] == "7" ? SourceError("no room for 7") : nil }
        }
    }

    private func key(_ number: Int) -> Key { Key(pipeline: "friends", parameters: ["user": "\(number)"]) }

    private func operation(
        debounce: Duration? = .seconds(3600), bytes: Int = 1, limit: Duration? = nil,
        completion: @escaping @Sendable (WriteLane.Ending) -> Void = { _ in }
    ) -> WriteLane.Operation {
        let entry = Entry(Array(repeating: 0, count: bytes), created: time.now)
        var operation = WriteLane.Operation(
            change: .write(entry), debounce: debounce, maxDelay: .seconds(36_000), completion: completion)
        operation.limit = limit
        return operation
    }

    @Test func `a flush hands a source that takes many as many as it takes, and one that fails concerns no other`() async {
        let shelf = Shelf(most: 256)
        let queue = WriteQueue(shelf, clock: time.clock)
        let failed = Mutex(0)
        for number in 0..<20_000 {
            queue.schedule(operation { if case .failed = $0 { failed.withLock { $0 += 1 } } }, for: key(number))
        }

        let unwritten = await queue.flush()

        #expect(unwritten == [key(7)])
        #expect(failed.withLock(\.self) == 1)
        #expect(shelf.keys.count == 20_000)
        #expect(shelf.largest <= 256)
        // Those that come first may come alone: the writers begin with what there is.
        #expect(shelf.batches < 10_000)
    }

    /// Removes nothing while it is away.
    private final class LockedShelf: WritableSource {
        let isAway = Atomic(true)

        func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { nil }
        func write(_ entry: Entry, for key: Key) async throws {}
        func remove(_ key: Key) async throws { try await clear(pipeline: key.pipeline) }

        func clear(pipeline: String) async throws {
            if isAway.load(ordering: .acquiring) { throw SourceError("away") }
        }
    }

    @Test func `removals that fail are remembered by key up to a bound, and beyond it by pipeline`() async throws {
        let shelf = LockedShelf()
        let queue = WriteQueue(shelf, clock: time.clock)
        let other = Key(pipeline: "other")
        func isServed(_ key: Key) -> Bool { if case .source = queue.view(of: key) { true } else { false } }

        for number in 0..<10_000 { try? await queue.remove(key(number)) }
        try? await queue.remove(other)
        #expect(!isServed(key(0)) && !isServed(key(9_999)) && !isServed(other))
        #expect(isServed(key(10_001)))

        try? await queue.remove(key(10_000))
        // No list of keys says any more which are gone: none of the pipeline is served.
        #expect(!isServed(key(0)) && !isServed(key(10_000)) && !isServed(key(10_001)))

        shelf.isAway.store(false, ordering: .releasing)
        #expect(try await queue.retryRemoval(of: key(5)) == .pipeline("friends"))
        #expect(isServed(key(0)) && isServed(key(10_000)) && !isServed(other))
    }

    @Test func `a flush hands a source that takes many entries at once full batches`() async {
        let shelf = Shelf(most: 256)
        let queue = WriteQueue(shelf, clock: time.clock)
        for number in 0..<20_000 { queue.schedule(operation(), for: key(number)) }

        _ = await queue.flush()

        // 79 would do; at the ends of steps some are smaller.
        #expect(shelf.batches < 200)
    }

    @Test(.timeLimit(.minutes(15)), arguments: [Int.max, 4_097, 0, -1, .min])
    func `a source may say any number of entries that it takes at once`(most: Int) async {
        let shelf = Shelf(most: most)
        let queue = WriteQueue(shelf, clock: time.clock)
        for number in 100..<9_000 { queue.schedule(operation(), for: key(number)) }

        let unwritten = await queue.flush()

        #expect(unwritten.isEmpty)
        #expect(shelf.keys.count == 8_900)
        #expect((1...4_096).contains(shelf.largest))
        #expect(most > 1 || shelf.largest == 1)
    }

    @Test func `a writer that was to stop before it was kept is cancelled, a later one is not`() {
        let queue = WriteQueue(Shelf(most: 1), clock: time.clock)
        func begin() -> (writer: Task<Void, Never>, number: UInt64) {
            let number = queue.state.withLock { state in
                state.lastWriter += 1
                state.writers.updateValue(nil, forKey: state.lastWriter)
                return state.lastWriter
            }
            // Cancelled by the queue or below.
            return (Task { while !Task.isCancelled { await Task.yield() } }, number)
        }
        let (early, first) = begin()
        queue.stopWriting()
        let (late, second) = begin()
        defer { late.cancel() }

        queue.adopt(early, as: first)
        queue.adopt(late, as: second)

        #expect(early.isCancelled)
        #expect(!late.isCancelled)
        early.cancel()
    }

    @Test func `DB-08 a flush of many to a cache that hangs ends at its limit, and names each, also what is being written`() async throws {
        let disk = StubSource("disk", clock: time.clock)
        disk.delay(.writes, until: Gate())
        let queue = WriteQueue(disk, clock: time.clock)
        for number in 0..<1_000 { queue.schedule(operation(), for: key(number)) }

        async let unwritten = queue.flush(within: .seconds(5))
        await disk.writes(atLeast: 64)
        try await yieldUntil { time.sleeperCount >= 2 }
        time.advance(by: .seconds(5))

        #expect(await Set(unwritten) == Set((0..<1_000).map(key)))
        queue.stopWriting()
        await disk.cancellations(atLeast: 64)
        await disk.finished(.writes, atLeast: 64)
        #expect(disk.writeCount == 64)
    }

    @Test func `a write that fails after the end has begun is named`() async {
        let disk = StubSource("disk", clock: time.clock)
        let gate = Gate()
        disk.delay(.writes, until: gate)
        disk.fail(.writes)
        let queue = WriteQueue(disk, clock: time.clock)
        for number in 0..<2 { queue.schedule(operation(debounce: nil), for: key(number)) }
        await disk.writes(atLeast: 2)
        queue.close()

        async let unwritten = queue.flush()
        gate.open()

        #expect(await unwritten == [key(0), key(1)])
    }

    @Test func `one alarm serves every value that waits`() async {
        let disk = StubSource("disk", clock: time.clock)
        let queue = WriteQueue(disk, clock: time.clock)
        for number in 1...100 { queue.schedule(operation(debounce: .seconds(101 - number)), for: key(number)) }

        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(40))
        await disk.finished(.writes, atLeast: 40)
        await time.sleepers(atLeast: 1)
        #expect(disk.writeCount == 40)
        time.advance(by: .seconds(60))
        await disk.finished(.writes, atLeast: 100)
        #expect(time.sleeperCount == 0)
    }

    @Test func `DB-07 a write that fails again and again is tried with pauses that grow up to five minutes`() async {
        let disk = StubSource("disk", clock: time.clock)
        disk.fail(.writes)
        let queue = WriteQueue(disk, clock: time.clock)
        queue.schedule(operation(debounce: .milliseconds(10)), for: key(1))
        var pauses: [Duration] = []

        time.advance(by: .milliseconds(10))
        for number in 1...16 {
            await disk.finished(.writes, atLeast: number)
            await time.sleepers(atLeast: 1)
            var pause = Duration.zero
            while disk.writeCount == number, pause < .seconds(400) {
                let step: Duration = pause < .seconds(1) ? .milliseconds(100) : .seconds(1)
                time.advance(by: step)
                pause += step
                if time.sleeperCount == 0 { await disk.writes(atLeast: number + 1) }
            }
            pauses.append(pause)
        }

        #expect(pauses.prefix(4) == [.milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(pauses.last == .seconds(300))
    }

    @Test func `observers are told once that a debounced write fails, and once that it is written after all`() async throws {
        let recorder = EventRecorder()
        let scene = try Scene("tiers: [{ source: disk, debounce: 1s }, network]", observers: [recorder.observer])
        scene.disk.fail(.writes)
        let outcome = try await scene.fetch()
        var writes: [String] { recorder.lines.filter { $0.contains(" write ") } }
        for number in 1...5 {
            await scene.time.sleepers(atLeast: 1)
            scene.time.advance(by: .seconds(300))
            await scene.disk.finished(.writes, atLeast: number)
        }
        await scene.time.sleepers(atLeast: 1)
        #expect(writes == ["friends,user=42 write disk: failed (disk fails)"])

        scene.disk.recover()
        scene.time.advance(by: .seconds(300))
        await scene.disk.finished(.writes, atLeast: 6)
        await scene.pipelines.flush()

        #expect(writes == ["friends,user=42 write disk: failed (disk fails)", "friends,user=42 write disk: written"])
        #expect(outcome.writeTrace == "disk: written")
    }

    @Test func `DB-13 values that are being written count, and over the bound a write fails at once`() async {
        let disk = StubSource("disk", clock: time.clock)
        let gate = Gate()
        disk.delay(.writes, until: gate)
        let queue = WriteQueue(disk, clock: time.clock, bound: .mebibytes(1))
        let endings = Mutex<[String]>([])
        for number in 1...40 {
            let operation = operation(debounce: number % 2 == 0 ? .seconds(60) : nil, bytes: 100_000) { ending in
                endings.withLock { $0.append("\(ending)") }
            }
            queue.schedule(operation, for: key(number))
        }

        let failed = endings.withLock(\.self)
        #expect(failed.count > 25)
        #expect(failed.allSatisfy { $0.contains("1MiB of values wait to be written first") })
        #expect(queue.state.withLock { $0.waitingBytes + $0.runningBytes } < 1_500_000)

        gate.open()
        #expect(await queue.flush().isEmpty)
        #expect(queue.state.withLock { $0.waitingBytes + $0.runningBytes } == 0)
        #expect(disk.writeCount + failed.count == 40)
        // One alone is written, however large it is.
        queue.schedule(operation(debounce: nil, bytes: 2 << 20), for: key(0))
        #expect(await queue.flush().isEmpty)
    }

    @Test func `a write ends at its tier's timeout, where the source lets itself be cancelled`() async throws {
        let scene = try Scene("tiers: [{ source: disk, timeout: 1s }, network]")
        scene.disk.delay(.writes, until: Gate())
        let outcome = try await scene.friends.fetch(scene.key)
        await scene.disk.writes(atLeast: 1)
        await scene.time.sleepers(atLeast: 1)

        scene.time.advance(by: .seconds(1))
        try await outcome.waitForWrites()

        #expect(outcome.writes.map(\.description) == ["disk: failed (not written within 1s)"])
    }

    @Test(arguments: [false, true])
    func `a removal ends at the tier's time to answer, the caches above are done, and the old copy is not served`(
        isClear: Bool
    ) async throws {
        let scene = try Scene("tiers: [memory, { source: disk, timeout: 1s }, network]")
        _ = try await scene.fetch()
        await scene.pipelines.flush()
        scene.network.answers("[\"v2\"]")
        scene.disk.delay(isClear ? .clears : .removes, until: Gate(), ignoringCancellation: true)

        let removal = Task { isClear ? try await scene.friends.clear() : try await scene.friends.remove(scene.key) }
        await scene.disk.begun(isClear ? .clears : .removes, atLeast: 1)
        await scene.time.sleepers(atLeast: 1)
        scene.time.advance(by: .seconds(1))
        let report = try await removal.value

        #expect(report.lines.map(\.source) == ["disk", "memory"])
        #expect(report.lines.map(\.failure) == ["no answer within 1s", nil])
        // What it gives waits behind the removal, and is not waited for.
        async let fetched = scene.friends.fetch(scene.key)
        while scene.network.readCount < 2 {
            scene.time.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(try await fetched.text == "[\"v2\"]")
    }

    #if canImport(Glibc) && !TRACED_MUTEX  // The thread sanitizer keeps memory of its own for each.
    @Test func `DB-13 a value that waits takes at most 500 bytes besides its key and its payload`() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let time = ManualClock()
            struct Origin: Source {
                let entry: Entry
                func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { entry }
            }
            let count = 90_000
            let keys = (0..<count).map { Key(pipeline: "friends", parameters: ["user": "\($0)"]) }
            let origin = Tier("origin", Origin(entry: Entry(Array("[1]".utf8), created: time.now)), clock: time.clock)
            var policy = TierPolicy()
            policy.debounce = .seconds(3600)
            let cache = Tier("disk", StubSource("disk", clock: time.clock), policy: policy, clock: time.clock)
            let generations = Generations()
            let loader = origin.loader().storing(in: [cache])
            // What the process has in memory: more than what was allocated, never less, as long as all of it is used.
            func used() -> Int {
                guard let file = fopen("/proc/self/statm", "r") else { return 0 }
                defer { fclose(file) }
                var line = [CChar](repeating: 0, count: 200)
                guard fgets(&line, 200, file) != nil else { return 0 }
                let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                return (Int(text.split(separator: " ")[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
            }

            let before = used()
            for key in keys {
                let missed = Trail([Attempt("disk", .miss)])
                _ = try await loader.load(Call(key), missed, Standing(generations.permit(for: key)))
            }
            // Threads, and code that runs for the first time, bring some pages along, on a busy machine more of them.
            let each = (used() - before - (2 << 20)) / count

            print("a value that waits takes \(each) bytes")
            precondition(cache.queue?.state.withLock { $0.lanes.count } == count)
        }
        let words = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split { $0 == " " || $0 == "\n" }
        let each = words.firstIndex(of: "takes").flatMap { Int(words[$0 + 1]) }
        #expect(each.map { (1...WriteLane.Operation.bookkeeping).contains($0) } == true, "it takes \(each ?? 0) bytes")
    }
    #endif
}
