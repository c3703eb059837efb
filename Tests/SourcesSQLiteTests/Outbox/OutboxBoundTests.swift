import Pipeline
import PipelineSending
import TestSupport
import Testing

@testable import SourcesSQLite

/// The bounds of an outbox: nothing goes for a new send, which is refused instead.
@Suite struct OutboxBoundTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    private func take(_ id: String, size: Int = 10, lanes: [String] = [], into outbox: OutboxFile) async throws -> String {
        let row = subject.send(id, payload: String(repeating: "x", count: size), owner: outbox.bounds.owner)
        return try await outbox.takeIn([row], lanes: [lanes]).words[0]
    }

    @Test func `SD-02 a payload over max_size is refused, and one of that size is not`() async throws {
        let outbox = subject.outbox { $0.maxSize = Size(bytes: 10) }

        #expect(try await take("a", size: 11, into: outbox) == "the payload of 11 bytes is larger than 10 bytes (max_size)")
        #expect(try await take("a", size: 10, into: outbox) == "new 1")
        #expect(try await outbox.open().rows.count == 1)
    }

    @Test func `SD-02 an outbox is full at max_entries, also in the middle of a batch`() async throws {
        let outbox = subject.outbox { $0.maxEntries = 2 }

        let taken = try await outbox.takeIn(["a", "b", "c"].map { subject.send($0) }, lanes: [[], [], []])

        #expect(taken.words == ["new 1", "new 2", "the outbox is full: it has 2 sends that wait or have failed (max_entries)"])
        #expect(try await subject.outbox().open().rows.words == ["1 waiting", "2 waiting"])
    }

    @Test func `SD-02 an outbox is full at max_bytes`() async throws {
        let outbox = subject.outbox { $0.maxBytes = Size(bytes: 100) }

        #expect(try await take("a", size: 90, into: outbox) == "new 1")
        #expect(
            try await take("b", size: 11, into: outbox) == "the outbox is full: 90 bytes wait, and 11 more are over 100 bytes (max_bytes)")
        #expect(try await take("b", size: 10, into: outbox) == "new 2")
    }

    @Test(arguments: [
        (SendState.waiting, true), (.sending, true), (.held, true), (.failed, true), (.sent, false), (.dropped, false), (.merged, false),
    ])
    func `what is not done counts for the bounds, and what has failed`(state: SendState, isCounted: Bool) async throws {
        let outbox = subject.outbox { $0.maxEntries = 1 }
        let row = try await subject.takeIn(["a"], into: outbox)[0]
        try await outbox.write([row.with(state)])

        #expect(
            try await take("b", into: outbox)
                == (isCounted ? "the outbox is full: it has 1 send that waits or has failed (max_entries)" : "new 2"))
        #expect(state.isCounted == isCounted)
        #expect(try subject.texts("SELECT entries, bytes FROM outbox") == [isCounted ? "1 14" : "1 10"])
    }

    @Test func `the bounds are those of the file: sends of other owners count`() async throws {
        try await subject.takeIn(["a"], into: subject.outbox(owner: "ada"))
        let outbox = subject.outbox(owner: "grace") { $0.maxEntries = 1 }

        #expect(try await take("b", into: outbox) == "the outbox is full: it has 1 send that waits or has failed (max_entries)")
    }

    @Test func `a payload that changes changes what is counted`() async throws {
        let outbox = subject.outbox()
        let row = try await subject.takeIn(["a"], into: outbox)[0]

        try await outbox.write([row.with(.waiting) { $0.payload = [1, 2, 3] }])

        #expect(try subject.texts("SELECT entries, bytes FROM outbox") == ["1 3"])
    }

    @Test func `a lane is full of sends that are not done, and a failed one counts again once it is sent after all`() async throws {
        let outbox = subject.outbox { $0.mostForLane = 2 }
        let full = "the outbox is full: 2 sends wait for the same key or scope"
        let rows = try await outbox.takeIn(["a", "b"].map { subject.send($0) }, lanes: [["x", "y"], ["x"]]).compactMap {
            if case .new(let row) = $0 { row } else { nil }
        }
        #expect(try await take("c", lanes: ["z", "x"], into: outbox) == full)
        #expect(try await take("d", lanes: ["y"], into: outbox) == "new 3")

        try await outbox.write([rows[0].with(.held)])
        #expect(try await take("c", lanes: ["x"], into: outbox) == full)
        try await outbox.write([rows[0].with(.failed)])
        #expect(try await take("e", lanes: ["x"], into: outbox) == "new 4")
        try await outbox.write([rows[1].with(.sent)])
        try await outbox.write([rows[0].with(.waiting)])
        #expect(try await take("c", lanes: ["x"], into: outbox) == full)
        try await outbox.write([rows[0].with(.merged)])

        #expect(try await take("c", lanes: ["x"], into: outbox) == "new 5")
        #expect(try subject.texts("SELECT number, lane, waits FROM lanes ORDER BY number") == ["3 y 1", "4 x 1", "5 x 1"])
    }

    @Test(arguments: ["entries = 5, bytes = 9223372036854775807", "entries = -1", "bytes = 'many'", "entries = 1e300, bytes = -1e300"])
    func `numbers that another program made wrong refuse nothing, and are put right`(change: String) async throws {
        let outbox = subject.outbox { $0.maxEntries = 3 }
        try await subject.takeIn(["a", "b"], into: outbox)
        try subject.run("UPDATE outbox SET \(change)")

        #expect(try await take("c", into: outbox) == "new 3")
        #expect(try subject.texts("SELECT entries, bytes FROM outbox") == ["3 38"])
        #expect(try await take("d", into: outbox) == "the outbox is full: it has 3 sends that wait or have failed (max_entries)")
    }

    @Test func `rows that a person removes make room`() async throws {
        let outbox = subject.outbox { $0.maxEntries = 2 }
        try await subject.takeIn(["a", "b"], into: outbox)

        try subject.run("DELETE FROM sends WHERE id = 'a'")

        #expect(try subject.texts("SELECT entries, bytes, (SELECT count(*) FROM lanes) FROM outbox") == ["1 14 1"])
        #expect(try await take("c", into: outbox) == "new 3")
    }
}
