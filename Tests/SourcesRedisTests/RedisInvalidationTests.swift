import Pipeline
import PipelineTesting
import Testing

@testable import SourcesRedis

@Suite(.timeLimit(.minutes(15)))
struct RedisInvalidationTests {
    @Test(arguments: [
        InvalidationMessage.key(Key(pipeline: "friends", parameters: ["user": "a b,c=d\n"])), .key(Key(pipeline: "")),
        .pipeline("friends of, all"),
    ])
    func `a message is read as it was written`(invalidation: InvalidationMessage) {
        let message = Message(invalidation, from: "me")

        #expect(Message(message.text) == message)
    }

    @Test(arguments: ["", "1 me key", "2 me key friends", "1 me word friends", "1 me pipeline friends,a=1", "1 me key a b", "1  key a,b"])
    func `what is no message is left out`(text: String) {
        #expect(Message(text) == nil)
    }

    @Test func `all others receive what one publishes, in order, and it does not receive its own messages`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { first async throws in
                try await withSource(server.url()) { second async throws in
                    let ears = [Ear(first), Ear(second)]
                    for ear in ears { #expect(try await ear.events(atLeast: 1) == [.began]) }

                    let messages = (0..<300).map { InvalidationMessage.key(.user("\($0)")) } + [.pipeline("friends")]
                    for invalidation in messages { try await first.publish(invalidation) }
                    try await second.publish(.pipeline("end"))

                    #expect(try await ears[1].events(atLeast: 302) == [.began] + messages.map { .received($0) })
                    #expect(try await ears[0].events(atLeast: 2) == [.began, .received(.pipeline("end"))])
                    for ear in ears { await ear.stop() }
                }
            }
        }
    }

    @Test func `another prefix, another database and what is no invalidation message are ignored`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url(database: 2)) { source async throws in
                let ear = Ear(source)
                _ = try await ear.events(atLeast: 1)
                for (url, prefix) in [(server.url(), "pipe-run:"), (server.url(database: 2), "other:")] {
                    try await withSource(url, { $0.prefix = prefix }) { try await $0.publish(.pipeline("not for you")) }
                }
                _ = try await server.ask("PUBLISH", source.names.channel, "garbage")
                try await withSource(server.url(database: 2)) { try await $0.publish(.pipeline("for you")) }

                #expect(try await ear.events(atLeast: 2) == [.began, .received(.pipeline("for you"))])
                await ear.stop()
            }
        }
    }

    @Test func `after the server was away, listening begins anew and says so`() async throws {
        try await RedisServer.run { server async throws in
            try await withSource(server.url()) { source async throws in
                let ear = Ear(source)
                _ = try await ear.events(atLeast: 1)

                server.kill()
                try await server.start()

                #expect(try await ear.events(atLeast: 2) == [.began, .began])
                try await withSource(server.url()) { try await $0.publish(.pipeline("friends")) }
                #expect(try await ear.events(atLeast: 3).last == .received(.pipeline("friends")))
                await ear.stop()
            }
        }
    }

    @Test func `a connection on which nothing answers any more is given up`() async throws {
        let confirmation = "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n"
        try await FakeServer.run(.text("+PONG\r\n"), .more, .text(confirmation)) { server async throws in
            let time = ManualClock()
            try await withSource(server.url, clock: time.clock, { $0.timeout = .seconds(60) }) { source async throws in
                let ear = Ear(source)
                _ = try await ear.events(atLeast: 1)
                #expect(server.connections == 1)

                // Signs of life are asked for, and none comes; the connection stands all the time.
                let events = try await eventually {
                    time.advance(by: .seconds(1))
                    return ear.events.count > 1 ? ear.events : nil
                }

                #expect(events.prefix(2) == [.began, .began])
                #expect(server.connections > 1)
                await ear.stop()
            }
        }
    }

    @Test func `listening before there is a server begins when there is one`() async throws {
        try await RedisServer.run { server async throws in
            server.kill()
            try await withSource(server.url()) { source async throws in
                let ear = Ear(source)
                _ = await source.failure()
                #expect(ear.events == [])

                try await server.start()

                #expect(try await ear.events(atLeast: 1) == [.began])
                await ear.stop()
            }
        }
    }

    @Test func `closing the source ends the listening, and none begins after it`() async throws {
        try await RedisServer.run { server async throws in
            let source = try makeSource(server.url())
            let ear = Ear(source)
            _ = try await ear.events(atLeast: 1)

            await source.close()

            await ear.ended()
            await source.subscribe { _ in Issue.record("a closed source heard something") }
        }
    }
}
