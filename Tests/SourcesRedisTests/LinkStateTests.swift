import Pipeline
import Testing

@testable import SourcesRedis

/// When a connection is tried, and who waits for it.
@Suite struct LinkStateTests {
    private let refused = SourceError("refused")

    private func step(_ state: inout LinkState, at now: Duration) -> String {
        switch state.ask(at: now) {
        case .use: "use"
        case .fail(let error): "fail: \(error)"
        case .wait: "wait"
        case .connect(_, let attempt): "connect \(attempt)"
        }
    }

    @Test func `those who come while the first attempt runs wait for it`() {
        var state = LinkState()

        #expect(step(&state, at: .zero) == "connect 1")
        #expect(step(&state, at: .zero) == "wait")
        #expect(state.finish(.failure(refused), at: .zero).waiters.count == 2)
    }

    @Test func `after a failure there is no attempt until a while is over, longer each time`() {
        // The longest pause of each draw.
        var state = LinkState(random: RandomGenerator { .max })
        var now = Duration.zero
        var waits: [Duration] = []
        for attempt in 1...9 {
            #expect(step(&state, at: now) == "connect \(attempt)")
            _ = state.finish(.failure(refused), at: now)
            let start = now
            var probe = state
            while step(&probe, at: now) == "fail: refused" {
                now += .milliseconds(50)
                probe = state
            }
            waits.append(now - start)
        }

        #expect(waits == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000].map { .milliseconds($0) })
    }

    @Test func `while a server that is known to be away is tried again, the others fail at once`() {
        var state = LinkState()
        _ = step(&state, at: .zero)
        _ = state.finish(.failure(refused), at: .zero)

        #expect(step(&state, at: .seconds(1)) == "connect 2")
        #expect(step(&state, at: .seconds(1)) == "fail: refused")
    }

    @Test func `a connection that ended before it was used is none`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            var state = LinkState()
            _ = step(&state, at: .zero)
            let url = try #require(RedisURL(server.url))
            let connection = try await Connector(settings: RedisSettings(url: url, timeout: .seconds(60)), clock: .system).connect()

            state.end(attempt: 1, with: SourceError("cut"), at: .zero)
            _ = state.finish(.success(connection), at: .zero)

            #expect(step(&state, at: .zero) == "fail: cut")
            #expect(step(&state, at: .seconds(1)) == "connect 2")
            _ = state.finish(.success(connection), at: .seconds(1))
            #expect(step(&state, at: .seconds(1)) == "use")
            state.end(attempt: 1, with: SourceError("late news of an old connection"), at: .seconds(1))
            #expect(step(&state, at: .seconds(1)) == "use")
            state.end(attempt: 2, with: SourceError("hung up"), at: .seconds(1))
            #expect(step(&state, at: .seconds(1)) == "connect 3")
            _ = state.finish(.success(connection), at: .seconds(1))
            state.end(attempt: 3, with: SourceError("silent", kind: .timeout), at: .seconds(1))
            #expect(step(&state, at: .seconds(1)) == "fail: silent")
            await connection.close()
        }
    }

    @Test func `nothing is used after the end`() {
        var state = LinkState()
        _ = step(&state, at: .zero)

        #expect(state.close().waiters.count == 1)
        #expect(state.finish(.failure(refused), at: .zero).isKept == false)
        #expect(step(&state, at: .zero) == "fail: the source is closed")
    }

    @Test func `only a connection that was open for 30 s makes the next pause short again`() async throws {
        try await FakeServer.run(.text("+PONG\r\n")) { server async throws in
            let url = try #require(RedisURL(server.url))
            let connection = try await Connector(settings: RedisSettings(url: url, timeout: .seconds(60)), clock: .system).connect()
            var state = LinkState(random: RandomGenerator { .max })
            var now = Duration.zero
            var pauses: [Duration] = []
            for life in [29, 29, 29, 30, 29].map(Duration.seconds) {
                _ = step(&state, at: now)
                _ = state.finish(.success(connection), at: now)
                now += life
                state.end(attempt: pauses.count + 1, with: SourceError("silent", kind: .timeout), at: now)
                guard case .down(_, let end) = state.phase else { break }
                pauses.append(end - now)
                now = end
            }

            #expect(pauses == [100, 200, 400, 100, 200].map { .milliseconds($0) })
            await connection.close()
        }
    }
}
