import Pipeline
import PipelineTesting
import SourcesSQLite
import Synchronization
import TestSupport
import Testing

@Suite struct SQLiteBoundTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    @Test func `over max_entries the least recently used go, and a read is a use`() async throws {
        let evictions = Mutex(0)
        let cache = subject.cache(maxEntries: 3) { _ in evictions.withLock { $0 += 1 } }
        for number in 0..<3 { try await cache.write(subject.entry("value"), for: subject.key(number)) }
        _ = try await cache.read(subject.key(0))

        try await cache.write(subject.entry("value"), for: subject.key(3))

        #expect(try subject.keys() == ["0", "2", "3"])
        #expect(evictions.withLock { $0 } == 1)
    }

    @Test func `over max_bytes as many go as are needed`() async throws {
        let cache = subject.cache(maxBytes: Size(bytes: 25))
        for number in 0..<3 { try await cache.write(subject.entry("12345678"), for: subject.key(number)) }
        #expect(try subject.keys() == ["0", "1", "2"])

        try await cache.write(subject.entry("1234567890123456"), for: subject.key(3))

        #expect(try subject.keys() == ["2", "3"])
    }

    @Test func `a payload that is larger alone is not kept, nor is the copy it replaces`() async throws {
        let cache = subject.cache(maxBytes: Size(bytes: 10))
        try await cache.write(subject.entry("small"), for: subject.key)
        try await cache.write(subject.entry("other"), for: subject.key(1))

        await #expect {
            try await cache.write(subject.entry("much too large"), for: subject.key)
        } throws: {
            isNotKept($0, because: "larger than max_bytes (10)")
        }

        #expect(try subject.keys() == ["1"])
    }

    @Test func `a cache of no entries keeps none`() async throws {
        let cache = subject.cache(maxEntries: 0)

        await #expect { try await cache.write(subject.entry("value"), for: subject.key) } throws: {
            isNotKept($0, because: "max_entries is 0")
        }

        #expect(try await cache.read(subject.key) == nil)
    }

    @Test func `what is replaced, removed and cleared no longer counts`() async throws {
        let cache = subject.cache(maxBytes: Size(bytes: 30))
        for _ in 0..<10 { try await cache.write(subject.entry("1234567890"), for: subject.key(0)) }
        try await cache.write(subject.entry("1234567890"), for: subject.key(1))
        try await cache.write(subject.entry("1234567890"), for: subject.key(2))
        #expect(try subject.keys() == ["0", "1", "2"])

        try await cache.remove(subject.key(0))
        try await cache.write(.notFound(created: subject.time.now), for: subject.key(1))
        for number in [3, 4] { try await cache.write(subject.entry("1234567890"), for: subject.key(number)) }
        #expect(try subject.keys() == ["1", "2", "3", "4"])

        try await cache.clear(pipeline: "friends")
        for number in 5..<8 { try await cache.write(subject.entry("1234567890"), for: subject.key(number)) }
        #expect(try subject.keys() == ["5", "6", "7"])
    }

    @Test func `when a value was last used outlives a restart`() async throws {
        let first = subject.cache(maxEntries: 2)
        for number in 0..<2 { try await first.write(subject.entry("value"), for: subject.key(number)) }
        _ = try await first.read(subject.key(0))
        await first.close()

        let second = subject.cache(maxEntries: 2)
        subject.time.advance(by: .seconds(1))
        try await second.write(subject.entry("value"), for: subject.key(2))

        #expect(try subject.keys() == ["0", "2"])
    }

    @Test func `two sources on one file keep within one bound`() async throws {
        let (one, two) = (subject.cache(maxEntries: 4), subject.cache(maxEntries: 4))
        for number in 0..<5 {
            subject.time.advance(by: .seconds(1))
            try await one.write(subject.entry("one"), for: subject.key(number))
            try await two.write(subject.entry("two"), for: subject.key(number + 5))
        }

        #expect(try subject.keys() == ["3", "4", "8", "9"])
    }

    @Test func `a large cache makes some room at once`() async throws {
        let cache = subject.cache(maxEntries: 64)
        for number in 10..<75 { try await cache.write(subject.entry("value"), for: subject.key(number)) }

        #expect(try subject.keys().count == 62)
    }
}
