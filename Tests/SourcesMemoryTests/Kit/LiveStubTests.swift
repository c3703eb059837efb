import Pipeline
import PipelineLive
import PipelineTesting
import Synchronization
import Testing

@Suite struct LiveStubTests {
    let stub = LiveStub()
    let key = Key(pipeline: "friends", parameters: ["user": "42"])

    /// What a listener was told, as words.
    private final class Heard: Sendable {
        private let list = Mutex<[String]>([])

        var words: [String] { list.withLock { $0 } }

        func listener(position: String? = nil) -> LiveListener {
            LiveListener(position: position) { event in
                let word =
                    switch event {
                    case .began: "began"
                    case .message(let message): "message \(message.payload.map { String(decoding: $0, as: UTF8.self) } ?? "-")"
                    case .position(let position): "position \(position)"
                    case .alive: "alive"
                    case .skipped(let reason): "skipped \(reason)"
                    case .base(let base): "base \(base)"
                    }
                self.list.withLock { $0.append(word) }
            }
        }
    }

    @Test func `a connection reports what the test says, and ends as it says`() async throws {
        let heard = Heard()
        let ending = Task { [stub, key] in try await stub.listen(for: key, to: heard.listener(position: "9")) }
        let connection = try await stub.connection(1)
        #expect(connection.key == key && connection.position == "9" && connection.isOpen)

        connection.begin()
        connection.send("{}")
        connection.signal()
        connection.mark("10")
        connection.showAlive()
        connection.skip("binary")
        connection.setBase(.seconds(3))
        connection.end(LiveEnding(.lost, "gone"))

        let end = try await ending.value
        #expect(end.kind == .lost && end.reason == "gone")
        #expect(
            heard.words == [
                "began", "message {}", "message -", "position 10", "alive", "skipped binary", "base 3.0 seconds",
            ])
        #expect(!connection.isOpen && !connection.isCancelled && stub.openCount == 0)
    }

    @Test func `an ended connection reports nothing more`() async throws {
        let heard = Heard()
        let ending = Task { [stub, key] in try await stub.listen(for: key, to: heard.listener()) }
        let connection = try await stub.connection(1)

        connection.fail(SourceError("no"))
        connection.send("late")

        await #expect(throws: SourceError.self) { try await ending.value }
        #expect(heard.words.isEmpty)
    }

    @Test func `a cancelled connection is left at once`() async throws {
        let ending = Task { [stub, key] in try await stub.listen(for: key, to: Heard().listener()) }
        let connection = try await stub.connection(1)

        ending.cancel()

        try await connection.waitForEnd()
        await #expect(throws: CancellationError.self) { try await ending.value }
        #expect(connection.isCancelled && stub.openCount == 0)
    }

    @Test func `connections are counted in the order in which they are asked for`() async throws {
        let second = Task { [stub] in try await stub.connection(2) }
        let endings = [1, 2].map { _ in Task { [stub, key] in try await stub.listen(for: key, to: Heard().listener()) } }

        let connection = try await second.value

        #expect(stub.connections.count == 2 && stub.connections[1] === connection)
        for connection in stub.connections { connection.end(LiveEnding(.ended, "")) }
        for ending in endings { #expect(try await ending.value.kind == .ended) }
    }

    @Test func `each key has a channel of its own, unless told otherwise`() throws {
        let other = Key(pipeline: "friends", parameters: ["user": "7"])
        #expect(try stub.channel(for: key) != stub.channel(for: other))
        let shared = LiveStub { _ in "all" }
        #expect(try shared.channel(for: key) == shared.channel(for: other))
    }
}
