import Pipeline
import PipelineTesting
import Testing

@testable import SourcesRedis

/// A renewal sends what is known of a payload, and not the payload.
@Suite(.timeLimit(.minutes(15)))
struct RedisRenewalTests {
    private let key = Key.user("42")

    private func entry(_ payload: [UInt8]?, freshFor: Duration?, lastModified: String? = nil) -> Entry {
        let now = PipelineClock.system.now
        var entry = Entry(
            payload ?? [], created: now, stored: now, freshUntil: freshFor.map { now + $0 }, lastModified: lastModified)
        if payload == nil { entry.payload = nil }
        return entry
    }

    /// The bytes that the server has read since its counts were reset.
    private func received(_ server: RedisServer) async throws -> Int {
        let text = try await server.ask("INFO", "stats").text ?? ""
        let line = text.split(separator: "\r\n").first { $0.hasPrefix("total_net_input_bytes:") }
        return try #require(line.flatMap { Int($0.split(separator: ":")[1]) })
    }

    @Test(arguments: [nil, "Wed, 21 Oct 2026 07:28:00 GMT"])
    func `the payload is not sent, whether or not more is known of it than before`(lastModified: String?) async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let payload = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) }
                try await source.write(entry(payload, freshFor: .seconds(600)), for: key)
                let held = try #require(try await source.read(key))
                let later = entry(payload, freshFor: .seconds(1_200), lastModified: lastModified)
                _ = try await server.ask("CONFIG", "RESETSTAT")

                #expect(try await source.renew(held, as: later, for: key))

                #expect(try await received(server) < 10_000)
                #expect(try await source.read(key) == later)
                guard case .integer(let life) = try await server.ask("PTTL", "pipe-run:friends,user=42") else {
                    Issue.record("the server never forgets it")
                    return
                }
                // A day more, in which the origin can confirm it.
                let day: Int64 = lastModified == nil ? 0 : 86_400_000
                #expect((1_100_000...1_200_000).contains(life - day))
            }
        }
    }

    @Test func `a copy without a limit stays, and one that says that there is no value is renewed, too`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                try await source.write(entry(nil, freshFor: .seconds(600)), for: key)
                let held = try #require(try await source.read(key))

                #expect(try await source.renew(held, as: entry(nil, freshFor: nil), for: key))

                #expect(try await source.read(key)?.isNotFound == true)
                #expect(try await server.ask("PTTL", "pipe-run:friends,user=42") == .integer(-1))
            }
        }
    }

    @Test func `a copy of the same moment and length that another process wrote is not given the times`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                var held = entry([1, 2, 3], freshFor: .seconds(600))
                try await source.write(held, for: key)
                held.payload = [1, 2, 4]
                try await source.write(held, for: key)
                held.payload = [1, 2, 3]

                #expect(try await source.renew(held, as: entry([1, 2, 3], freshFor: .seconds(900)), for: key) == false)

                held.payload = [1, 2, 4]
                #expect(try await source.read(key) == held)
            }
        }
    }

    @Test func `where scripts are not allowed, the whole entry is to be written`() async throws {
        try await RedisServer.run { server async throws in
            _ = try await server.ask("ACL", "SETUSER", "plain", "on", ">secret", "~*", "+@all", "-eval")
            try await withSource(server.url("plain:secret")) { source async throws in
                try await source.write("v1", freshFor: .seconds(600))
                let held = try #require(try await source.read(key))

                #expect(try await source.renew(held, as: entry(held.payload, freshFor: .seconds(900)), for: key) == false)
                #expect(try await source.text() == "v1")
            }
        }
    }
}
