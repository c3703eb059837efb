import Pipeline
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesRedis

@Suite(.timeLimit(.minutes(15)))
struct RedisSourceTests {
    @Test func `two sources on one server see each other's copies, and another prefix or database does not`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { first async throws in
                try await first.write("v1")

                try await withSource(server.url()) { source async throws in #expect(try await source.text() == "v1") }
                try await withSource(server.url(), { $0.prefix = "other:" }) { source async throws in
                    #expect(try await source.text() == nil)
                }
                try await withSource(server.url(database: 3)) { source async throws in #expect(try await source.text() == nil) }
            }
        }
    }

    @Test(arguments: [(1, 21), (15, 31), (100, 201)])
    func `listing looks at no more names of others than the limit allows`(limit: Int, most: Int) async throws {
        // A server whose names never end, and match nothing.
        let name = "pipe-run:friends2,user=1"
        let answers = (0..<most + 50).flatMap { _ in
            [FakeServer.Step.more, .text("*2\r\n$1\r\n7\r\n*1\r\n$\(name.utf8.count)\r\n\(name)\r\n")]
        }
        try await FakeServer.run(steps: [.text("+PONG\r\n"), .more, .text(":0\r\n")] + answers) { server async throws in
            try await withSource(server.url) { source async throws in
                let contents = try #require(try await source.contents(of: "friends", limit: limit))

                #expect(contents.copies.isEmpty && contents.hasMore)
                #expect(server.received.matches(of: /SCAN/).count <= most)
            }
        }
    }

