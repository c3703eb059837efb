import PipelineJSON
import PipelineTesting
import SourcesMemory
import Synchronization
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineComposing
@testable import PipelineLive

/// Wholes expire in every cache, also in slow ones, in those that fail, and in those that cannot mark a copy.
@Suite(.timeLimit(.minutes(15))) struct WholeExpiryTests {
    /// A whole of two parts on a disk, under memory where `ttl` says so.
    private func home(_ disk: some WritableSource, in screen: Combination, ttl: Duration? = nil, timeout: Duration? = nil) {
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", "2", ttl: .seconds(600))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))])), ttl: ttl) { spec in
            var policy = TierPolicy(ttl: .seconds(300))
            policy.timeout = timeout
            spec.tiers.append(TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), policy))
        }
    }

    private func put(_ text: String, in name: String, of screen: Combination, opening gate: Gate = Gate()) async throws {
        defer { gate.open() }
        let pipeline = try screen.pipeline(name)
        _ = try await pipeline.put(Array(text.utf8), for: pipeline.key())
    }

    private var key: Key { Key(pipeline: "home") }

    @Test func `what a cache cannot mark is removed`() async throws {
        let screen = Combination()
        let disk = UnmarkableCache(StubSource("disk", clock: screen.time.clock))
        home(disk, in: screen)
        try await screen.fetch().waitForWrites()
        #expect(disk.stub.text(for: key) == #"{"a":1,"b":2}"#)

        try await put("5", in: "a", of: screen)

        #expect(disk.stub[key] == nil)
        #expect(try await screen.fetch().text == #"{"a":5,"b":2}"#)
    }

    @Test func `a whole that is kept stays watched when a later one is incomplete`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.part("b", "2", ttl: .seconds(600))
        screen.whole(CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))])), ttl: .seconds(300))
        try await screen.fetch()
        screen["b"].answersOnce(.error())
        #expect(try await screen.fetch(policy: .refresh).isComplete == false)
        #expect(try await screen.fetch().trace == "memory_of_home: hit")

        try await put("7", in: "b", of: screen)

        #expect(try await screen.fetch().text == #"{"a":1,"b":7}"#)
    }

    @Test func `over the bound the oldest whole expires, and the new one is kept`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.whole(CompositeSpec(.of("a")), ttl: .seconds(300))
        try await screen.fetch()
        let home = try screen.pipeline()
        let index = WholeIndex(bound: 1)
        index.add(home.invalidation)
        for whole in [key, Key(pipeline: "other")] {
            let assembly = index.assembly(of: whole)
            let part = Key(pipeline: "part of \(whole)")
            assembly.asks(part)
            assembly.uses(part, [1])
            #expect(assembly.end().notKept == nil)
        }
        await home.finishRefreshes()

        #expect(try await screen.fetch().trace == "memory_of_home: expired, combine: hit")
    }

    @Test func `a put returns when slow caches have expired the whole, and they serve nothing meanwhile`() async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        home(disk, in: screen)
        try await screen.fetch().waitForWrites()
        let gate = Gate()
        disk.delay(.writes, until: gate)

        async let put: Void = put("5", in: "a", of: screen)
        await gate.waiters(atLeast: 1)
        let meanwhile = try await screen.fetch()
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        try await put
        let limit = try #require(disk[key]?.freshUntil)

        #expect(meanwhile.text == #"{"a":5,"b":2}"#)
        #expect(limit <= screen.time.clock.now || disk.text(for: key) == #"{"a":5,"b":2}"#)
    }

    @Test(arguments: [true, false]) func `a removal, and a clear, return when slow caches have expired the whole`(isClear: Bool)
        async throws
    {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        home(disk, in: screen)
        try await screen.fetch().waitForWrites()
        let gate = Gate()
        disk.delay(.writes, until: gate)
        let a = try screen.pipeline("a")

        async let report = isClear ? a.clear() : a.remove(a.key())
        await gate.waiters(atLeast: 1)
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        _ = try await report

        #expect(disk[key]?.freshUntil.map { $0 <= screen.time.clock.now } == true)
    }

    @Test func `a cache that hangs while a whole expires serves nothing, and others keep the new one`() async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        home(disk, in: screen, ttl: .seconds(100), timeout: .seconds(1))
        try await screen.fetch().waitForWrites()
        let gate = Gate()
        defer { gate.open() }
        disk.delay(.writes, until: gate, ignoringCancellation: true)
        disk.delay(.removes, until: gate, ignoringCancellation: true)
        screen["a"].answers("5")
        try await screen.fetch("a", policy: .refresh)

        let outcome = try await screen.fetch()
        #expect(outcome.text == #"{"a":5,"b":2}"#)
        #expect(outcome.writeTrace.hasPrefix("memory_of_home: written"))
        #expect(try await screen.fetch().trace == "memory_of_home: hit")

        // A put ends at the time limit of the cache.
        let isOver = Gate()
        async let changed: Void = put("6", in: "a", of: screen, opening: isOver)
        let limit = screen.time.now + .seconds(60)
        while !isOver.isOpen, !Task.isCancelled {
            if screen.time.now < limit { screen.time.advance(by: .milliseconds(100)) }
            await Task.yield()
        }
        try await changed
        #expect(try await screen.fetch().text == #"{"a":6,"b":2}"#)
    }

    @Test func `a removal of a key is not spared because a copy of it expires, too`() async throws {
        let screen = Combination()
        let disk = StubSource("disk", clock: screen.time.clock)
        home(disk, in: screen)
        try await screen.fetch().waitForWrites()
        let home = try screen.pipeline()
        let gate = Gate()
        disk.delay(.writes, until: gate)
        async let first: Void = put("5", in: "a", of: screen)
        await gate.waiters(atLeast: 1)
        let tier = try #require(home.tiers.first)
        await tier.expire(key)
        async let removal = home.remove(key)
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        _ = try await (first, removal)

        #expect(disk[key] == nil)
    }

    @Test func `every whole that a part is in expires, however many there are`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(600))
        screen.whole(CompositeSpec(.of("a")), parameters: ["n"], ttl: .seconds(300))
        for number in 0..<600 { try await screen.fetch("home", ["n": "\(number)"]) }
        let home = try screen.pipeline()

        screen["a"].answers("2")
        try await screen.fetch("a", policy: .refresh)
        await home.finishRefreshes()
        for number in 0..<600 { #expect(try await screen.fetch("home", ["n": "\(number)"]).text == "2") }

        try await put("3", in: "a", of: screen)
        for number in 0..<600 { #expect(try await screen.fetch("home", ["n": "\(number)"]).text == "3") }
    }

    /// Lists the wholes on a disk that holds so many, which were made from `a`.
    private func listed(
        _ count: Int, _ listing: ClosedRange<Int>, bound: Int = 1_000
    ) async throws -> (index: WholeIndex, disk: ListingCache) {
        let screen = Combination()
        let disk = ListingCache(StubSource("disk", clock: screen.time.clock))
        screen.part("a", "1", ttl: .seconds(600))
        screen.whole(CompositeSpec(.of("a")), parameters: ["n"]) { spec in
            spec.tiers.append(TierSpec(SourceSpec("disk", disk, capabilities: [.keepsMetadata]), ttl: .seconds(300)))
        }
        for number in 0..<count { try await screen.fetch("home", ["n": "\(number)"]).waitForWrites() }
        let index = WholeIndex(bound: bound, listing: listing)
        index.add(try screen.pipeline().invalidation)
        index.note(["a"], of: "home")
        await index.listWholes(madeFrom: "a") { $0 == Key(pipeline: "a") }
        return (index, disk)
    }

    @Test func `a cache that holds more than is listed at first is listed again`() async throws {
        let (index, disk) = try await listed(21, 2...50)

        #expect(disk.limits == [2, 20, 50])
        #expect(index.count == 21 && disk.stub.contents.count == 21)
    }

    @Test func `a cache that holds more than can be listed is cleared`() async throws {
        let (index, disk) = try await listed(5, 2...4)

        #expect(disk.limits == [2, 4])
        #expect(index.count == 0 && disk.stub.contents.isEmpty)
        #expect(disk.stub.calls.last == .clear(pipeline: "home"))
    }

    @Test func `wholes that are listed beyond the bound expire`() async throws {
        let (index, disk) = try await listed(3, 10...10, bound: 1)

        let limits = disk.stub.contents.values.compactMap(\.freshUntil).sorted()
        #expect(index.count == 1)
        // The time stands still: two are fresh until now.
        #expect(limits.count == 3 && limits[0] == limits[1] && limits[1] < limits[2])
    }

    @Test(arguments: [false, true]) func `what a whole was made from is forgotten with its copy`(isNested: Bool) async throws {
        let screen = Combination()
        screen.part("user", parameters: ["id"]).answers { StubAnswer(stringLiteral: $0["id"] ?? "") }
        let user = PartSpec(isNested ? "inner" : "user", with: ["id": "{id}"])
        if isNested {
            screen.whole(CompositeSpec(.of(PartSpec("user", with: ["id": "{id}"]))), named: "inner", parameters: ["id"])
        }
        screen.whole(CompositeSpec(.object([("user", user)])), parameters: ["id"], ttl: .seconds(600), most: 100)
        let home = try screen.pipeline()
        // It is looked for several times, each time among as few.
        let count = isNested ? 4_000 : 6_500
        for id in 1...count {
            try await screen.fetch("home", ["id": "\(id)"])
            if id % 500 == 0 { for pipeline in try screen.pipelines.all { await pipeline.finishRefreshes() } }
        }
        try await screen.fetch("home", ["id": "\(count)"])

        #expect(screen["user"].readCount == count, "its copy is there")
        #expect(home.invalidation.wholes.count < (isNested ? 6_000 : 2_500))
        // Of the copies that are there, changes are seen.
        screen["user"].answers("7")
        try await screen.fetch("user", ["id": "\(count)"])
        #expect(try await screen.fetch("home", ["id": "\(count)"]).text == #"{"user":7}"#)
    }

    @Test func `a list that changes are merged into expires what is made from it`() async throws {
        let screen = Combination()
        let events = LiveStub()
        screen.part("list", #"[{"id":1}]"#, ttl: .seconds(600)) { spec in
            spec.live = [FeedSpec(SourceSpec("events", events), merging: MergePolicy(id: [JSONPointer(tokens: ["id"])]))]
        }
        screen.whole(CompositeSpec(.of("list")), ttl: .seconds(300))
        var watch = Watch(try screen.pipeline("list").snapshots())
        let connection = try await events.connection(1)
        connection.begin()
        _ = await watch.until { $0.status.feeds.first?.state == .live && !$0.status.isRefreshing }
        #expect(try await screen.fetch().text == #"[{"id":1}]"#)

        connection.send(#"{"id":1,"n":2}"#)
        let list = try screen.pipeline("list")
        try await yieldUntil { list.lives[try list.key()]?.isDirty.load(ordering: .acquiring) != true }

        #expect(try await screen.fetch().text == #"[{"id":1,"n":2}]"#)
    }
}

/// A cache that lists what it holds, and keeps how much it was asked for.
private final class ListingCache: WritableSource {
    let stub: StubSource
    private let asked = Mutex<[Int]>([])

    init(_ stub: StubSource) { self.stub = stub }

    var limits: [Int] { asked.withLock(\.self) }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await stub.read(key, context) }
    func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }
    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool { try await stub.renew(held, as: entry, for: key) }
    func remove(_ key: Key) async throws { try await stub.remove(key) }
    func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }

    func contents(of pipeline: String, limit: Int) async throws -> CacheContents? {
        asked.withLock { $0.append(limit) }
        let copies = stub.contents.filter { $0.key.pipeline == pipeline }
        return CacheContents(copies.map { CacheContents.Copy(key: $0, entry: $1, size: $1.payload?.count ?? 0) }, limit: limit)
    }
}

/// A cache whose copies get no new times.
private final class UnmarkableCache: WritableSource {
    let stub: StubSource

    init(_ stub: StubSource) { self.stub = stub }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? { try await stub.read(key, context) }
    func write(_ entry: Entry, for key: Key) async throws { try await stub.write(entry, for: key) }
    func renew(_ held: Entry, as entry: Entry, for key: Key) async throws -> Bool { false }
    func remove(_ key: Key) async throws { try await stub.remove(key) }
    func clear(pipeline: String) async throws { try await stub.clear(pipeline: pipeline) }
}
