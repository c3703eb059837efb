import Foundation
import GRDB
import Pipeline
import PipelineConfig
import PipelineTesting
import PipelineYAML
import SourcesSQLite
import TestSupport
import Testing

/// Databases that cannot be used: each says so, and none is lost.
@Suite struct SQLiteFaultTests {
    let subject: Subject

    init() throws { subject = try Subject() }

    private static let aside = "cache.db.corrupt-1767225600"

    @Test(arguments: [
        Array(#"{"friends": ["Ada", "Grace", "Barbara"]}"#.utf8), Array("notes".utf8), [UInt8](repeating: 0, count: 4_096),
        Array("not a database, but other notes".utf8) + [UInt8](repeating: 7, count: 5_000),
    ])
    func `a file that is no database is refused with words, and stays as it is`(bytes: [UInt8]) async throws {
        try subject.folder.put(bytes)
        let cache = subject.cache()
        let expected = "cannot use …/cache.db: it is not an SQLite database"

        for _ in 0..<2 {
            let error = try #require(try await subject.failure { _ = try await cache.read(subject.key) })
            #expect(error.kind == .refused)
            #expect(subject.folder.short(error.reason) == expected)
            #expect(error.help == "name another file as `path`")
            #expect(try await subject.reason { try await cache.write(subject.entry("value"), for: subject.key) } == expected)
            #expect(try await subject.reason { _ = try await cache.check() } == expected)
        }

        #expect(try subject.folder.bytes(of: "cache.db") == bytes)
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test func `a damaged database of something else is refused, and stays as it is`() async throws {
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        try await other.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE friends (name TEXT)") }
        try other.close()
        var bytes = try subject.folder.bytes(of: "cache.db")
        bytes.replaceSubrange(100..., with: [UInt8](repeating: 0xA5, count: bytes.count - 100))
        try subject.folder.put(bytes)

        let reason = try await subject.reason { _ = try await subject.cache().read(subject.key) }

        #expect(reason == "cannot use …/cache.db: it is a damaged database of something else")
        #expect(try subject.folder.bytes(of: "cache.db") == bytes)
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test func `a damaged cache is set aside, a second one does not replace the first, and the next write makes a new one`() async throws {
        var damaged: [[UInt8]] = []
        for byte in [UInt8(1), 2] {
            let cache = subject.cache()
            try await cache.write(subject.entry("value"), for: subject.key)
            await cache.close()
            var bytes = try subject.folder.bytes(of: "cache.db")
            bytes.replaceSubrange(100..., with: [UInt8](repeating: byte, count: bytes.count - 100))
            try subject.folder.put(bytes)
            damaged.append(bytes)
            let error = try #require(try await subject.failure { _ = try await subject.cache().read(subject.key) })
            #expect(error.kind == .invalid)
            #expect(subject.folder.short(error.reason).hasPrefix("…/cache.db is damaged ("), "\(error.reason)")
            let next = subject.cache()
            #expect(try await next.read(subject.key) == nil)
            try await next.write(subject.entry("new"), for: subject.key)
            #expect(try await next.read(subject.key)?.text == "new")
            await next.close()
        }

        #expect(try subject.folder.bytes(of: Self.aside) == damaged[0])
        #expect(try subject.folder.bytes(of: "cache.db.corrupt-1767225601") == damaged[1])
    }

    @Test func `damage behind a sound header is found by one source and survived by two`() async throws {
        let (one, two) = (subject.cache(), subject.cache())
        for number in 0..<50 {
            try await one.write(subject.entry(String(repeating: "x", count: 4_000)), for: subject.key(number))
        }
        #expect(try await two.read(subject.key(1)) != nil)
        await one.close()
        await two.close()
        let size = try subject.folder.bytes(of: "cache.db").count
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: subject.folder.path + "/cache.db"))
        try handle.seek(toOffset: 4_096)
        try handle.write(contentsOf: Data(repeating: 0xA5, count: size - 4_096))
        try handle.close()

        let (three, four) = (subject.cache(), subject.cache())
        #expect(try await subject.failure { _ = try await three.read(subject.key(1)) }?.kind == .invalid)
        #expect(try await four.read(subject.key(1)) == nil)
        try await four.write(subject.entry("new"), for: subject.key)
        #expect(try await three.read(subject.key)?.text == "new")
        #expect(try subject.folder.contents().contains(Self.aside))
    }

    @Test func `a lock that another connection holds is waited for, and then a timeout`() async throws {
        let cache = subject.cache(busyTimeout: .milliseconds(20))
        try await cache.write(subject.entry("value"), for: subject.key)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db", configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }

        let error = try #require(try await subject.failure { try await cache.write(subject.entry("new"), for: subject.key) })
        #expect(error.kind == .timeout)
        #expect(subject.folder.short(error.reason) == "cannot write …/cache.db: another process has held it for 20ms")
        #expect(try await cache.read(subject.key)?.text == "value", "readers go on beside a writer")

        try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try await cache.write(subject.entry("new"), for: subject.key)
        #expect(try await cache.read(subject.key)?.text == "new")
    }

    @Test func `a database of a newer version is left alone`() async throws {
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        try await other.writeWithoutTransaction { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 future')") }
        try other.close()

        let cache = subject.cache()
        let expected = "cannot use …/cache.db: a newer version of pipe-run made it"
        #expect(try await subject.reason { _ = try await subject.cache().check() } == expected)
        #expect(try subject.folder.contents() == ["cache.db"])
        #expect(try await subject.reason { _ = try await cache.read(subject.key) } == expected)
        #expect(try await subject.failure { _ = try await subject.cache().check() }?.kind == .refused)
        #expect(try await subject.failure { try await cache.write(subject.entry("x"), for: subject.key) } != nil)
        #expect(try subject.keys() == ["42"])
    }

    @Test func `a database of something else is left as it is, to the byte`() async throws {
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        try await other.writeWithoutTransaction { try $0.execute(sql: "CREATE TABLE friends (name TEXT)") }
        try other.close()
        let before = try subject.folder.bytes(of: "cache.db")

        let cache = subject.cache()
        let expected = "cannot use …/cache.db: it is a database of something else"
        #expect(try await subject.reason { _ = try await cache.check() } == expected)
        #expect(try await subject.failure { _ = try await cache.check() }?.kind == .refused)
        #expect(try await subject.reason { _ = try await cache.read(subject.key) } == expected)
        #expect(try await subject.reason { try await cache.write(subject.entry("x"), for: subject.key) } == expected)
        #expect(try subject.folder.bytes(of: "cache.db") == before)
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test func `a place that cannot hold a database says why`() async throws {
        try subject.folder.put([], into: "file")
        try FileManager.default.createDirectory(atPath: subject.folder.path + "/folder", withIntermediateDirectories: true)
        let entry = subject.entry("value")

        #expect(
            try await subject.reason { try await subject.cache("file/cache.db").write(entry, for: subject.key) }
                == "cannot use …/file/cache.db: not a directory")
        #expect(
            try await subject.reason { try await subject.cache("folder").write(entry, for: subject.key) }
                == "cannot use …/folder: it is a folder")
        #expect(try await subject.reason { _ = try await subject.cache("folder").check() } == "cannot use …/folder: it is a folder")
        #expect(try await subject.reason { _ = try await subject.cache("file/x.db").check() } == "cannot use …/file: it is not a folder")
    }

    @Test(arguments: [4_096, 3 * 4_096, 12 * 4_096]) func `a check finds damage behind a sound header, and changes nothing`(
        offset: Int
    ) async throws {
        let first = subject.cache()
        for number in 0..<50 {
            try await first.write(subject.entry(String(repeating: "x", count: 4_000)), for: subject.key(number))
        }
        await first.close()
        _ = try await subject.cache().check()
        var bytes = try subject.folder.bytes(of: "cache.db")
        bytes.replaceSubrange(offset..<(offset + 4_096), with: [UInt8](repeating: 0xA5, count: 4_096))
        try subject.folder.put(bytes)

        let error = try await subject.failure { _ = try await subject.cache().check() }

        #expect(error?.kind == .invalid)
        #expect(error?.reason.contains("cache.db is damaged (database disk image is malformed)") == true, "\(error?.reason ?? "none")")
        #expect(try subject.folder.bytes(of: "cache.db") == bytes)
        #expect(try subject.folder.contents() == ["cache.db"])
    }

    @Test func `a check of a sound cache leaves nothing beside it, and goes by what a writer has in its log`() async throws {
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        let before = try subject.folder.bytes(of: "cache.db")

        _ = try await subject.cache().check()

        #expect(try subject.folder.contents() == ["cache.db"])
        #expect(try subject.folder.bytes(of: "cache.db") == before)
        let other = try DatabasePool(path: subject.folder.path + "/cache.db")
        try await other.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99 future')") }
        #expect(try await subject.failure { _ = try await subject.cache().check() }?.kind == .refused)
    }

    @Test(arguments: [
        (
            "INSERT INTO grdb_migrations VALUES ('99 future')",
            "a newer version of pipe-run made it; use that version, or name another file as `path`"
        ),
        ("PRAGMA application_id = 7", "it is a database of something else; name another file as `path`"),
    ]) func `P502 stands at the path of a database that is not this cache's to use`(change: String, words: String) async throws {
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        let other = try DatabaseQueue(path: subject.folder.path + "/cache.db")
        try await other.writeWithoutTransaction { try $0.execute(sql: change) }
        try other.close()
        let text = "sources: { db: { type: sqlite, path: cache.db } }\npipelines: { friends: { tiers: [db] } }"
        let report = ConfigFile(text: Array(text.utf8), name: "pipeline.yaml", folder: subject.folder.path).report(
            plugins: [.sqlite], environment: ConfigEnvironment([:]), level: .connect)

        let found = await report.checkSources().compactMap(\.diagnostic)

        #expect(
            found.map {
                "\($0.range.start.line):\($0.range.start.column) \($0.code.rawValue) \(subject.folder.short($0.message)); \($0.help ?? "")"
            }
                == ["1:38 P502 the source `db` refuses: cannot use …/cache.db: \(words)"])
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "needs the right to mount"))
    func `a full disk is an error of the write, and what was there is still read`() async throws {
        let disk = try SmallDisk(size: "256k")
        let subject = try Subject(folder: TemporaryFolder(on: disk))
        let cache = subject.cache()
        try await cache.write(subject.entry("value"), for: subject.key)

        let reason = try await subject.reason {
            try await cache.write(subject.entry(String(repeating: "x", count: 1 << 20)), for: subject.key(1))
        }
        #expect(reason == "cannot write …/cache.db: the disk is full")
        #expect(try await cache.read(subject.key)?.text == "value")
        #expect(try await cache.read(subject.key(1)) == nil)
        await cache.close()
    }

    @Test(.enabled(if: SmallDisk.isAvailable, "needs the right to mount"))
    func `a file system that is read-only is an error in words`() async throws {
        let disk = try SmallDisk(size: "256k")
        let subject = try Subject(folder: TemporaryFolder(on: disk))
        let first = subject.cache()
        try await first.write(subject.entry("value"), for: subject.key)
        await first.close()
        try disk.makeReadOnly()

        let cache = subject.cache()
        let reason = try await subject.reason { try await cache.write(subject.entry("new"), for: subject.key) }
        #expect(reason?.hasPrefix("cannot open …/cache.db: ") == true, "\(reason ?? "no error")")
        #expect(
            try await subject.reason { try await subject.cache("a/b.db").write(subject.entry("x"), for: subject.key) }
                == "cannot make …/a: read-only file system")
        #expect(try await subject.reason { _ = try await cache.check() } == "cannot write into …: read-only file system")
        #expect(try subject.folder.contents() == ["cache.db"])
    }
}
