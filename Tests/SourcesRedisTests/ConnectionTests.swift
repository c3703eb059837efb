import Pipeline
import PipelineTesting
import Testing

@testable import SourcesRedis

/// Commands on one connection, many at a time.
@Suite(.timeLimit(.minutes(15)))
struct ConnectionTests {
    private let time = ManualClock()

    private func connection(to url: String) async throws -> Connection {
        let settings = RedisSettings(url: try #require(RedisURL(url)), timeout: .seconds(3))
        return try await Connector(settings: settings, clock: time.clock).connect()
    }

    @Test func `each command gets its own reply, however many leave together`() async throws {
        try await RedisServer.run { server async throws in
            let connection = try await connection(to: server.url())

            let waiters = (0..<500).map { connection.submit(Command("ECHO", .text("\($0)"))) }

            for (number, waiter) in waiters.enumerated() { #expect(try await connection.reply(of: waiter).text == "\(number)") }
            #expect(connection.backlog.bytes == 0)
            await connection.close()
        }
    }

    @Test func `what is sent together and never answered fails together, and what comes later at once`() async throws {
        try await FakeServer.run(.text("+PONG\r\n"), .more, .close) { server async throws in
            let connection = try await connection(to: server.url)
            let waiters = (0..<50).map { connection.submit(Command("GET", .text("\($0)"))) }

            var reasons: Set<String?> = []
            for waiter in waiters { reasons.insert(await failure { try await connection.reply(of: waiter) }?.reason) }
            #expect(reasons.count == 1 && !reasons.contains(nil), "\(reasons)")
            let late = (0..<3).map { connection.submit(Command("GET", .text("late \($0)"))) }
            for waiter in late { #expect(await failure { try await connection.reply(of: waiter) } != nil) }
            #expect(try await eventually { connection.backlog.bytes == 0 ? true : nil })
        }
    }

    @Test func `a read is cancelled while it waits for its reply`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let context = ReadContext(deadline: time.now + .seconds(60))
                let reading = Task { try await source.read(.user("42"), context) }
                _ = try await eventually { server.received.contains("GET") ? true : nil }

                reading.cancel()

                await #expect(throws: CancellationError.self) { try await reading.value }
            }
        }
    }

    @Test func `a read is cancelled while it waits for the connection`() async throws {
        try await FakeServer.run { server async throws in
            try await withSource(server.url, clock: time.clock) { source async throws in
                let context = ReadContext(deadline: time.now + .seconds(60))
                let reading = Task { try await source.read(.user("42"), context) }
                _ = try await eventually { server.received.contains("PING") ? true : nil }

                reading.cancel()

                await #expect(throws: CancellationError.self) { try await reading.value }
                #expect(!server.received.contains("GET"))
            }
        }
    }
}
