import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// What an outbox takes in, and what it refuses.
@Suite struct OutboxIntakeTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    @Test func `a send gets a number, and another process reads it as it was taken in`() async throws {
        let outbox = subject.outbox()
        var row = subject.send("a~1", arguments: ["user": "é\"\n\u{0}", "b": ""], payload: "\0{}")
        row.tag = "\"\0\""

        #expect(try await outbox.takeIn([row], lanes: [["friends"]]).words == ["new 1"])

        let found = try await subject.outbox().open()
        #expect(found.rows == [row.numbered(1)])
        #expect(found.mark == 1)
    }

    @Test func `numbers go up, and are never used again, also after the last row is gone`() async throws {
        let outbox = subject.outbox()
        let rows = try await subject.takeIn(["a", "b", "c"], into: outbox)
        #expect(rows.map(\.number) == [1, 2, 3])
        try await outbox.write(rows.map { row in row.with(.dropped) { $0.ended = subject.time.now } })
        subject.time.advance(by: .seconds(25 * 3_600))
        try await outbox.forgetOld(at: subject.time.now)
        await outbox.close()
        #expect(try subject.texts("SELECT count(*) FROM sends") == ["0"])

        let next = try await subject.takeIn(["d"], into: subject.outbox())

        #expect(next.map(\.number) == [4])
    }

    @Test func `a batch is one transaction: where one fails, none is taken in`() async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["first"], into: outbox)
        try subject.run("CREATE TRIGGER no BEFORE INSERT ON sends WHEN new.id = 'b' BEGIN SELECT RAISE(ABORT, 'not that one'); END")

        let reason = try await subject.reason { try await subject.takeIn(["a", "b", "c"], into: outbox) }

        #expect(reason == "cannot write …/outbox.db: not that one")
        #expect(try subject.texts("SELECT id FROM sends") == ["first"])
        #expect(try subject.texts("SELECT change, entries, bytes FROM outbox") == ["1 1 14"])
        #expect(try subject.texts("SELECT lane, number FROM lanes") == ["first 1"])
    }

    @Test func `SD-03 a known id gives the row that has it, in whatever state, and is not taken in again`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]

        #expect(try await outbox.takeIn([subject.send("a")], lanes: [[]]).words == ["known 1 waiting"])
        for state in [SendState.waiting, .sending, .held, .failed, .dropped, .sent] {
            try await outbox.write([row.with(state)])
            #expect(try await subject.outbox().takeIn([subject.send("a")], lanes: [[]]).words == ["known 1 \(state.rawValue)"])
        }

        #expect(try await outbox.takeIn([subject.send("b"), subject.send("b")], lanes: [[], []]).words == ["new 2", "known 2 waiting"])
        #expect(try subject.texts("SELECT id FROM sends ORDER BY number") == ["a", "b"])
    }

    @Test(arguments: ["name", "arguments", "payload"]) func `SD-03 a known id with another content is refused`(part: String) async throws {
        let outbox = subject.outbox()
        try await subject.takeIn(["a"], into: outbox)
        let other =
            switch part {
            case "name": subject.send("a", name: "remove_friend")
            case "arguments": subject.send("a", arguments: ["user": "43"])
            default: subject.send("a", payload: "{}")
            }

        #expect(try await outbox.takeIn([other], lanes: [[]]).words == ["the id a is that of another send"])
        #expect(try await outbox.open().rows.words == ["1 waiting"])
    }

    @Test func `SD-25 the id of another owner's send is refused`() async throws {
        try await subject.takeIn(["a"], into: subject.outbox(owner: "ada"))
        let outbox = subject.outbox(owner: "grace")

        let taken = try await outbox.takeIn([subject.send("a", owner: outbox.bounds.owner)], lanes: [[]])

        #expect(taken.words == ["the id a is that of another send"])
    }

    @Test func `SD-16 an id is known by what was taken in, also after a temporary id in it was replaced`() async throws {
        let outbox = subject.outbox()
        let rename = subject.send("b", name: "rename", arguments: ["id": "~a"], payload: #"{"id":"~a"}"#)
        #expect(try await outbox.takeIn([rename], lanes: [[]]).words == ["new 1"])
        try await outbox.write([rename.numbered(1).with(.waiting) { ($0.arguments, $0.payload) = (["id": "7"], Array(#"{"id":7}"#.utf8)) }])

        let again = try await outbox.takeIn([rename], lanes: [[]])
        let replaced = subject.send("b", name: "rename", arguments: ["id": "7"], payload: #"{"id":7}"#)

        #expect(again.words == ["known 1 waiting"])
        #expect(try await outbox.takeIn([replaced], lanes: [[]]).words == ["known 1 waiting"])
    }

    @Test func `a task that is cancelled before it begins takes nothing in`() async throws {
        let (outbox, subject) = (subject.outbox(), subject)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await subject.takeIn(["a"], into: outbox)
        }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try subject.folder.contents() == [])
    }

    @Test func `64 callers at the same time get numbers of their own`() async throws {
        let (outbox, subject) = (subject.outbox(), subject)

        let numbers = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<64 { group.addTask { try await subject.takeIn(["\(number)"], into: outbox)[0].number } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(numbers.sorted() == Array(1...64))
    }
}