    @Test func `names of others are neither listed nor cleared`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.prefix = "" }) { source async throws in
                for user in ["1", "2"] { try await source.write("v1", for: .user(user)) }
                for name in ["friends,", "friends,user", "friends,a b=1", "friends2,user=1"] {
                    _ = try await server.ask("SET", name, "mine")
                }

                let contents = try #require(try await source.contents(of: "friends", limit: 10))
                try await source.clear(pipeline: "friends")

                #expect(contents.copies.map(\.key) == [.user("1"), .user("2")])
                #expect(try await server.ask("DBSIZE") == .integer(4))
            }
        }
    }

    @Test func `the server forgets a copy that can no longer be served`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.longestStale = .seconds(3_600) }) { source async throws in
                try await source.write("v1", freshFor: .seconds(600))
                try await source.write("v1", for: .user("endless"))

                let life = try await server.ask("PTTL", "pipe-run:friends,user=42")
                guard case .integer(4_000_000...4_200_000) = life else {
                    Issue.record("\(life)")
                    return
                }
                #expect(try await server.ask("PTTL", "pipe-run:friends,user=endless") == .integer(-1))
            }
        }
    }

    /// What an answer says, its etag, for how many seconds it is fresh, and for how many the server keeps it.
    private static let lives: [(String, String?, Int64, Int64)] = [
        ("max-age=600, stale-if-error=3000", nil, 600, 3_600),
        ("max-age=600, stale-while-revalidate=7000, stale-if-error=50", nil, 600, 7_600),
        ("max-age=600, stale-if-error=3000, must-revalidate", nil, 600, 660), ("max-age=600", "\"1\"", 600, 87_060),
        ("no-cache, stale-if-error=3000", "\"1\"", 0, 86_460), ("max-age=60", "\"1\"", -200_000, 86_400),
    ]

    @Test(arguments: lives)
    func `the server keeps what its origin lets be served stale, and a day more what it can confirm`(
        said: String, etag: String?, freshFor: Int64, most: Int64
    ) async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.longestStale = .seconds(60) }) { source async throws in
                let now = source.clock.now
                let entry = Entry(
                    [1], created: now, stored: now, freshUntil: now + .seconds(freshFor), etag: etag,
                    cacheControl: CacheControl(field: said))

                try await source.write(entry, for: .user("42"))
                let written = try await server.ask("PTTL", "pipe-run:friends,user=42")
                let held = try #require(try await source.read(.user("42")))
                _ = try await server.ask("PERSIST", "pipe-run:friends,user=42")
                #expect(try await source.renew(held, as: entry, for: .user("42")))
                let renewed = try await server.ask("PTTL", "pipe-run:friends,user=42")

                for life in [written, renewed] {
                    guard case .integer(let milliseconds) = life else {
                        Issue.record("\(life)")
                        continue
                    }
                    #expect((most * 1_000 - 100_000...most * 1_000).contains(milliseconds))
                }
            }
        }
    }

    @Test func `that there is no value can be neither confirmed nor served stale`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let now = source.clock.now
                var entry = Entry(
                    [], created: now, freshUntil: now, etag: "\"1\"", cacheControl: CacheControl(field: "stale-if-error=3000"))
                entry.payload = nil

                await #expect { try await source.write(entry, for: .user("42")) } throws: { isNotKept($0, because: "expired already") }
            }
        }
    }

    @Test func `an entry whose time is over takes the copy before it along`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.longestStale = .seconds(60) }) { source async throws in
                try await source.write("v1", freshFor: .seconds(600))
                try await source.write("v2", freshFor: .seconds(-30))
                #expect(try await source.text() == "v2")

                await #expect { try await source.write("v3", freshFor: .seconds(-60)) } throws: {
                    isNotKept($0, because: "expired already")
                }

                #expect(try await source.text() == nil)
                #expect(try await server.ask("DBSIZE") == .integer(0))
            }
        }
    }

    @Test func `clearing a pipeline leaves everything else, also names that look like patterns`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.prefix = "a*[b]?\\:" }) { source async throws in
                let kept = [
                    Key(pipeline: "a,b"), Key(pipeline: "ab", parameters: ["x": "1"]), Key(pipeline: "a*"),
                    Key(pipeline: "a*", parameters: ["x": "1"]),
                ]
                let cleared = [Key(pipeline: "a")] + (0..<1_200).map { Key(pipeline: "a", parameters: ["x": "\($0)"]) }
                for key in kept + cleared { try await source.write("v", for: key) }
                _ = try await server.ask("SET", "aXbX:a,x=1", "of another program")
                _ = try await server.ask("SET", "a*[b]?\\:lease:a,x=1", "holder")

                try await source.clear(pipeline: "a")

                for key in kept { #expect(try await source.text(key) == "v") }
                for key in cleared where try await source.read(key) != nil { Issue.record("\(key) is still there") }
                #expect(try await server.ask("DBSIZE") == .integer(Int64(kept.count + 2)))

                try await source.clear(pipeline: "a*")

                #expect(try await source.text(kept[1]) == "v")
                #expect(try await server.ask("DBSIZE") == .integer(4))
            }
        }
    }

    @Test func `what is no copy is invalid, and the next write replaces it`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                _ = try await server.ask("SET", "pipe-run:friends,user=42", "garbage")
                #expect(await source.failure()?.kind == .invalid)
                try await source.write("v1")
                #expect(try await source.text() == "v1")

                _ = try await server.ask("SETRANGE", "pipe-run:friends,user=42", "70", "x")
                #expect(await source.failure()?.kind == .invalid)

                _ = try await server.ask("DEL", "pipe-run:friends,user=42")
                _ = try await server.ask("LPUSH", "pipe-run:friends,user=42", "x")
                #expect(await source.failure()?.kind == .invalid)
                try await source.write("v2")
                #expect(try await source.text() == "v2")
            }
        }
    }

    @Test(arguments: [1, 4]) func `thousands of reads at once each get their own answer`(pool: Int) async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.pool = pool }) { source async throws in
                for number in 0..<100 {
                    try await source.write(String(repeating: "\(number),", count: number * 20 + 1), for: .user("\(number)"))
                }

                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<5_000 {
                        group.addTask {
                            let number = number % 101
                            let text = try await source.text(.user("\(number)"))
                            return text == (number == 100 ? nil : String(repeating: "\(number),", count: number * 20 + 1))
                        }
                    }
                    for try await isRight in group where !isRight { Issue.record("an answer belongs to another key") }
                }
                let clients = try await server.ask("CLIENT", "LIST").text?.split(separator: "\n").count
                #expect(clients.map { $0 <= pool + 1 } == true)
            }
        }
    }

    @Test func `reads that are cancelled leave at once, and the answers of the others stay theirs`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                for number in 0..<50 { try await source.write("\(number)", for: .user("\(number)")) }

                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<2_000 {
                        group.addTask {
                            let task = Task { try await source.text(.user("\(number % 50)")) }
                            if number.isMultiple(of: 3) { task.cancel() }
                            do {
                                return try await task.value == "\(number % 50)"
                            } catch {
                                return error is CancellationError && number.isMultiple(of: 3)
                            }
                        }
                    }
                    for try await isRight in group where !isRight { Issue.record("a read went wrong") }
                }
                #expect(try await source.text(.user("7")) == "7")
            }
        }
    }

    @Test func `a read that waits for a frozen server leaves when it is cancelled`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), clock: ManualClock().clock) { source async throws in
                try await source.write("v1")
                server.freeze()
                let task = Task { try await source.text() }

                task.cancel()

                await #expect(throws: CancellationError.self) { try await task.value }
                server.thaw()
                #expect(try await source.text() == "v1")
            }
        }
    }

    @Test func `nothing is connected before the first use, and nothing after the end`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let source = try makeSource(server.url)
            #expect(server.connections == 0)

            try await source.connect()
            #expect(server.connections == 1)
            await source.close()

            #expect(await source.failure()?.reason == "the source is closed")
            #expect(server.connections == 1)
        }
    }

    @Test func `closing ends the reads that wait`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let source = try makeSource(server.url)
            try await source.connect()
            let reads = (0..<10).map { number in Task { await source.failure(.user("\(number)")) } }
            _ = try await eventually { server.received.contains("GET") ? true : nil }

            await source.close()

            for read in reads { #expect(await read.value != nil) }
        }
    }

    @Test func `an entry that is larger than what is kept is not sent`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.write("v1")
                let large = Entry([UInt8](repeating: 1, count: StoredEntry.mostBytes), created: source.clock.now)

                await #expect { try await source.write(large, for: .user("42")) } throws: { isNotKept($0, because: "larger than 64MiB") }

                #expect(try await source.text() == nil)
            }
        }
    }

    @Test func `a payload of many megabytes comes back whole`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let payload = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }

                try await source.write(Entry(payload, created: source.clock.now), for: .user("42"))

                #expect(try await source.read(.user("42"))?.payload == payload)
            }
        }
    }
}
