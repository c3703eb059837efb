import Pipeline
import PipelineConfig
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesRedis

/// What becomes of a source while its server fails.
@Suite(.timeLimit(.minutes(15)))
struct RedisFaultTests {
    @Test func `a server that is killed and started again in the middle of load is used again`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.write("v1")
                let load = (0..<8).map { worker in
                    Task {
                        var wrong = 0
                        while !Task.isCancelled {
                            // Errors are what is expected meanwhile; an answer that belongs to another read is not.
                            let text = try? await source.text(.user(worker.isMultiple(of: 2) ? "42" : "none"))
                            if let text, text != (worker.isMultiple(of: 2) ? "v1" : nil) { wrong += 1 }
                            await Task.yield()
                        }
                        return wrong
                    }
                }

                server.kill()
                #expect(try await eventually { await source.failure() }.reason.contains(server.authority))
                try await server.start()

                #expect(try await eventually { try await source.read(.user("none")) == nil ? true : nil })
                try await source.write("v1")
                #expect(try await source.text() == "v1")
                for task in load { task.cancel() }
                for task in load { #expect(await task.value == 0) }
            }
        }
    }

    @Test func `while the server is away, reads fail at once until it is time to try again`() async throws {
        let port = LoopbackPort.closed()
        let time = ManualClock()
        try await withSource("redis://127.0.0.1:\(port)", clock: time.clock) { source async throws in
            let reason = "connection refused by 127.0.0.1:\(port)"
            #expect(await source.failure()?.reason == reason)

            for _ in 0..<1_000 { #expect(await source.failure()?.reason == reason) }

            #expect(await source.failure()?.kind == .failure)
        }
    }

    @Test func `a frozen server costs one time limit, then nothing, and is used again when it thaws`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(), { $0.timeout = .milliseconds(200) }) { source async throws in
                _ = try await eventually { try await source.write("v1") }
                server.freeze()

                let errors = await withTaskGroup(of: SourceError?.self) { group in
                    for _ in 0..<100 { group.addTask { await source.failure() } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors.allSatisfy { $0?.kind == .timeout && $0?.reason == "no answer from \(server.authority) within 200ms" })

                let begin = ContinuousClock.now
                for _ in 0..<100 { #expect(await source.failure() != nil) }
                // Each of them would have waited for itself.
                #expect(ContinuousClock.now - begin < .seconds(10))

                server.thaw()
                #expect(try await eventually { try await source.text() } == "v1")
            }
        }
    }

    @Test func `a command that waits for too long ends by the given clock, and takes the connection along`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let time = ManualClock()
            try await withSource(server.url, clock: time.clock, { $0.timeout = .seconds(3) }) { source async throws in
                try await source.connect()
                time.advance(by: .seconds(2))
                let read = Task { await source.failure() }
                _ = try await eventually { server.received.contains("GET") ? true : nil }

                time.advance(by: .seconds(2))
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(1))

                #expect(await read.value?.kind == .timeout)
                #expect(await source.failure()?.kind == .timeout)
                #expect(server.connections == 1)
            }
        }
    }

    @Test func `a server out of memory takes no writes and says why, and reads go on`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.write("v1")
                _ = try await server.ask("CONFIG", "SET", "maxmemory", "1", "maxmemory-policy", "noeviction")

                let error = await failure { try await source.write("v2", for: .user("43")) }

                #expect(error?.reason == "\(server.authority) is out of memory: it is over its maxmemory")
                #expect(try await source.text() == "v1")
                try await source.remove(.user("42"))
                #expect(try await source.text() == nil)
            }
        }
    }

    @Test func `a wrong password, a missing one and a needless one refuse`() async throws {
        try await RedisServer.run(["--requirepass", "right-word"]) { server async throws in
            for (credentials, words) in [("", "requires a password"), (":wrong-word", "refuses the user name or the password")] {
                try await withSource(server.url(credentials)) { source async throws in
                    let error = await source.failure()
                    #expect(error?.kind == .refused)
                    #expect(error?.reason == "\(server.authority) \(words)")
                    #expect(await failure { try await source.check() }?.kind == .refused)
                }
            }
            try await withSource(server.url(":right-word")) { source async throws in #expect(try await source.check() == .reachable) }
        }
        try await RedisServer.run { server async throws in
            try await withSource(server.url(":right-word")) { source async throws in
                #expect(await source.failure()?.reason == "\(server.authority) has no password set, and one is given")
            }
            try await withSource(server.url(database: 99)) { source async throws in
                #expect(await source.failure()?.reason == "\(server.authority) has no database of that number")
                #expect(await source.failure()?.kind == .refused)
            }
        }
    }

    @Test func `a user of an access list may do what it may`() async throws {
        try await RedisServer.run(["--user", "reader", "on", ">s3cr3t-word", "~pipe-run:*", "+get", "+select"]) { server async throws in
            _ = try await server.ask("SET", "pipe-run:friends,user=43", "x")
            try await withSource(server.url("reader:s3cr3t-word", database: 1)) { source async throws in
                #expect(try await source.text() == nil)

                let error = await failure { try await source.write("v1") }

                #expect(error?.kind == .refused)
                #expect(error?.reason.hasPrefix("\(server.authority) does not allow it to this user: ") == true)
                #expect(try await source.text() == nil)
            }
            try await withSource(server.url("reader:wrong")) { source async throws in #expect(await source.failure()?.kind == .refused) }
        }
    }

    @Test func `a replica takes no writes, and says so`() async throws {
        try await RedisServer.run { server async throws in
            _ = try await server.ask("REPLICAOF", "127.0.0.1", "1")
            try await withSource(server.url()) { source async throws in
                let error = await failure { try await source.write("v1") }
                #expect(error?.reason == "\(server.authority) is a replica, which cannot be written")
            }
        }
    }

    @Test(arguments: [
        ("LOADING Redis is loading the dataset in memory", "is still loading its data"),
        ("MOVED 3999 127.0.0.1:6381", "is a node of a cluster, and clusters are not supported"),
        ("DENIED Redis is running in protected mode because …", "is in protected mode: it takes other machines only with a password"),
        ("ERR max number of clients reached", "has too many clients"),
        ("ODD \u{1B}[31m words", "answered with an error: ODD \u{FFFD}[31m words"),
    ])
    func `what a server says is put in words`(reply: String, words: String) async throws {
        try await FakeServer.run(.text("-\(reply)\r\n")) { server async throws in
            try await withSource(server.url) { source async throws in
                #expect(await source.failure()?.reason == "127.0.0.1:\(server.port) \(words)")
            }
        }
    }

    @Test func `a reply that is cut short is an error`() async throws {
        try await FakeServer.run(.text("+PONG\r\n$10\r\nabc"), .close) { server async throws in
            try await withSource(server.url) { source async throws in
                // The bytes after the sign of life may come before the next command.
                #expect(await source.failure() != nil)
            }
        }
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "+PONG\r\n+OK\r\n", "*100000\r\n", "\r\n", "+PONG\r\n$-7\r\n"])
    func `an answer that is none ends the connection`(text: String) async throws {
        try await FakeServer.run(.text(text)) { server async throws in
            try await withSource(server.url) { source async throws in
                _ = await source.failure()
                let error = await source.failure()
                #expect(error?.kind == .failure && error?.reason.contains("127.0.0.1:\(server.port)") == true, "\(error?.reason ?? "")")
            }
        }
    }

    @Test func `an endless reply is cut off`() async throws {
        try await FakeServer.run(.text("$2000000000\r\n"), .zeros(1 << 30)) { server async throws in
            try await withSource(server.url) { source async throws in
                let error = await source.failure()

                #expect(error?.reason.hasSuffix("it is larger than 1048576 bytes") == true)
                // The sockets hold some of it.
                #expect(server.written < 64 << 20)
            }
        }
    }

    @Test func `an answer of another kind is an error`() async throws {
        // What the check asks for besides a sign of life: a script, a list, a length, a part.
        try await FakeServer.run(
            .text("+PONG\r\n"), .more, .text(":0\r\n"), .more, .text("*2\r\n$1\r\n0\r\n*0\r\n"), .more, .text(":0\r\n"), .more,
            .text("$0\r\n\r\n")
        ) { server async throws in
            #expect(try await makeSource(server.url).check() == .reachable)
        }
        try await FakeServer.run(.text(":1\r\n:1\r\n")) { server async throws in
            try await withSource(server.url) { source async throws in #expect(await source.failure() != nil) }
        }
    }
}
