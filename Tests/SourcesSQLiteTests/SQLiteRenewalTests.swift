import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import SourcesSQLite

/// A renewal changes the times in a row, and leaves the pages that hold its payload.
@Suite struct SQLiteRenewalTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    private func entry(_ payload: [UInt8]) -> Entry {
        let now = subject.time.now
        return Entry(payload, created: now, stored: now, freshUntil: now + .seconds(60), etag: "\"a\"")
    }

    @Test func `a renewal of a large payload writes little`() async throws {
        let payload = Array(repeating: UInt8(7), count: 4 << 20)
        let first = subject.cache()
        try await first.write(entry(payload), for: subject.key)
        await first.close()
        let cache = subject.cache()
        let held = try #require(try await cache.read(subject.key))
        subject.time.advance(by: .seconds(30))

        #expect(try await cache.renew(held, as: entry(payload), for: subject.key))

        let log = try FileManager.default.attributesOfItem(atPath: subject.folder.path + "/cache.db-wal")[.size] as? Int
        #expect(try #require(log) < 256 << 10)
        #expect(try await subject.cache().read(subject.key) == entry(payload))
    }

    @Test(arguments: [[], [1]] as [[UInt8]]) func `a row that another process wrote since is left alone`(payload: [UInt8]) async throws {
        let (here, there) = (subject.cache(), subject.cache())
        try await here.write(entry(payload), for: subject.key)
        let held = try #require(try await here.read(subject.key))
        // Of the same moment: only the payload tells them apart.
        try await there.write(entry(payload + [2]), for: subject.key)
        subject.time.advance(by: .seconds(30))

        #expect(try await here.renew(held, as: entry(payload), for: subject.key) == false)

        #expect(try await here.read(subject.key)?.payload == payload + [2])
        #expect(try await here.read(subject.key)?.created == held.created)
    }

    @Test func `without a database there is nothing to renew, and none is made`() async throws {
        #expect(try await subject.cache().renew(entry([1]), as: entry([1]), for: subject.key) == false)

        #expect(try subject.folder.contents() == [])
    }
}
