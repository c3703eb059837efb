import Pipeline
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

@testable import SourcesSQLite

/// One process at a time delivers the sends of an outbox.
@Suite struct OutboxLeaseTests {
    let subject: OutboxSubject

    init() throws { subject = try OutboxSubject() }

    private func lease(_ outbox: OutboxFile, _ holder: String? = nil) async throws -> Bool {
        try await outbox.lease(holder ?? outbox.holder, until: subject.time.now + .seconds(5))
    }

    private func opened() async throws -> OutboxFile {
        let outbox = subject.outbox()
        _ = try await outbox.open()
        return outbox
    }

    @Test func `SD-21 two outboxes of one file give one lease, which is renewed and runs out to the nanosecond`() async throws {
        let (here, there) = (try await opened(), try await opened())
        #expect(here.holder != there.holder)

        #expect(try await lease(here))
        #expect(try await !lease(there))
        subject.time.advance(by: .seconds(2))
        #expect(try await lease(here))
        subject.time.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(try await !lease(there))
        subject.time.advance(by: .nanoseconds(1))

        #expect(try await lease(there))
        #expect(try await !lease(here))
    }

    @Test func `a lease that is given back is free, and only its holder can give it back`() async throws {
        let (here, there) = (try await opened(), try await opened())
        #expect(try await lease(here))

        await there.release(there.holder)
        #expect(try await !lease(there))
        await here.release(here.holder)

        #expect(try await lease(there))
    }

    @Test func `a task that is cancelled gives the lease back all the same`() async throws {
        let (here, there) = (try await opened(), try await opened())
        #expect(try await lease(here))

        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await here.release(here.holder)
        }.value

        #expect(try await lease(there))
    }

    @Test func `SD-21 the lease of a process that has ended is void`() async throws {
        let outbox = try await opened()
        let child = try ChildProcess(["sleep", "600"])
        let holder = OutboxHolder(process: child.identifier).name
        #expect(try await lease(outbox, holder))
        #expect(try await !lease(outbox))
        #expect(await !outbox.hasEnded(holder))

        child.end()

        #expect(await outbox.hasEnded(holder))
        #expect(try await lease(outbox))
    }

    @Test func `the holder on another machine is never taken for ended`() async throws {
        let outbox = try await opened()
        #expect(try await lease(outbox, "1.2.0123456789abcdef.x"))

        #expect(try await !lease(outbox))
        subject.time.advance(by: .seconds(5))

        #expect(try await lease(outbox))
    }

    @Test(arguments: ["9223372036854775807", "1e300", "'never'", "x'ff'", "-9223372036854775808", "NULL"])
    func `SD-23 a lease with any end holds nobody up for longer than one lasts`(end: String) async throws {
        let outbox = try await opened()
        #expect(try await lease(outbox, "the dead"))
        try subject.run("UPDATE outbox SET lease_end = \(end)")

        if end == "9223372036854775807" { #expect(try await !lease(outbox)) }
        subject.time.advance(by: .seconds(5))

        #expect(try await lease(outbox))
    }

    @Test func `a wall clock that was ahead leaves a lease for as long as one lasts`() async throws {
        let outbox = try await opened()
        subject.time.stepWall(by: .seconds(86_400))
        #expect(try await lease(outbox, "the dead"))
        subject.time.stepWall(by: .seconds(-2 * 86_400))

        #expect(try await !lease(outbox))
        subject.time.advance(by: .seconds(5))

        #expect(try await lease(outbox))
    }
}
