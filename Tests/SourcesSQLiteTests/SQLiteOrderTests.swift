import GRDB
import Pipeline
import PipelineTesting
import Testing

/// The cases of the order of tiers, with a database in the middle.
@Suite(.timeLimit(.minutes(1))) struct SQLiteOrderTests {
    @Test func `TI-01 a copy in the database answers, and the network is not asked`() async throws {
        let scene = try DatabaseScene()
        try await scene.hold("[1]")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[1]" && outcome.source == "disk")
        #expect(outcome.trace == "memory: miss, disk: hit")
        #expect(scene.network.readCount == 0)
    }

    @Test func `TI-02 a hit in memory touches nothing below`() async throws {
        let scene = try DatabaseScene()
        try await scene.fetch()
        // Whoever touched it would fail.
        try scene.folder.put([1, 2, 3])

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: hit")
        #expect(scene.network.readCount == 1)
        #expect(try scene.folder.bytes(of: "cache.db") == [1, 2, 3])
    }

    /// A database that cannot be used, and stays so.
    private static func foreign() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let other = try DatabaseQueue(path: folder.path + "/cache.db")
        try other.inDatabase { try $0.execute(sql: "CREATE TABLE notes (text)") }
        try other.close()
        return folder
    }

    @Test func `TI-03 a database that cannot be used is passed over and named`() async throws {
        let scene = try DatabaseScene(folder: Self.foreign())

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.trace == "memory: miss, disk: error, network: hit")
        #expect(outcome.attempts[1].reason?.contains("it is a database of something else") == true)
    }

    @Test func `TI-04 on_error fail ends the fetch with the database's error, and asks nobody below`() async throws {
        let scene = try DatabaseScene("tiers: [memory, { source: disk, on_error: fail }, network]", folder: Self.foreign())

        let failure = try #require(try await scene.fetch().failure)

        #expect(failure.kind == .tierFailed)
        #expect((failure.attempts.last?.error as? SourceError)?.reason.contains("something else") == true)
        #expect(scene.network.readCount == 0)
    }

    @Test func `TI-05 when all fail, the error names every tier with what it did`() async throws {
        let scene = try DatabaseScene(folder: Self.foreign())
        scene.network.answers(.error(SourceError("status 503 from api.example")))

        let failure = try #require(try await scene.fetch().failure)

        #expect(failure.kind == .everyTierFailed)
        for part in ["memory: miss", "disk: error", "something else", "network: error", "status 503 from api.example"] {
            #expect("\(failure)".contains(part))
        }
    }

    @Test func `TI-07 bytes that are no JSON are invalid, passed over, and replaced`() async throws {
        let scene = try DatabaseScene()
        try await scene.hold("[1")

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: invalid, network: hit")
        #expect(try scene.diskText() == "[\"v1\"]")
    }

    @Test func `TI-07 a row that no cache wrote is invalid, passed over, and replaced`() async throws {
        let scene = try DatabaseScene()
        try await scene.hold("[1]")
        try await DatabaseQueue(path: scene.folder.path + "/cache.db").write { try $0.execute(sql: "UPDATE entries SET size = 7") }

        let outcome = try await scene.fetch()

        #expect(outcome.trace == "memory: miss, disk: invalid, network: hit")
        #expect(try scene.diskText() == "[\"v1\"]")
    }

    @Test(arguments: ["0", "\"\"", "[]", "null", "{}", "false"])
    func `NG-05 empty values are values, distinct from missing`(payload: String) async throws {
        let scene = try DatabaseScene("tiers: [disk, network]")
        scene.network.answers(.value(payload))

        let first = try await scene.fetch()
        let second = try await scene.fetch()

        #expect(first.text == payload && second.text == payload)
        #expect(second.source == "disk")
    }
}
