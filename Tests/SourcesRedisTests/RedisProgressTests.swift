import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import SourcesRedis

/// Lines that are slow, and yet not dead.
@Suite(.timeLimit(.minutes(15)))
struct RedisProgressTests {
    private let time = ManualClock()

    /// A connection to `server` with a limit of 3 s on the manual clock.
    private func connection(
        to server: FakeServer, through receives: (@Sendable (Reply) -> Void)? = nil
    ) async throws -> Connection {
        let settings = RedisSettings(url: try #require(RedisURL(server.url)), timeout: .seconds(3))
        return try await Connector(settings: settings, clock: time.clock).connect(CommandHandler.Observer(receives: receives))
    }

    private func value(_ size: Int) -> Command { Command("SET", "key", .bytes([UInt8](repeating: 0x61, count: size))) }

    /// Advances the clock until `task` has ended.
    private func failure(of task: Task<SourceError?, Never>) async throws -> SourceError {
        let ticking = Task {
            while !Task.isCancelled {
                time.advance(by: .milliseconds(100))
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { ticking.cancel() }
        return try #require(await task.value)
    }

    @Test func `a value is sent for as long as the line moves, and given up when it stands still`() async throws {
        try await FakeServer.run(.text("+PONG\r\n"), .stall) { server async throws in
            let connection = try await connection(to: server)
            _ = try await eventually { server.isStalled ? true : nil }
            let begin = time.now
            let writing = connection.submit(value(8 << 20))

            var rest = connection.backlog.bytes
            while rest > 0 {
                _ = try await eventually { [rest] in
                    server.take()
                    return connection.backlog.bytes < rest ? true : nil
                }
                time.advance(by: .seconds(2))
                // What is sent from here on is sent at the new time.
                rest = connection.backlog.bytes
            }
            server.say("+OK\r\n")

            #expect(try await connection.reply(of: writing) == .status("OK"))
            #expect(time.now.duration(since: begin) > .seconds(10))

            let stuck = Task { await SourcesRedisTests.failure { try await connection.reply(to: value(16 << 20)) } }
            #expect(try await failure(of: stuck).kind == .timeout)
            #expect(try await eventually { connection.backlog.bytes == 0 ? true : nil })
        }
    }

    @Test func `a write has half a minute, however the line moves`() async throws {
        try await FakeServer.run(.text("+PONG\r\n"), .stall) { server async throws in
            let source = try makeSource(server.url, clock: time.clock)
            // More than is taken in thirty steps.
            let entry = Entry([UInt8](repeating: 0x61, count: 32 << 20), created: time.now)
            let begin = time.now
            let hasEnded = Atomic(false)
            let writing = Task {
                defer { hasEnded.store(true, ordering: .releasing) }
                return await SourcesRedisTests.failure { try await source.write(entry, for: .user("42")) }
            }
            _ = try await eventually { server.isStalled ? true : nil }

            while time.now.duration(since: begin) < .seconds(30) {
                let count = server.received.utf8.count
                server.take()
                _ = try await eventually { server.received.utf8.count > count ? true : nil }
                time.advance(by: .seconds(1))
            }
            _ = try await eventually { hasEnded.load(ordering: .acquiring) ? true : nil }

            #expect(await writing.value?.reason == "127.0.0.1:\(server.port) did not take the entry in time")
            await source.close()
        }
    }

    @Test func `an answer may take as long as it likes while something comes`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let received = Heard()
            let connection = try await connection(to: server, through: { _ in received.note() })
            let answered = Task { try await connection.reply(to: .ping) }
            _ = try await eventually { server.received.hasSuffix("PING\r\n*1\r\n$4\r\nPING\r\n") ? true : nil }

            for count in 1...10 {
                server.say("*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n")
                _ = try await eventually { received.count == count ? true : nil }
                time.advance(by: .seconds(2))
            }
            server.say("+PONG\r\n")

            #expect(try await answered.value == .status("PONG"))
        }
    }

    @Test func `a trickle without a waiter gives way`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let connection = try await connection(to: server)
            let left = Task { try await connection.reply(to: Command("GET", "a", replyLimit: 1 << 20)) }
            _ = try await eventually { server.received.contains("GET") ? true : nil }
            server.say("$1000000\r\n")
            let waiting = Task { await SourcesRedisTests.failure { try await connection.reply(to: Command("GET", "b")) } }
            left.cancel()
            await #expect(throws: CancellationError.self) { try await left.value }

            let trickle = Task {
                while !Task.isCancelled {
                    server.say("x")
                    await Task.yield()
                }
            }
            let error = try await failure(of: waiting)
            trickle.cancel()
            await trickle.value

            #expect(error.kind == .timeout)
        }
    }

    @Test func `more than a line takes is refused at once, and reads are not`() async throws {
        try await FakeServer.run(.text("+PONG\r\n"), .stall) { server async throws in
            let connection = try await connection(to: server)
            let command = value(40 << 20)
            let first = connection.submit(command)

            let error = await SourcesRedisTests.failure { try await connection.reply(to: command) }
            let read = Task { await SourcesRedisTests.failure { try await connection.reply(to: Command("GET", "key")) } }

            #expect(error?.reason == "64MiB wait already to be sent to 127.0.0.1:\(server.port)")
            #expect(error?.kind == .failure)
            #expect(try await failure(of: read).kind == .timeout)
            #expect(await SourcesRedisTests.failure { try await connection.reply(of: first) }?.kind == .timeout)
        }
    }
}

/// Counts what was heard.
private final class Heard: Sendable {
    private let number = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }

    func note() { number.add(1, ordering: .relaxed) }
}
