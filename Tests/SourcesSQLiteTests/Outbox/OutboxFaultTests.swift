import Foundation
import GRDB
import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// Files that an outbox cannot use: each is refused with words, and stays as it is.
@Suite struct OutboxFaultTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    /// Expects that every use is refused with `reason`, and that nothing is changed.
    private func expectRefused(_ kind: SourceError.Kind, _ reason: String) async throws {
        let before = try subject.folder.bytes(of: "outbox.db")
        let outbox = subject.outbox()
        let opening = try #require(try await subject.failure { _ = try await outbox.open() })
        #expect(opening.kind == kind && subject.folder.short(opening.reason) == reason && opening.help != nil)
        #expect(try await subject.reason { try await subject.takeIn(["a"], into: outbox) } == reason)
        #expect(try await subject.reason { try await outbox.write([subject.send("a").with(.sent)]) } == reason)
        #expect(try await subject.reason { _ = try await outbox.news(since: 0) } == reason)
        await outbox.close()

        #expect(try await subject.reason { try await subject.takeIn(["a"], into: subject.outbox()) } == reason)
        #expect(try await subject.reason { _ = try await subject.outbox().check() } == reason)
        #expect(try subject.folder.bytes(of: "outbox.db") == before)
    }

    /// An outbox of many pages, closed again; its bytes.
    private func filled() async throws -> [UInt8] {
        let outbox = subject.outbox()
        let rows = (0..<50).map { subject.send("\($0)", payload: String(repeating: "x", count: 3_000)) }
        _ = try await outbox.takeIn(rows, lanes: rows.map { [$0.id] })
        await outbox.close()
        return try subject.folder.bytes(of: "outbox.db")
    }

    @Test(arguments: [100, 4_096]) func `SD-24 a damaged outbox is refused, and neither set aside nor made anew`(offset: Int) async throws {
        var bytes = try await filled()
        bytes.replaceSubrange(offset..., with: [UInt8](repeating: 0xA5, count: bytes.count - offset))
        try subject.folder.put(bytes, into: "outbox.db")

        try await expectRefused(.invalid, "…/outbox.db is damaged (database disk image is malformed); it stays as it is")

        #expect(try subject.folder.contents() == ["outbox.db"])
    }

    @Test func `SD-24 an outbox that was found damaged takes nothing in any more, also where it is sound`() async throws {
        var bytes = try await filled()
        let damaged = (bytes.count - 2 * 4_096)..<bytes.count
        bytes.replaceSubrange(damaged, with: [UInt8](repeating: 0xA5, count: damaged.count))
        try subject.folder.put(bytes, into: "outbox.db")
        let outbox = subject.outbox()
        let reason = "…/outbox.db is damaged (database disk image is malformed); it stays as it is"

        #expect(try await subject.reason { _ = try await outbox.open() } == reason)
        #expect(try await subject.reason { try await subject.takeIn(["a"], into: outbox) } == reason)
        #expect(try await subject.reason { _ = try await outbox.check() } == reason)
        await outbox.close()

        #expect(try subject.folder.bytes(of: "outbox.db") == bytes)
    }

    @Test(arguments: [Array("notes".utf8), [UInt8](repeating: 7, count: 5_000)])
    func `a file that is no database is refused`(bytes: [UInt8]) async throws {
        try subject.folder.put(bytes, into: "outbox.db")

        try await expectRefused(.refused, "cannot use …/outbox.db: it is not an SQLite database; it stays as it is")

        #expect(try subject.folder.contents() == ["outbox.db"])
    }

    @Test(arguments: [
        "CREATE TABLE friends (name TEXT)", "PRAGMA application_id = 7", "PRAGMA user_version = 1",
        "CREATE TABLE sends (number INTEGER PRIMARY KEY); PRAGMA user_version = 1",
    ])
    func `a database of something else is refused`(sql: String) async throws {
        try subject.run(sql)

        try await expectRefused(.refused, "cannot use …/outbox.db: it is a database of something else")

        #expect(try subject.folder.contents() == ["outbox.db"])
    }

    @Test func `a database of something else with a log of its own is refused, and the log stays as it is`() async throws {
        let other = try DatabasePool(path: subject.folder.path + "/outbox.db")
        try await other.write { try $0.execute(sql: "CREATE TABLE friends (name TEXT)") }
        let log = try subject.folder.bytes(of: "outbox.db-wal")

        try await expectRefused(.refused, "cannot use …/outbox.db: it is a database of something else")

        #expect(try subject.folder.bytes(of: "outbox.db-wal") == log)
        try other.close()
    }

    @Test func `the database of a cache is refused, and a cache refuses that of an outbox`() async throws {
        let cache = SQLiteSource(path: subject.folder.database("outbox.db"), clock: subject.time.clock)
        let key = Key(pipeline: "friends")
        let entry = Entry([1], created: subject.time.now, stored: subject.time.now)
        try await cache.write(entry, for: key)
        await cache.close()
        try await subject.takeIn(["a"], into: subject.outbox("other.db"))

        try await expectRefused(.refused, "cannot use …/outbox.db: it is the database of a cache")

        let other = SQLiteSource(path: subject.folder.database("other.db"), clock: subject.time.clock)
        let reason = try await subject.reason { try await other.write(entry, for: key) }
        #expect(reason == "cannot use …/other.db: it is a database of something else")
    }

    @Test func `SD-24 an outbox of a newer version is refused`() async throws {
        _ = try await filled()
        try subject.run("PRAGMA user_version = 2")

        try await expectRefused(.refused, "cannot use …/outbox.db: a newer version of pipe-run made it")

        #expect(try subject.folder.contents() == ["outbox.db"])
    }

    @Test(arguments: ["salt = x'00'", "salt = 'secret'"])
    func `an outbox that another program changed says so`(change: String) async throws {
        _ = try await filled()
        try subject.run("UPDATE outbox SET \(change)")

        let error = try #require(try await subject.failure { _ = try await subject.outbox().open() })

        #expect(error.kind == .invalid)
        #expect(subject.folder.short(error.reason) == "…/outbox.db is not as an outbox wrote it: the number for its hashes is wrong")
    }

    @Test func `an empty file is a new outbox`() async throws {
        try subject.folder.put([], into: "outbox.db")

        #expect(try await subject.outbox().check() == .reachable)
        #expect(try await subject.takeIn(["a"], into: subject.outbox()).map(\.number) == [1])
    }

    @Test func `SD-02 a database that another process holds is waited for, and then none is taken in`() async throws {
        let outbox = subject.outbox(busyTimeout: .milliseconds(20))
        try await subject.takeIn(["a"], into: outbox)
        let held = try LockedDatabase("outbox.db", in: subject.folder)

        let error = try #require(try await subject.failure { try await subject.takeIn(["b"], into: outbox) })
        #expect(error.kind == .timeout)
        #expect(subject.folder.short(error.reason) == "cannot write …/outbox.db: another process has held it for 20ms")
        #expect(try await subject.outbox().open().rows.words == ["1 waiting"], "reading waits for no writer")
        try held.release()

        #expect(try await subject.takeIn(["b"], into: outbox).map(\.number) == [2])
    }

    @Test func `a place that cannot hold a database says why`() async throws {
        try subject.folder.put([], into: "file")

        #expect(
            try await subject.reason { _ = try await subject.outbox("file/outbox.db").open() }
                == "cannot use …/file/outbox.db: not a directory")
        #expect(try await subject.reason { _ = try await subject.outbox("file/x.db").check() } == "cannot use …/file: it is not a folder")
        #expect(try await subject.reason { _ = try await subject.outbox("").open() }?.hasSuffix("it is a folder") == true)
    }

    @Test func `a link that leads nowhere is no folder, and none is made in its place`() async throws {
        let link = subject.folder.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: subject.folder.path + "/gone/deep")

        for name in ["link/outbox.db", "link/deeper/outbox.db"] {
            let reason = "cannot make …/link: a link of this name leads nowhere"
            #expect(try await subject.reason { _ = try await subject.outbox(name).check() } == reason)
            #expect(try await subject.reason { _ = try await subject.outbox(name).open() } == reason)
        }
        #expect(try subject.folder.contents() == ["link"])
    }

    #if os(Linux)
    @Test(arguments: ["/proc", "/sys"])
    func `a place where nothing can be made is not called reachable, whoever may write there`(folder: String) async throws {
        let outbox = OutboxFile(path: DatabasePath(folder + "/nope/outbox.db"), clock: subject.time.clock)

        let reason = try await subject.reason { _ = try await outbox.check() }

        // Root may write there, as far as the system says.
        let ofRoot = "cannot make \(folder)/nope/outbox.db: the system alone makes files there"
        #expect(reason == ofRoot || reason?.hasPrefix("cannot write into \(folder): ") == true, "\(reason ?? "reachable")")
        #expect(try await subject.failure { _ = try await outbox.open() } != nil)
    }
    #endif

    @Test(.enabled(if: SmallDisk.isAvailable, "needs the right to mount"))
    func `SD-02 a full disk takes nothing in, and what was there is still sent`() async throws {
        let disk = try SmallDisk(size: "512k")
        let subject = try OutboxSubject(folder: TemporaryFolder(on: disk))
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)

        let reason = try await subject.reason {
            _ = try await outbox.takeIn([subject.send("b", payload: String(repeating: "x", count: 1 << 20))], lanes: [[]])
        }

        #expect(reason == "cannot write …/outbox.db: the disk is full")
        #expect(try await outbox.open().rows.words == ["1 waiting"])
        await outbox.close()
    }
}
