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
}
