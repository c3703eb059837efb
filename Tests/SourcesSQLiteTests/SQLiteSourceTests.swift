import Foundation
import GRDB
import Pipeline
import PipelineTesting

import Testing

@testable import SourcesSQLite

@Suite struct SQLiteSourceTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    @Test func `making a source, reading, removing, clearing and checking without a database makes nothing`() async throws {
        let cache = subject.cache("deep/er/cache.db")

        #expect(try await cache.read(subject.key) == nil)
        try await cache.remove(subject.key)
        try await cache.clear(pipeline: "friends")
        #expect(try await cache.check() == .reachable)
        try await cache.connect()
        await cache.close()

        #expect(try subject.folder.contents() == [])
    }

    @Test func `only the owner can read what a new database holds`() async throws {
        let cache = subject.cache("deep/er/cache.db")

        try await cache.write(subject.entry("value"), for: subject.key)

        func mode(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: subject.folder.path + "/" + name)
            return try #require(attributes[.posixPermissions] as? Int)
        }
        #expect(try mode("deep") == 0o700 && mode("deep/er") == 0o700 && mode("deep/er/cache.db") == 0o600)
        #expect(try mode("deep/er/cache.db-wal") == 0o600)
        await cache.close()
    }

    @Test func `the first write makes the folders and the database`() async throws {
        let cache = subject.cache("deep/er/cache.db")

        try await cache.write(subject.entry("value"), for: subject.key)
        await cache.close()

        #expect(try subject.folder.contents() == ["deep/", "deep/er/", "deep/er/cache.db"])
    }

    @Test(arguments: [false, true]) func `a restart keeps an entry and all that is known of it`(isNotFound: Bool) async throws {
        var entry = Entry(
            [], created: Timestamp(nanoseconds: .min), stored: Timestamp(nanoseconds: -1), freshUntil: .distantFuture, etag: "W/\"\0é\"",
            lastModified: "", contentType: "text/x; a=\"'\"", version: "\0", source: "api")
        if isNotFound { entry.payload = nil }
        let first = subject.cache()
        try await first.write(entry, for: subject.key)
        await first.close()

        let second = subject.cache()
        #expect(try await second.read(subject.key) == entry)
    }

    @Test func `two sources on one file see each other's writes`() async throws {
        let (one, two) = (subject.cache(), subject.cache())
        try await one.write(subject.entry("one"), for: subject.key)
        #expect(try await two.read(subject.key)?.text == "one")

        try await two.write(subject.entry("two"), for: subject.key)
        #expect(try await one.read(subject.key)?.text == "two")

        try await one.remove(subject.key)
        #expect(try await two.read(subject.key) == nil)
    }

    @Test func `sources that make one database at the same time all succeed`() async throws {
        let subject = subject
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask { try await subject.cache().write(subject.entry("\(number)"), for: subject.key(number)) }
            }
            try await group.waitForAll()
        }

        #expect(try subject.keys() == (0..<8).map(String.init))
    }

    @Test func `after close every operation fails, and the file is whole`() async throws {
        let cache = subject.cache()
        try await cache.write(subject.entry("value"), for: subject.key)
        await cache.close()

        #expect(try await subject.reason { _ = try await cache.read(subject.key) } == "the source is closed")
        #expect(try await subject.reason { try await cache.write(subject.entry("x"), for: subject.key) } == "the source is closed")
        #expect(try await subject.reason { _ = try await cache.check() } == "the source is closed")
        #expect(try subject.folder.contents() == ["cache.db"])
        #expect(try await subject.cache().read(subject.key)?.text == "value")
    }

    @Test func `a database that was removed meanwhile is a miss and made anew`() async throws {
        let cache = subject.cache()
        try await cache.write(subject.entry("old"), for: subject.key)
        for name in try subject.folder.contents() { try FileManager.default.removeItem(atPath: subject.folder.path + "/" + name) }

        #expect(try await cache.read(subject.key) == nil)
        try await cache.write(subject.entry("new"), for: subject.key)
        #expect(try await subject.cache().read(subject.key)?.text == "new")
    }

    @Test(arguments: [(false, 1), (true, 2)]) func `a durable database waits for the disk`(isDurable: Bool, expected: Int) async throws {
        let cache = subject.cache(isDurable: isDurable)
        try await cache.write(subject.entry("value"), for: subject.key)

        #expect(try await cache.synchronousMode() == expected)
    }

    @Test func `a check writes nothing beside a database`() async throws {
        let cache = subject.cache()
        try await cache.write(subject.entry("value"), for: subject.key)
        await cache.close()

        #expect(try await subject.cache().check() == .reachable)
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test(arguments: [":memory:", "file:x?mode=memory", "it's; DROP TABLE entries", "ü%20?#"])
    func `a name that SQLite would take for something else is a file`(name: String) async throws {
        try await subject.cache(name).write(subject.entry("value"), for: subject.key)

        #expect(try await subject.cache(name).read(subject.key)?.text == "value")
        #expect(try subject.folder.contents().contains(name))
    }

    @Test func `an operation that is cancelled before it begins does nothing`() async throws {
        let (cache, subject) = (subject.cache(), subject)
        let write = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await cache.write(subject.entry("value"), for: subject.key)
        }

        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try subject.folder.contents() == [])
    }

    @Test(arguments: [Duration.seconds(-7_200), .seconds(7_200)])
    func `a process whose wall clock was wrong and is corrected shares copies with the others`(error: Duration) async throws {
        let late = ManualClock(wall: subject.time.now + error)
        let started = SQLiteSource(path: subject.folder.database("cache.db"), sharedFlight: SharedFlight(), clock: late.clock)
        let other = SQLiteSource(path: subject.folder.database("cache.db"), sharedFlight: SharedFlight(), clock: subject.time.clock)
        late.stepWall(by: .zero - error)
        let now = subject.time.now

        try await other.write(Entry([1], created: now, stored: now, freshUntil: now + .seconds(60)), for: subject.key(1))
        let read = try #require(try await started.read(subject.key(1)))
        #expect(read.isWithinLimit(at: late.now) && !read.isWithinLimit(at: late.now + .seconds(60)))
        #expect(read.created == late.now && read.freshUntil == late.now + .seconds(60))

        try await started.write(Entry([2], created: late.now, stored: late.now, freshUntil: late.now + .seconds(60)), for: subject.key(2))
        #expect(try await other.read(subject.key(2)) == Entry([2], created: now, stored: now, freshUntil: now + .seconds(60)))

        #expect(try await other.takeLease(of: subject.key, for: "other", lasting: .seconds(5)))
        #expect(try await !started.takeLease(of: subject.key, for: "started", lasting: .seconds(5)))
        late.advance(by: .seconds(5))
        #expect(try await started.takeLease(of: subject.key, for: "started", lasting: .seconds(5)))
    }
}
