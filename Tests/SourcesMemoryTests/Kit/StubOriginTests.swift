import Pipeline
import PipelineTesting
import Testing

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

        let confirmed = try await api.read(key, ReadContext(confirming: known))
        #expect(confirmed?.payload == known.payload)
        #expect(confirmed?.created == time.now)
        #expect(api.notModifiedCount == 1)

        api.answers(.value("[2]", etag: "\"b\""))
        #expect(try await api.read(key, ReadContext(confirming: known))?.payload == Array("[2]".utf8))
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
