import Pipeline
import PipelineTesting
import Testing

/// The cases of writing back, with a database in the middle.
@Suite(.timeLimit(.minutes(1))) struct SQLiteWriteBackTests {
    @Test func `WB-01 a hit in the database is written to memory once, and not to the database again`() async throws {
        let scene = try DatabaseScene()
        try await scene.hold("[1]")
        let stored = try scene.diskStored()
        scene.time.advance(by: .seconds(1))

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written")
        #expect(try await scene.memoryText() == "[1]")
        #expect(try scene.diskText() == "[1]")
        #expect(try stored != nil && scene.diskStored() == stored)
    }

    @Test func `WB-02 an origin's answer goes to every cache`() async throws {
        let scene = try DatabaseScene()

        let outcome = try await scene.fetch()

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(try await scene.memoryText() == "[\"v1\"]")
        #expect(try scene.diskText() == "[\"v1\"]")
    }

    @Test func `WB-03 a database that cannot be written never fails the read`() async throws {
        let scene = try DatabaseScene(fields: "busy_timeout: 5ms")
        try await scene.hold("[\"old\"]")
        let lock = try LockedDatabase(in: scene.folder)

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "memory: written, disk: failed")
        #expect(outcome.writes[1].reason?.hasSuffix("another process has held it for 5ms") == true)
        try lock.release()
        #expect(try scene.diskText() == "[\"old\"]")
    }

    @Test func `WB-04 a first cache that cannot be written never fails the read`() async throws {
        let scene = try DatabaseScene("tiers: [disk, network]", fields: "busy_timeout: 5ms")
        try await scene.hold("[\"old\"]")
        let lock = try LockedDatabase(in: scene.folder)

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.text == "[\"v1\"]")
        #expect(outcome.writeTrace == "disk: failed")
        try lock.release()
    }

    @Test func `WB-05 the fetch returns before a held database is written, and it shows the old value until then`() async throws {
        let scene = try DatabaseScene(
            "tiers: [{ source: memory, read: false }, { source: disk, ttl: 10s }, network]", fields: "busy_timeout: 1h")
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")
        let lock = try LockedDatabase(in: scene.folder)

        let outcome = try await scene.friends.fetch(scene.key, policy: .refresh)
        #expect(outcome.text == "[\"v2\"]")
        #expect(outcome.writeTrace == "memory: written, disk: scheduled")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"v1\"]")

        try lock.release()
        try await outcome.settleWrites()
        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(try await scene.friends.fetch(scene.key).text == "[\"v2\"]")
    }

    @Test func `WB-08 a value that the database holds, fresh, is not written again`() async throws {
        let scene = try DatabaseScene("tiers: [network, { source: disk, ttl: 10s }]")
        try await scene.fetch()

        let second = try await scene.fetch()
        scene.time.advance(by: .seconds(10))
        let third = try await scene.fetch()

        #expect(second.writeTrace == "disk: unchanged")
        #expect(third.writeTrace == "disk: written")
    }

    @Test func `WB-09 no-store leaves the caches as they are`() async throws {
        let scene = try DatabaseScene()
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.noStore)

        #expect(outcome.text == "[\"v2\"]" && outcome.writes.isEmpty)
        #expect(try scene.diskText() == "[\"v1\"]")
    }

    @Test func `WB-10 write_back none gives the value and makes no database`() async throws {
        let scene = try DatabaseScene("write_back: none\ntiers: [memory, disk, network]")

        let outcome = try await scene.fetch()

        #expect(outcome.text == "[\"v1\"]" && outcome.writes.isEmpty)
        #expect(try scene.folder.contents() == [])
    }

    @Test func `WB-11 a refresh writes every cache that holds older data`() async throws {
        let scene = try DatabaseScene()
        try await scene.fetch()
        scene.network.answers("[\"v2\"]")

        let outcome = try await scene.fetch(.refresh)

        #expect(outcome.writeTrace == "memory: written, disk: written")
        #expect(try await scene.memoryText() == "[\"v2\"]")
        #expect(try scene.diskText() == "[\"v2\"]")
    }
}
