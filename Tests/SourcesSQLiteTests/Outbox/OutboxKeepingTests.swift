import GRDB
import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// What an outbox keeps of its sends, and for how long.
@Suite struct OutboxKeepingTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    /// A row with a value in everything.
    private func full(_ row: SendRow) -> SendRow {
        let now = subject.time.now
        return row.with(.sent) {
            ($0.arguments, $0.payload, $0.tag) = (["user": "7"], Array("{}".utf8), "W/\"1\"")
            ($0.reason, $0.tries, $0.faults, $0.conflicts) = ("it is sent", 3, 2, 1)
            ($0.firstTry, $0.firstUncertain, $0.next) = (now, now + .seconds(1), now + .seconds(2))
            ($0.status, $0.detail, $0.answer, $0.madeID) = (201, "made\0it", [0, 1, 255], "\"é\"")
            ($0.isSettled, $0.ended, $0.holder) = (false, now + .seconds(3), "1.2.3.4")
        }
    }

    @Test func `all that is known of a send is kept`() async throws {
        let outbox = subject.outbox()
        let row = full(try await subject.takeIn(["a"], into: outbox)[0])

        try await outbox.write([row])
        await outbox.close()

        #expect(try await subject.outbox().row("a") == row)
        #expect(try await subject.outbox().open().rows == [row])
    }

    @Test func `what is not known is null again`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]

        // Tries are never forgotten.
        try await outbox.write([full(row).with(.failed) { $0.tries = 0 }])
        try await outbox.write([row])

        #expect(try await subject.outbox().row("a") == row)
        #expect(try subject.texts("SELECT reason, first_try, next_try, status, detail, made_id, ended FROM sends") == ["- - - - - - -"])
    }

    @Test(arguments: [SendState.sent, .dropped, .merged])
    func `what has come to its end in another process is not taken up again`(state: SendState) async throws {
        let (one, two) = (subject.outbox(), subject.outbox())
        let row = try await subject.takeIn(["a"], into: one)[0]
        try await one.write([row.with(state)])

        try await two.write([row])
        await #expect(throws: SourceError.self) { try await two.write([row.with(.sending)]) }
        #expect(try await one.row("a")?.state == state)

        try await two.write([row.with(.sent)])
        #expect(try await one.row("a")?.state == .sent)
    }

    @Test func `SD-21 the late end of an earlier try takes nothing from the try of another process`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        try await outbox.write([row.with(.sending) { ($0.tries, $0.holder) = (2, "another") }])

        try await outbox.write([row.with(.waiting) { ($0.tries, $0.holder) = (1, outbox.holder) }])
        try await outbox.write([row.with(.failed) { ($0.tries, $0.holder) = (1, outbox.holder) }])
        #expect(try await outbox.row("a")?.state == .sending)
        #expect(try await outbox.row("a")?.holder == "another")

        // Its own try was not begun.
        try await outbox.write([row.with(.sending) { ($0.tries, $0.holder) = (3, outbox.holder) }])
        try await outbox.write([row.with(.waiting) { ($0.tries, $0.holder) = (2, "another") }])
        #expect(try await outbox.row("a")?.state == .waiting)

        // What was made is made, whoever knows it.
        try await outbox.write([row.with(.sending) { ($0.tries, $0.holder) = (3, "another") }])
        try await outbox.write([row.with(.sent) { $0.tries = 1 }])
        #expect(try await outbox.row("a")?.state == .sent)
    }

    @Test func `people can read the columns`() async throws {
        let outbox = subject.outbox(owner: "ada@example.org")
        try await subject.takeIn(["a"], into: outbox)

        #expect(
            try subject.texts("SELECT id, state, name, arguments, taken, CAST(payload AS TEXT) FROM sends") == [
                #"a waiting add_friend {"user":"42"} 1767225600000000000 {"name":"Ada"}"#
            ])
        #expect(try subject.texts("SELECT length(owner) FROM sends") == ["32"])
        await outbox.close()
        let file = String(decoding: try subject.folder.bytes(of: "outbox.db"), as: UTF8.self)
        #expect(!file.contains("ada@example.org") && !file.contains(outbox.bounds.owner))
    }

    @Test func `opening gives what is not done, has failed, or is sent and not settled, by number`() async throws {
        let outbox = subject.outbox()
        let rows = try await subject.takeIn((0..<8).map { "\($0)" }, into: outbox)
        let states: [SendState] = [.failed, .merged, .sent, .sending, .held, .dropped, .sent]
        try await outbox.write(zip(rows, states).map { $0.with($1) { $0.isSettled = $0.number == 3 } })

        let found = try await subject.outbox().open()

        #expect(found.rows.words == ["1 failed", "4 sending", "5 held", "7 sent", "8 waiting"])
        #expect(try await outbox.rows([.sent, .merged], most: 10).words == ["2 merged", "3 sent", "7 sent"])
        #expect(try await outbox.rows([.sent, .merged], most: 2).words == ["2 merged", "3 sent"])
        #expect(try await outbox.rows([.held], most: 10).words == ["5 held"])
        #expect(try await outbox.rows([], most: 10) == [])
        #expect(try await outbox.row("5")?.state == .dropped)
        #expect(try await outbox.row("none") == nil)
    }

    @Test func `SD-25 each owner has sends of its own, and one without a name, too`() async throws {
        for (id, owner) in [("a", "ada"), ("b", "grace"), ("c", "")] { try await subject.takeIn([id], into: subject.outbox(owner: owner)) }
        let outbox = subject.outbox(owner: "grace")
        let rows = try await outbox.open().rows

        #expect(rows.map(\.id) == ["b"] && rows.map(\.owner) == [outbox.bounds.owner])
        #expect(try await outbox.row("a") == nil)
        #expect(try await outbox.rows(Set(SendState.allCases), most: 10).map(\.id) == ["b"])
        try await outbox.write([rows[0].numbered(1).with(.dropped)])
        #expect(try await subject.outbox(owner: "ada").open().rows.words == ["1 waiting"])
        #expect(try await subject.outbox().open().rows.words == ["3 waiting"])
    }

    @Test func `1,000 rows are taken in, opened and listed`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn((0..<1_000).map { "\($0)" }, into: outbox)

        let rows = try await subject.outbox().open().rows

        #expect(rows.map(\.number) == Array(1...1_000))
        #expect(try await outbox.rows([.waiting], most: 10).map(\.number) == Array(1...10))
    }

    @Test func `a row that a person removed is passed over, and the others are written`() async throws {
        let outbox = subject.outbox()
        let rows = try await subject.takeIn(["a", "b"], into: outbox)
        try subject.run("DELETE FROM sends WHERE id = 'a'")

        try await outbox.write(rows.map { $0.with(.held) })

        #expect(try await outbox.open().rows.words == ["2 held"])
    }

    @Test func `a row that is gone cannot be marked as sending, and the others are written`() async throws {
        let outbox = subject.outbox()
        let rows = try await subject.takeIn(["a", "b"], into: outbox)
        try subject.run("DELETE FROM sends WHERE id = 'a'")

        let reason = try await subject.reason { try await outbox.write([rows[0].with(.sending), rows[1].with(.held)]) }

        #expect(reason == "cannot write …/outbox.db: the send a is gone from it")
        #expect(try await outbox.open().rows.words == ["2 held"])
    }

    @Test func `SD-08 a task that is cancelled notes what came of a try all the same`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await outbox.write([row.with(.sent)])
        }

        try await task.value

        #expect(try await subject.outbox().row("a")?.state == .sent)
    }

    @Test func `done rows are forgotten after 24 hours, to the nanosecond, and failed ones stay`() async throws {
        let outbox = subject.outbox()
        let rows = try await subject.takeIn(["a", "b", "c", "d", "e"], into: outbox)
        let states: [SendState] = [.sent, .dropped, .merged, .failed]
        try await outbox.write(zip(rows, states).map { $0.with($1) { $0.ended = subject.time.now } })

        subject.time.advance(by: .seconds(24 * 3_600) - .nanoseconds(1))
        try await outbox.forgetOld(at: subject.time.now)
        #expect(try subject.texts("SELECT count(*) FROM sends") == ["5"])
        subject.time.advance(by: .nanoseconds(1))
        try await outbox.forgetOld(at: subject.time.now)

        #expect(try subject.texts("SELECT number, state FROM sends") == ["4 failed", "5 waiting"])
        #expect(try subject.texts("SELECT entries FROM outbox") == ["2"])
    }

    @Test func `no more than the latest 10,000 done rows are kept`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)
        let columns = "state, settled, change, name, arguments, taken, tries, faults, conflicts, owner"
        try subject.run(
            """
            WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10003)
            INSERT INTO sends (id, ended, \(columns))
            SELECT 'id' || n, taken + n, 'sent', 1, change, name, arguments, taken, tries, faults, conflicts, owner
            FROM sends, counted WHERE id = 'a'
            """)

        try await outbox.forgetOld(at: subject.time.now)

        #expect(try subject.texts("SELECT count(*), min(ended) - min(taken) FROM sends WHERE state = 'sent'") == ["10000 4"])
        #expect(try await outbox.open().rows.words == ["1 waiting"])
    }

    @Test(arguments: [Duration.seconds(86_400), .seconds(-2 * 86_400)])
    func `SD-23 times are wall times on the disk, also when the wall clock steps`(step: Duration) async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        subject.time.stepWall(by: step)
        let other = ManualClock(wall: Timestamp(nanoseconds: 1_767_225_600_000_000_000) + step)

        let here = try #require(try await outbox.row("a"))
        let there = try #require(try await subject.outbox(clock: other.clock).row("a"))
        #expect(subject.time.now.duration(since: here.taken) == step)
        #expect(other.now.duration(since: there.taken) == step)
        try await outbox.write([row.with(.waiting) { $0.next = subject.time.now + .seconds(60) }])

        #expect(try await subject.outbox(clock: other.clock).row("a")?.next == other.now + .seconds(60))
        #expect(try await outbox.row("a")?.next == subject.time.now + .seconds(60))
    }

    @Test func `a moment that no clock shows is written as one that can be read`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]

        try await outbox.write([
            row.with(.waiting) { ($0.next, $0.firstTry) = (Timestamp(nanoseconds: .max), Timestamp(nanoseconds: .min)) }
        ])

        let found = try #require(try await outbox.open().rows.first)
        #expect(found.state == .waiting && found.firstTry == Timestamp(nanoseconds: 0))
        #expect(try #require(found.next) > subject.time.now + .seconds(100 * 365 * 86_400))
    }
}
