import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// What one process learns of what another has changed.
@Suite struct OutboxNewsTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    @Test func `SD-21 two outboxes of one file tell each other what was taken in and what became of it, once`() async throws {
        let (here, there) = (subject.outbox(), subject.outbox())
        var marks = (try await here.open().mark, try await there.open().mark)
        let row = try await subject.takeIn(["a"], into: here)[0]

        var news = try await there.news(since: marks.1)
        #expect(news.rows == [row])
        marks.1 = news.mark
        #expect(try await there.news(since: marks.1).rows == [])

        for state in [SendState.sending, .held, .failed, .waiting, .dropped, .sent] {
            try await there.write([row.with(state)])
            news = try await here.news(since: marks.0)
            #expect(news.rows.words == ["1 \(state.rawValue)"])
            marks.0 = news.mark
        }
        #expect(try await here.news(since: marks.0).rows == [])
    }

    @Test func `an outbox is not told of what it changed itself, also beside changes of others`() async throws {
        let (here, there) = (subject.outbox(), subject.outbox())
        var mark = try await here.open().mark
        let rows = try await subject.takeIn(["a", "b", "c"], into: here)

        var news = try await here.news(since: mark)
        #expect(news.rows == [] && news.mark == 1)
        mark = news.mark
        try await here.write([rows[0].with(.held)])
        try await there.write([rows[1].with(.held)])
        try await here.write([rows[2].with(.held)])
        news = try await here.news(since: mark)
        #expect(news.rows.words == ["2 held"] && news.mark == 4)
        mark = news.mark

        try await here.write([rows[0].with(.waiting)])
        try await there.write([rows[0].with(.dropped)])
        #expect(try await here.news(since: mark).rows.words == ["1 dropped"])
    }

    @Test func `the rows of other owners are no news, and neither are leases`() async throws {
        let (here, there) = (subject.outbox(owner: "ada"), subject.outbox(owner: "grace"))
        let mark = try await here.open().mark
        try await subject.takeIn(["a"], into: there)
        #expect(try await there.lease(there.holder, until: subject.time.now + .seconds(5)))

        let news = try await here.news(since: mark)

        #expect(news.rows == [] && news.mark == 1)
    }

    @Test func `an old mark gives all that changed since, own changes included`() async throws {
        let outbox = subject.outbox()
        let mark = try await outbox.open().mark
        try await subject.takeIn(["a"], into: outbox)
        try await subject.takeIn(["b"], into: subject.outbox())
        let news = try await outbox.news(since: mark)
        #expect(news.rows.map(\.id) == ["b"])

        #expect(try await outbox.news(since: mark).rows.map(\.id) == ["a", "b"])
        #expect(try await outbox.news(since: 1).rows.map(\.id) == ["b"])
    }

    @Test func `a mark knows its own transactions, and forgets them once they are behind it`() {
        var mark = OutboxMark()
        mark.advance(to: 3, version: 1)
        for change: Int64 in [4, 5, 7] { mark.noteOwn(change) }
        #expect(mark.own == [4...5, 7...7])
        #expect([3, 4, 5, 6, 7].map { mark.isOwn($0) } == [false, true, true, false, true])

        #expect(mark.next(after: 3, version: 2) == nil)
        #expect(mark.next(after: 2, version: 1) == nil)
        #expect(mark.next(after: 3, version: 1) == 7)
        #expect(mark.own == [])
        #expect(mark.next(after: 7, version: 1) == 7)
        mark.noteOwn(8)
        mark.noteOwn(10)
        mark.advance(to: 9, version: 2)
        #expect(mark.own == [10...10])
    }
}
