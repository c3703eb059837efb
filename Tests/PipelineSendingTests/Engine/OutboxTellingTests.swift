import Pipeline
import PipelineSending
import PipelineTesting
import Synchronization
import TestSupport
import Testing

/// What an outbox tells: that it cannot be opened, its figures, and when sends go on that wait.
@Suite struct OutboxTellingTests {
    private let anna = #"{"name":"Anna"}"#

    @Test func `an outbox that cannot be opened is told once for each reason, and that it can be again`() async throws {
        let told = Mutex<[String]>([])
        let disk = MemoryOutbox.Disk()
        let redactor = Redactor { $0.replacing("s3cret", with: "***") }
        let observer: PipelineEvent.Observer = { event in
            guard case .change(let event as OutboxEvent, let source, let pipeline) = event else { return }
            told.withLock { $0.append("\(source)\(pipeline): \(event.problem ?? "open")") }
        }
        let scene = try SendScene(disk: disk, redactor: redactor, observers: [observer])

        disk.fail(SourceError("cannot open s3cret.db"))
        for _ in 1...3 { #expect(try await scene.list().contains("Ann")) }
        await #expect(throws: SendError.self) { try await scene.send("rename", ["id": "1"], anna) }
        disk.fail(SourceError("the disk is gone"))
        _ = try await scene.list()
        disk.fail(nil)
        for _ in 1...2 { _ = try await scene.list() }

        #expect(told.withLock(\.self) == ["outbox: cannot open ***.db", "outbox: the disk is gone", "outbox: open"])
        await scene.pipelines.shutDown()
    }

    @Test func `an outbox that opens at once tells nothing`() async throws {
        let told = Mutex(0)
        let observer: PipelineEvent.Observer = { event in
            if case .change(is OutboxEvent, _, _) = event { told.withLock { $0 += 1 } }
        }
        let scene = try SendScene(observers: [observer])

        _ = try await scene.list()
        await scene.pipelines.shutDown()

        #expect(told.withLock(\.self) == 0)
    }

    @Test func `the figures are those of what is not done, and of what has failed`() async throws {
        let (disk, clock, gate) = (MemoryOutbox.Disk(), ManualClock(), Gate())
        let scene = try SendScene(disk: disk, clock: clock, target: ScriptedTarget(.never))
        #expect(scene.pipelines.outboxFigures.isEmpty)
        let well = SendAnswer(status: 200)
        scene.target.replies([.answers(SendAnswer(status: 422)), .fails(.reset), .waits(gate, well)], then: .answers(well))

        let failed = try await scene.send("rename", ["id": "1"], anna)
        _ = try await scene.reach(.failed, failed)
        let held = try await scene.send("rename", ["id": "1"], anna)
        _ = try await scene.reach(.held, held)
        clock.advance(by: .seconds(60))
        let sending = try await scene.send("rename", ["id": "1"], anna)
        try await clock.pass { scene.target.asked.count == 3 }
        let waiting = try await scene.send("remove", ["id": "2"])
        clock.advance(by: .seconds(90))

        let figures = try #require(scene.pipelines.outboxFigures.first)
        #expect(scene.pipelines.outboxFigures.count == 1 && figures.outbox == "outbox")
        #expect(figures.counts == [.failed: 1, .held: 1, .sending: 1, .waiting: 1])
        #expect(figures.bytes == 3 * anna.utf8.count)
        // The one that is held is older, and waits for a person.
        #expect(figures.oldest == clock.now.duration(since: sending.first.row.taken))

        gate.open()
        _ = try await scene.reach(.sent, sending)
        _ = try await scene.reach(.sent, waiting)
        for id in [failed.id, held.id] { try await scene.pipelines.drop(id) }
        let empty = try #require(scene.pipelines.outboxFigures.first)
        #expect(empty.counts == [:] && empty.bytes == 0 && empty.oldest == .zero)
        await scene.pipelines.shutDown()
    }

    @Test func `what has failed counts in a new process, until another gives it up`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let first = try SendScene(disk: disk, clock: clock)
        first.target.replies(then: .answers(SendAnswer(status: 422)))
        let failed = try await first.send("rename", ["id": "1"], anna)
        _ = try await first.reach(.failed, failed)
        await first.pipelines.shutDown()

        let (two, three) = (
            try SendScene(disk: disk, clock: clock, process: "two"), try SendScene(disk: disk, clock: clock, process: "three")
        )
        _ = try await two.list()
        #expect(two.pipelines.outboxFigures.first?.counts == [.failed: 1])
        #expect(two.pipelines.outboxFigures.first?.bytes == anna.utf8.count)

        try await three.pipelines.drop(failed.id)
        try await clock.pass { two.pipelines.outboxFigures.first?.counts == [:] }
        for scene in [two, three] { await scene.pipelines.shutDown() }
    }

    @Test func `a send that its target's pause holds up says when it goes on, also in another process`() async throws {
        let (disk, clock) = (MemoryOutbox.Disk(), ManualClock())
        let scene = try SendScene(disk: disk, clock: clock) { $0[1].isOrdered = false }
        scene.target.replies(then: .fails(.unreached))
        let first = try await scene.send("rename", ["id": "1"], anna)
        let tried = try await scene.reach(first) { $0.state == .waiting && $0.tries == 1 }
        let second = try await scene.send("rename", ["id": "2"], anna)
        try await yieldUntil { disk.rows.map(\.state) == [.waiting, .waiting] && disk.rows[0].next == tried.next }

        func next(_ scene: SendScene) async throws -> [Timestamp?] {
            try await scene.pipelines.sends([.waiting, .failed]).flatMap(\.sends).map(\.next)
        }
        let end = try #require(tried.next)
        #expect(end > clock.now)
        #expect(try await next(scene) == [end, end])
        #expect(try await scene.reach(second) { $0.tries == 0 }.next == end)

        let other = try SendScene(disk: disk, clock: clock, process: "two")
        other.pipelines.waitWithDelivery()
        #expect(try await next(other) == [end, end])
        // Its pauses end with a process, and the next one begins at once.
        disk.end("one")
        #expect(try await next(other) == [nil, nil])
        for scene in [scene, other] { await scene.pipelines.shutDown() }
    }

    @Test func `an outbox that cannot be opened is named, and does not keep others from being used`() async throws {
        let (bad, clock) = (MemoryOutbox.Disk(), ManualClock())
        let scene = try SendScene(clock: clock) { sends in
            let other = SourceSpec("a_bad_one", MemoryOutbox(bad, on: clock.clock))
            sends.append(SendSpec("ping", to: sends[0].target, outbox: other))
        }
        bad.fail(SourceError("cannot open it"))
        scene.target.replies(then: .fails(.unreached))
        let sent = try await scene.send("rename", ["id": "1"], anna)
        _ = try await scene.reach(sent) { $0.tries == 1 }

        let refusal = SendError.refused(SendRefusal(.unavailable, "`a_bad_one`: cannot open it"))
        await #expect(throws: refusal) { try await scene.pipelines.startSending() }
        await #expect(throws: refusal) { try await scene.pipelines.drop("gone") }
        scene.target.replies(then: .answers(SendAnswer(status: 200)))
        await #expect(throws: refusal) { try await scene.pipelines.flushSends(within: .seconds(60)) }
        _ = try await scene.reach(.sent, sent)
        bad.fail(nil)
        await #expect(throws: SendError.unknownID("gone")) { try await scene.pipelines.drop("gone") }
        await scene.pipelines.shutDown()
    }
}
