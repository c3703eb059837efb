import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// Rows that no outbox wrote: each is held for a person, and keeps nothing else up.
@Suite struct OutboxHostileTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    @Test(arguments: [
        "state = 'lost'", "state = x'00'", "state = ''", "arguments = 'user=42'", "arguments = '[]'", "arguments = '{\"user\":42}'",
        "arguments = '{\"user\":\"42\"'", "arguments = 7", "taken = 9223372036854775807", "taken = -1", "taken = 'yesterday'",
        "next_try = -9223372036854775808", "next_try = 1e300", "tries = -1", "faults = 9223372036854775807", "conflicts = 'many'",
        "status = 100000", "settled = 2", "made_id = '~a'", "made_id = '{}'", "payload = 7", "id = 'a b'", "id = x'ff'", "id = ''",
    ])
    func `SD-24 a row with nonsense is held as unreadable, and others load`(change: String) async throws {
        let first = subject.outbox()
        try await subject.takeIn(["a", "b"], into: first)
        try subject.run("UPDATE sends SET \(change) WHERE number = 1")
        let outbox = subject.outbox()

        let rows = try await outbox.open().rows

        #expect(rows.words == ["1 held", "2 waiting"])
        #expect(rows[0].reason == "unreadable" && rows[1].reason == nil)
        #expect(try await first.rows([.held], most: 10).words == ["1 held"])
        #expect(try await first.rows([.waiting], most: 10).words == ["2 waiting"])
        #expect(try await outbox.news(since: 0).rows.words == ["1 held", "2 waiting"])
    }

    @Test func `what a person decides about a row that cannot be read leaves the rest of it as it is`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)
        try subject.run("UPDATE sends SET arguments = 'user=42', id = 'a b'")
        let row = try await outbox.open().rows[0]
        #expect(row.id == "unreadable-1")

        try await outbox.write([
            row.with(.dropped) { ($0.reason, $0.ended, $0.arguments, $0.payload) = ("by hand", subject.time.now, [:], []) }
        ])

        #expect(
            try subject.texts("SELECT id, state, reason, arguments, CAST(payload AS TEXT) FROM sends") == [
                #"a b dropped by hand user=42 {"name":"Ada"}"#
            ])
        #expect(try await outbox.open().rows == [])
    }

    @Test func `a text that is no text is bytes, and a payload that is text is one all the same`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)
        try subject.run("UPDATE sends SET detail = x'61ff62', payload = 'abc', answer = NULL")

        let row = try #require(try await outbox.row("a"))

        #expect(row.state == .waiting && row.detail == "a\u{FFFD}b" && row.payload == Array("abc".utf8) && row.answer == [])
    }

    @Test(arguments: ["change = 9223372036854775807", "change = 'x'", "change = -1"])
    func `a number of changes that cannot be is an error with words`(change: String) async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        try subject.run("UPDATE outbox SET \(change)")

        let reason = "…/outbox.db is not as an outbox wrote it: the number of its last change is wrong"
        #expect(try await subject.reason { _ = try await subject.outbox().open() } == reason)
        #expect(try await subject.reason { try await subject.takeIn(["b"], into: outbox) } == reason)
        #expect(try await subject.reason { try await outbox.write([row]) } == reason)
    }

    @Test func `an id is data`() async throws {
        let outbox = subject.outbox()
        let id = "');DROP/**/TABLE/**/sends;--"

        try await subject.takeIn([id], into: outbox)

        #expect(try await outbox.row(id)?.number == 1)
        #expect(try await outbox.row("' OR 1=1 --") == nil)
    }
}
