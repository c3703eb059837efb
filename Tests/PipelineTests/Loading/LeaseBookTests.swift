import Synchronization
import Testing

@testable import Pipeline

@Suite struct LeaseBookTests {
    private let book = LeaseBook()
    private let lease = Lease(key: Key(pipeline: "friends"), holder: "one", end: .distantFuture)

    /// Gives leases back on demand, and counts how often it was told to.
    private final class Desk: Sendable {
        let told = Mutex(0)
        var count: Int { told.withLock { $0 } }
    }

    private func line(_ desk: Desk, _ lease: Lease? = nil) -> LeaseBook.Line {
        LeaseBook.Line(lease: lease ?? self.lease, permit: nil, giveBack: { desk.told.withLock { $0 += 1 } })
    }

    /// Whether those who wait for the end go on at once.
    private func isSettled() async throws -> Bool {
        let waiting = Task { try await book.settle() }
        for _ in 0..<1_000 { await Task.yield() }
        waiting.cancel()
        return (try? await waiting.value) != nil
    }

    @Test func `nothing is waited for where there is no lease`() async throws {
        #expect(try await isSettled())
    }

    @Test func `a lease that is being taken is waited for, until it is refused`() async throws {
        try book.begin()
        #expect(try await !isSettled())

        book.end()

        #expect(try await isSettled())
    }

    @Test func `a lease is waited for until its return has ended, which is made once`() async throws {
        try book.begin()
        book.enter(line(Desk()))
        #expect(try await !isSettled())

        #expect(book.strike(lease) != nil)
        #expect(book.strike(lease) == nil)
        #expect(try await !isSettled())
        book.end()

        #expect(try await isSettled())
    }

    @Test func `closing has what is there given back, and what comes late, and nothing more is taken`() async throws {
        let (desk, late) = (Desk(), Desk())
        try book.begin()
        book.enter(line(desk))
        try book.begin()

        book.close()
        #expect(desk.count == 1)
        #expect(throws: ShutDownError.self) { try book.begin() }
        book.enter(line(late, Lease(key: Key(pipeline: "foes"), holder: "two", end: .distantFuture)))

        #expect(late.count == 1)
        #expect(desk.count == 1)
    }

    @Test func `a lease that ran out and was taken anew is not given back for the one before`() throws {
        let next = Lease(key: lease.key, holder: "two", end: .distantFuture)
        for lease in [lease, next] {
            try book.begin()
            book.enter(line(Desk(), lease))
        }

        book.noteLoaded(lease) { _ in true }
        #expect(book.strike(lease) == nil)

        let line = try #require(book.strike(next))
        #expect(line.isWanted == nil)
    }
}
