import Pipeline
import PipelineTesting
import Synchronization
import TestSupport
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

    @Test(arguments: [true, false])
    func `a delay ends on time although the clock moves on before the call waits`(isOfAnswer: Bool) async throws {
        // Time goes on just after the call has read it for the second time: when it began, and to see how long it has to wait.
        let looks = Mutex(Int.min)
        let clock = PipelineClock(
            wall: time.clock.wall,
            monotonic: { [time] in
                let present = time.clock.monotonic()
                let isSecond = looks.withLock { looks in
                    looks += 1
                    return looks == 2
                }
                if isSecond { time.advance(by: .milliseconds(10)) }
                return present
            }, sleep: time.clock.sleep, alarms: time.clock.alarms)
        let slow = StubSource("slow", clock: clock)
        if isOfAnswer { slow.answers(StubAnswer.miss.after(.milliseconds(10))) } else { slow.delay(.reads, by: .milliseconds(10)) }
        let ended = Gate()

        looks.withLock { $0 = 0 }
        let read = Task { [key] in
            defer { ended.open() }
            return try await slow.read(key, ReadContext())
        }
        try await yieldUntil { ended.isOpen }

        #expect(try await read.value == nil)
        #expect(time.sleeperCount == 0)
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
