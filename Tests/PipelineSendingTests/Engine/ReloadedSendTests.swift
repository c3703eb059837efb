import Pipeline
import PipelineLive
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

/// Another file takes over while sends wait.
@Suite struct ReloadedSendTests {
    private let cat = #"{"id":3,"name":"Cat"}"#

    /// The list that a fetch of these pipelines shows.
    private func list(_ pipelines: Pipelines) async throws -> String {
        let outcome = try await pipelines.pipeline(named: "friends").fetch()
        guard case .value(let entry) = outcome.result else { return "\(outcome.result)" }
        return String(decoding: entry.payload ?? [], as: UTF8.self)
    }

    @Test func `a send that the file declares no more is held, and goes out when it is declared again`() async throws {
        let scene = try SendScene()
        scene.target.replies([.fails(.unreached)], then: .answers(SendAnswer(status: 201, body: Array(cat.utf8))))
        let sent = try await scene.send("add_friend", [:], cat)
        try await scene.target.asked(atLeast: 1)
        _ = try await scene.reach(sent) { $0.state == .waiting && $0.tries == 1 }
        let others = scene.specs.sends.filter { $0.name != "add_friend" }

        let without = try scene.pipelines.succeeded(by: scene.specs.pipelines, sends: others, keeping: ["friends"])
        try await scene.clock.pass { scene.disk.rows.first?.state == .held }
        #expect(scene.disk.rows.first?.reason == "undeclared")
        #expect(scene.target.asked.count == 1)
        #expect(try await !list(without).contains("Cat"))
        await #expect(throws: SendError.unknownSend("add_friend", known: others.map(\.name))) {
            try await without.send("add_friend", [:], Array(cat.utf8))
        }

        let again = try without.succeeded(by: scene.specs.pipelines, sends: scene.specs.sends, keeping: ["friends"])
        try await scene.clock.pass { scene.disk.rows.first?.state == .sent }
        #expect(scene.target.asked.map(\.id) == [sent.id, sent.id])
        #expect(try await list(again).contains("Cat"))
        await again.shutDown()
    }

    @Test func `a pipeline that another file declares anew shows what waits`() async throws {
        let scene = try SendScene()
        scene.target.replies(then: .fails(.unreached))
        try await scene.send("add_friend", [:], cat)
        try await scene.target.asked(atLeast: 1)

        let after = try scene.pipelines.succeeded(by: scene.specs.pipelines, sends: scene.specs.sends, keeping: [])
        #expect(try await list(after).contains("Cat"))
        #expect(try await after.pipeline(named: "friends").fetch().sends.map(\.send) == ["add_friend"])
        await after.shutDown()
    }

    @Test func `what an outbox laid over values goes with it, and what the next one has is seen`() async throws {
        let scene = try SendScene()
        scene.target.replies(then: .fails(.unreached))
        try await scene.send("add_friend", [:], cat)
        try await scene.target.asked(atLeast: 1)
        #expect(try await list(scene.pipelines).contains("Cat"))
        let (disk, dan) = (MemoryOutbox.Disk(), #"{"id":4,"name":"Dan"}"#)
        let before = try SendScene(disk: disk, clock: scene.clock, process: "before")
        before.target.replies(then: .fails(.unreached))
        try await before.send("add_friend", [:], dan)
        await before.pipelines.shutDown()
        disk.end("before")
        let next = try SendScene(disk: disk, clock: scene.clock, process: "two")
        next.target.replies(then: .fails(.unreached))

        let after = try scene.pipelines.succeeded(by: scene.specs.pipelines, sends: next.specs.sends, keeping: ["friends"])
        try await scene.clock.pass {
            let list = try await list(after)
            return list.contains("Dan") && !list.contains("Cat")
        }
        #expect(scene.disk.rows.map(\.state) == [.waiting])
        await after.shutDown()
    }

    @Test func `a send goes at once when the network is another, but not before its origin allows`() async throws {
        let scene = try SendScene()
        scene.target.replies([.fails(.unreached)], then: .answers(SendAnswer(status: 503, notBefore: scene.clock.now + .seconds(60))))
        let sent = try await scene.send("add_friend", [:], cat)
        _ = try await scene.reach(sent) { $0.tries == 1 && $0.state == .waiting }

        scene.pipelines.endSendPauses()
        try await scene.target.asked(atLeast: 2)
        let refused = try await scene.reach(sent) { $0.tries == 2 && $0.state == .waiting }
        scene.pipelines.endSendPauses()
        await scene.pipelines.shutDown()

        #expect(refused.next.map { $0 >= scene.clock.now + .seconds(60) } == true)
        #expect(scene.target.asked.count == 2)
    }

    @Test func `the list of sends is told anew when one of them changes, and ends with the pipelines`() async throws {
        let scene = try SendScene()
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 201, body: Array(cat.utf8))))
        var lists = scene.pipelines.sends().makeAsyncIterator()
        #expect(await lists.next()?.isEmpty == true)

        let sent = try await scene.send("add_friend", [:], cat)
        var list = await lists.next()
        while let known = list, known.map(\.id) != [sent.id] { list = await lists.next() }
        #expect(list?.first?.send == "add_friend")
        gate.open()
        while let known = list, !known.isEmpty { list = await lists.next() }
        #expect(list?.isEmpty == true)
        await scene.pipelines.shutDown()

        while list != nil { list = await lists.next() }
        #expect(list == nil)
    }

    @Test func `a secret in the words of a refusal is masked before they are cut`() async throws {
        let redactor = Redactor { text in text.split(separator: "hunter22", omittingEmptySubsequences: false).joined(separator: "***") }
        let scene = try SendScene(redactor: redactor)
        // The second one stands where the words are cut.
        let words = "the token hunter22 is old: " + String(repeating: "-", count: 4_096 - 27 - 4) + "hunter22"
        scene.target.replies(then: .answers(SendAnswer(status: 422, body: Array(words.utf8))))

        let sent = try await scene.send("add_friend", [:], cat)
        let status = try await scene.reach(.failed, sent)
        await scene.pipelines.shutDown()

        #expect(status.detail?.hasPrefix("the token *** is old: ---") == true)
        #expect(status.detail?.contains("hunt") == false)
        #expect(scene.disk.rows.map(\.detail) == [status.detail])
    }
}
