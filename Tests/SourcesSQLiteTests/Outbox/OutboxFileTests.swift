import Foundation
import GRDB
import Pipeline
import PipelineConfig
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// The file of an outbox: when it is made, for whom, and how it is written.
@Suite struct OutboxFileTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    @Test func `making an outbox, checking it, and all that needs no send make nothing`() async throws {
        let outbox = subject.outbox("deep/er/outbox.db")
        let time = subject.time

        #expect(try await outbox.check() == .reachable)
        try await outbox.connect()
        #expect(try await outbox.read(Key(pipeline: "friends"), ReadContext()) == nil)
        #expect(try await outbox.row("a") == nil)
        #expect(try await outbox.rows([.waiting], most: 10) == [])
        let news = try await outbox.news(since: 7)
        #expect(news.rows == [] && news.mark == 7)
        #expect(try await !outbox.lease(outbox.holder, until: time.now + .seconds(5)))
        await outbox.release(outbox.holder)
        try await outbox.forgetOld(at: time.now)
        #expect(try await outbox.takeIn([], lanes: []) == [])
        #expect(
            try await subject.reason { try await outbox.write([subject.send("a")]) }
                == "cannot write …/deep/er/outbox.db: no such file or directory")
        await outbox.close()

        #expect(try subject.folder.contents() == [])
    }

    @Test(arguments: [false, true]) func `only its owner can read what a new outbox holds`(opens: Bool) async throws {
        let outbox = subject.outbox("deep/er/outbox.db")

        if opens { #expect(try await outbox.open().rows == []) } else { try await subject.takeIn(["a"], into: outbox) }

        func mode(_ name: String) throws -> Int {
            let attributes = try FileManager.default.attributesOfItem(atPath: subject.folder.path + "/" + name)
            return try #require(attributes[.posixPermissions] as? Int)
        }
        #expect(try mode("deep") == 0o700 && mode("deep/er") == 0o700 && mode("deep/er/outbox.db") == 0o600)
        #expect(try mode("deep/er/outbox.db-wal") == 0o600)
        await outbox.close()
        #expect(try subject.folder.contents() == ["deep/", "deep/er/", "deep/er/outbox.db"])
    }

    @Test(arguments: [(true, [2, 1, 1]), (false, [1, 0, 0])])
    func `a durable outbox waits for the disk`(isDurable: Bool, expected: [Int]) async throws {
        let outbox = subject.outbox(isDurable: isDurable)
        try await subject.takeIn(["a"], into: outbox)

        let found = try await outbox.database.read { db, _ in
            try ["synchronous", "fullfsync", "checkpoint_fullfsync"].map { try Int.fetchOne(db, sql: "PRAGMA \($0)") }
        }

        #expect(found == expected)
        #expect(try subject.texts("PRAGMA journal_mode") == ["wal"])
    }

    @Test func `a lease does not wait for the disk, and what follows it does`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        func mode() async throws -> Int? {
            try await outbox.database.read { db, _ in try Int.fetchOne(db, sql: "PRAGMA synchronous") } ?? nil
        }

        #expect(try await outbox.lease(outbox.holder, until: subject.time.now + .seconds(5)))
        #expect(try await mode() == 1)
        try await outbox.write([row.with(.sending)])
        #expect(try await mode() == 2)
        await outbox.release(outbox.holder)
        #expect(try await mode() == 1)
        try await subject.takeIn(["b"], into: outbox)
        #expect(try await mode() == 2)
    }

    @Test func `after close every operation fails, and the file is whole`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        await outbox.close()

        #expect(try await subject.reason { _ = try await outbox.open() } == "the source is closed")
        #expect(try await subject.reason { try await subject.takeIn(["b"], into: outbox) } == "the source is closed")
        #expect(try await subject.reason { try await outbox.write([row]) } == "the source is closed")
        #expect(try await subject.reason { _ = try await outbox.check() } == "the source is closed")
        #expect(try subject.folder.contents() == ["outbox.db"])
        #expect(try await subject.outbox().open().rows.words == ["1 waiting"])
    }

    @Test func `outboxes that make one database at the same time all succeed`() async throws {
        let subject = subject
        try await withThrowingTaskGroup { group in
            for number in 0..<8 {
                group.addTask { _ = try await subject.takeIn(["\(number)"], into: subject.outbox(sleep: BusyWait.sleep)) }
            }
            try await group.waitForAll()
        }

        #expect(try await subject.outbox().open().rows.map(\.number) == Array(1...8))
    }

    @Test func `where the file is gone, what is known of its rows is not written into another`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        for name in try subject.folder.contents() { try FileManager.default.removeItem(atPath: subject.folder.path + "/" + name) }
        try await subject.takeIn(["b"], into: subject.outbox())

        try await outbox.write([row.with(.dropped)])

        #expect(try await outbox.open().rows.map(\.id) == ["b"])
        #expect(try await outbox.news(since: 1_000).rows.map(\.id) == ["b"], "numbers of another file say nothing")
    }

    @Test func `a check of a sound outbox leaves nothing beside it`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)
        #expect(try await outbox.check() == .reachable)
        await outbox.close()
        let before = try subject.folder.bytes(of: "outbox.db")

        #expect(try await subject.outbox().check() == .reachable)

        #expect(try subject.folder.contents() == ["outbox.db"])
        #expect(try subject.folder.bytes(of: "outbox.db") == before)
    }

    @Test func `the plugin declares its fields`() {
        let plugin = SourcePlugin.outbox

        #expect(
            plugin.declarations.map(\.name) == ["path", "owner", "max_entries", "max_bytes", "max_size", "busy_timeout", "durable"])
        #expect(plugin.declarations.map(\.isRequired) == [true, false, false, false, false, false, false])
        #expect(plugin.declarations.map(\.defaultText) == [nil, "", "10000", "64MiB", "1MiB", "5s", "true"])
        #expect(plugin.declarations.map(\.role) == [.place, nil, nil, nil, nil, nil, nil])
        #expect(plugin.capabilities == [.keepsSends])
    }
}
