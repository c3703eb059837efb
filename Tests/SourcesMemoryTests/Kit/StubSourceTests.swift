import Pipeline
import PipelineTesting
import Testing

@Suite struct StubSourceTests {
    let time = ManualClock()
    let key = Key(pipeline: "friends")
    let disk: StubSource

    init() {
        disk = StubSource("disk", clock: time.clock)
    }

    @Test func `without a script it is a cache`() async throws {
        let entry = Entry(Array("[1]".utf8), created: time.now, etag: "\"a\"")

        try await disk.write(entry, for: key)

        #expect(try await disk.read(key) == entry)
        #expect(disk.contents == [key: entry])
        #expect(disk.text(for: key) == "[1]")
        try await disk.remove(key)
        #expect(try await disk.read(key) == nil)
    }

    @Test func `it keeps the contract of a cache`() async {
        let violations = await SourceConformance.ofCache(
            capabilities: [.writes, .keepsMetadata, .keepsNotFound], clock: time.clock
        ) {
            StubSource(clock: time.clock)
        }

        #expect(violations == [])
    }

    @Test func `it records calls in the order they began`() async throws {
        disk.hold("[1]", for: key, freshFor: .seconds(10))
        let entry = try #require(disk[key])
        #expect(entry.freshUntil == time.now + .seconds(10))

        _ = try await disk.read(key)
        try await disk.write(entry, for: key)
        try await disk.remove(key)
        try await disk.clear(pipeline: "friends")

        #expect(disk.calls == [.read(key), .write(key, entry), .remove(key), .clear(pipeline: "friends")])
        #expect(disk.calls.map(\.description) == ["read friends", "write friends", "remove friends", "clear friends"])
        #expect((disk.readCount, disk.writeCount, disk.removeCount, disk.count(of: .clears)) == (1, 1, 1, 1))
        disk.forgetCalls()
        #expect(disk.calls.isEmpty)
        #expect(disk.readCount == 0)
    }

    @Test func `each operation fails when it is told to, until it recovers`() async throws {
        struct DiskFull: Error {}
        disk.hold("[1]", for: key)
        let entry = try #require(disk[key])
        disk.fail(.writes, with: DiskFull())
        disk.fail(.removes, .reads)

        await #expect(throws: DiskFull.self) { try await disk.write(entry, for: key) }
        await #expect(throws: SourceError.self) { try await disk.remove(key) }
        await #expect(throws: SourceError.self) { try await disk.read(key) }
        try await disk.clear(pipeline: "other")
        #expect(disk.text(for: key) == "[1]")
        #expect(disk.writeCount == 1)

        disk.recover()
        #expect(try await disk.read(key) != nil)
        try await disk.remove(key)
        #expect(disk.contents.isEmpty)
    }

    @Test func `a delayed write holds nothing before its gate opens, and can be awaited`() async throws {
        let gate = Gate()
        disk.delay(.writes, until: gate)
        let entry = Entry([1], created: time.now)
        let write = Task { [disk, key] in try await disk.write(entry, for: key) }

        await disk.writes(atLeast: 1)
        await gate.waiters(atLeast: 1)
        #expect(disk.contents.isEmpty)
        #expect(disk.runningCount(of: .writes) == 1)

        gate.open()
        await disk.finished(.writes, atLeast: 1)
        #expect(disk[key] == entry)
        #expect(disk.peakCount(of: .writes) == 1)
        try await write.value
    }

    @Test func `an answer once comes before what it holds`() async throws {
        disk.hold("[1]", for: key)
        disk.answersOnce(.error())
        disk.answersOnce(.miss)

        await #expect(throws: SourceError.self) { try await disk.read(key) }
        #expect(try await disk.read(key) == nil)
        #expect(try await disk.read(key)?.payload == Array("[1]".utf8))
    }
}

@Suite struct StubOriginTests {
    let time = ManualClock()
    let key = Key(pipeline: "friends")
    let api: StubOrigin

    init() {
        api = StubOrigin("api", clock: time.clock)
    }

    func text(_ key: Key) async throws -> String? {
        try await api.read(key)?.payload.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `answers come in order, and the last one stays`() async throws {
        api.answers("[1]", .error(), .notFound, .miss, "[2]")

        #expect(try await text(key) == "[1]")
        await #expect(throws: SourceError.self) { try await text(key) }
        #expect(try await api.read(key)?.isNotFound == true)
        #expect(try await api.read(key) == nil)
        for _ in 1...2 { #expect(try await text(key) == "[2]") }
    }

    @Test func `a closure answers by key`() async throws {
        api.answers { key in key.pipeline == "friends" ? "[1]" : .notFound }

        #expect(try await text(key) == "[1]")
        #expect(try await api.read(Key(pipeline: "other"))?.isNotFound == true)
    }

    @Test func `a value is created when its read began`() async throws {
        let began = time.now
        api.answers(.value("[1]", freshFor: .seconds(60), etag: "\"a\"").after(.seconds(2)))
        let read = Task { [api, key] in try await api.read(key) }
        await time.sleepers(atLeast: 1)

        time.advance(by: .seconds(2))

        let entry = try await read.value
        #expect(entry?.created == began)
        #expect(entry?.freshUntil == began + .seconds(60))
    }

    @Test func `a hanging read ends with its task`() async {
        api.answers(.hanging)
        let read = Task { [api, key] in try await api.read(key) }
        await api.reads(atLeast: 1)

        read.cancel()

        await #expect(throws: CancellationError.self) { try await read.value }
        #expect(api.cancellationCount == 1)
    }

    @Test func `an answer that ignores cancellation comes all the same, and the cancellation is counted`() async throws {
        let gate = Gate()
        api.answers(StubAnswer.value("[1]").after(gate).ignoringCancellation())
        let read = Task { [api, key] in try await api.read(key) }
        await gate.waiters(atLeast: 1)

        read.cancel()
        await api.cancellations(atLeast: 1)
        #expect(gate.waiterCount == 1)
        gate.open()

        #expect(try await read.value?.payload == Array("[1]".utf8))
    }

    @Test func `a revalidation confirms an entry with the same etag`() async throws {
        api.answers(.value("[1]", etag: "\"a\""))
        let known = try #require(try await api.read(key))
        time.advance(by: .seconds(5))

        let confirmed = try await api.revalidate(known, for: key)
        #expect(confirmed?.payload == known.payload)
        #expect(confirmed?.created == time.now)
        #expect(api.notModifiedCount == 1)

        api.answers(.value("[2]", etag: "\"b\""))
        #expect(try await api.revalidate(known, for: key)?.payload == Array("[2]".utf8))
        #expect((api.readCount, api.count(of: .revalidations), api.notModifiedCount) == (1, 2, 1))
        #expect(api.calls.last == .revalidate(key, known: known))
    }

    @Test func `it keeps the contract of an origin`() async {
        let existing = Key(pipeline: "friends", parameters: ["user": "42"])
        let violations = await SourceConformance.ofOrigin(
            make: {
                let api = StubOrigin(clock: time.clock)
                api.answers { $0 == existing ? .value("[1]", etag: "\"a\"") : .notFound }
                return api
            }, existing: existing, expected: Array("[1]".utf8), missing: Key(pipeline: "friends", parameters: ["user": "43"]))

        #expect(violations == [])
    }
}
