import Pipeline
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesRedis

@Suite(.timeLimit(.minutes(15)))
struct RedisLeaseTests {
    private let key = Key.user("42")

    @Test func `of many who want the lease at once one gets it`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await withSource(server.url()) { other async throws in
                    let count = try await withThrowingTaskGroup(of: Bool.self) { group in
                        for number in 0..<100 {
                            let one = number.isMultiple(of: 2) ? source : other
                            group.addTask { try await one.takeLease(of: key, for: "holder \(number)", lasting: .seconds(60)) }
                        }
                        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }

                    #expect(count == 1)
                    #expect(try await source.takeLease(of: .user("43"), for: "holder 101", lasting: .seconds(60)))
                }
            }
        }
    }

    @Test func `a lease runs out on the server, and taking it again makes it last anew`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let name = source.names.lease(of: key)
                #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(30)))
                let first = try await server.ask("PTTL", name)
                #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(600)))
                let second = try await server.ask("PTTL", name)
                guard case .integer(1...30_000) = first, case .integer(500_000...600_000) = second else {
                    Issue.record("\(first) \(second)")
                    return
                }
                #expect(try await source.takeLease(of: key, for: "b", lasting: .seconds(30)) == false)

                // As when the time is over.
                _ = try await server.ask("PEXPIRE", name, "1")
                #expect(try await eventually { try await source.takeLease(of: key, for: "b", lasting: .seconds(30)) ? true : nil })
                #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(30)) == false)
            }
        }
    }

    @Test func `giving back a lease that another holds does nothing`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.releaseLease(of: key, by: "a stranger", fruitlessFor: nil)
                #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(60)))

                try await source.releaseLease(of: key, by: "b", fruitlessFor: nil)
                #expect(try await source.takeLease(of: key, for: "b", lasting: .seconds(60)) == false)

                try await source.releaseLease(of: key, by: "a", fruitlessFor: nil)
                #expect(try await source.takeLease(of: key, for: "b", lasting: .seconds(60)))
            }
        }
    }

    @Test func `all are told who gave a lease back in vain, until the server forgets it`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await withSource(server.url()) { other async throws in
                    #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(30)))
                    try await source.releaseLease(of: key, by: "b", fruitlessFor: .seconds(60))
                    #expect(try await other.lastFruitlessHolder(of: key) == nil)

                    try await source.releaseLease(of: key, by: "a", fruitlessFor: .seconds(60))
                    #expect(try await other.takeLease(of: key, for: "b", lasting: .seconds(30)))
                    #expect(try await other.lastFruitlessHolder(of: key) == "a")
                    #expect(try await other.text(key) == nil)

                    let name = source.names.fruitlessLease(of: key)
                    guard case .integer(30_001...60_000) = try await server.ask("PTTL", name) else {
                        Issue.record("the server keeps it for another time")
                        return
                    }
                    // As when the time is over.
                    _ = try await server.ask("PEXPIRE", name, "1")
                    #expect(try await eventually { try await other.lastFruitlessHolder(of: key) == nil ? true : nil })
                }
            }
        }
    }

    @Test func `a lease is no copy, and clearing the pipeline leaves it`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                #expect(try await source.takeLease(of: key, for: "a\r\nb", lasting: .nanoseconds(Int64.max)))
                #expect(try await source.text(key) == nil)

                try await source.write("v1", for: key)
                try await source.clear(pipeline: "friends")

                #expect(try await source.text(key) == nil)
                #expect(try await source.takeLease(of: key, for: "b", lasting: .seconds(1)) == false)
            }
        }
    }

    @Test func `while the server is away the holder of the lease is not known`() async throws {
        let port = LoopbackPort.closed()
        try await withSource("redis://127.0.0.1:\(port)") { source async throws in
            let error = await failure { try await source.takeLease(of: key, for: "a", lasting: .seconds(1)) }
            #expect(error?.reason == "connection refused by 127.0.0.1:\(port)")
        }
    }

    @Test(arguments: [[], ["PX", "3600000"]]) func `a lease that another program made to last is believed for as long as a lease may last`(
        life: [String]
    ) async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let name = source.names.lease(of: key)
                _ = try await server.ask(Command((["SET", name, "the dead"] + life).map { .text($0) }))

                #expect(try await source.takeLease(of: key, for: "a", lasting: .seconds(30)) == false)
                guard case .integer(1...30_000) = try await server.ask("PTTL", name) else {
                    Issue.record("it lasts for ever")
                    return
                }
                #expect(try await source.takeLease(of: key, for: "a", lasting: .milliseconds(20)) == false)
                #expect(try await eventually { try await source.takeLease(of: key, for: "a", lasting: .seconds(30)) ? true : nil })
            }
        }
    }

    @Test(arguments: [Duration.seconds(-7_200), .seconds(7_200)])
    func `a process whose wall clock was wrong and is corrected shares copies with the others`(error: Duration) async throws {
        try await RedisServer.run { server async throws in
            let (time, late) = (ManualClock(), ManualClock(wall: ManualClock().now + error))
            late.stepWall(by: .zero - error)
            try await withSource(server.url(), clock: time.clock) { other async throws in
                try await withSource(server.url(), clock: late.clock) { started async throws in
                    let (now, lateNow) = (time.now, late.now)
                    try await other.write(Entry([1], created: now, stored: now, freshUntil: now + .seconds(60)), for: key)
                    #expect(
                        try await started.read(key) == Entry([1], created: lateNow, stored: lateNow, freshUntil: lateNow + .seconds(60)))

                    try await started.write(Entry([2], created: lateNow, stored: lateNow, freshUntil: lateNow + .seconds(60)), for: key)
                    #expect(try await other.read(key) == Entry([2], created: now, stored: now, freshUntil: now + .seconds(60)))
                }
            }
        }
    }

    @Test func `times that cannot be are read, kept and translated`() async throws {
        try await RedisServer.run { server async throws in
            let time = ManualClock()
            try await withSource(server.url(), clock: time.clock) { source async throws in
                let extremes: [Int64] = [.min, .min + 1, -1, 0, .max - 1, .max]
                for created in extremes {
                    for stored in extremes {
                        for freshUntil in extremes {
                            time.stepWall(by: .seconds(created < 0 ? 7_200 : -7_200))
                            let entry = Entry(
                                [1], created: Timestamp(nanoseconds: created), stored: Timestamp(nanoseconds: stored),
                                freshUntil: Timestamp(nanoseconds: freshUntil))
                            let value = [1] + StoredEntry.trailer(of: entry)
                            _ = try await server.ask(Command(["SET", .text(source.names.copy(of: key)), .bytes(value)]))
                            #expect(try await source.read(key)?.payload == [1])
                            // One that expired is not kept, whatever the number.
                            try? await source.write(entry, for: key)
                        }
                    }
                }
            }
        }
    }
}
