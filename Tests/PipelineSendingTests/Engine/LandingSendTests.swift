import Pipeline
import PipelineJSON
import PipelineLive
import PipelineSending
import PipelineTesting
import TestSupport
import Testing

/// The moment in which a send becomes a change of the value.
@Suite struct LandingSendTests {
    private let cat = #"{"id":3,"name":"Cat"}"#

    @Test func `SD-14 a load that began before has the item, and one that began later stands as it is`() async throws {
        let scene = try SendScene()
        _ = try await scene.list()
        let answer = Gate()
        scene.target.replies(then: .waits(answer, SendAnswer(status: 201, body: Array(cat.utf8))))
        let sent = try await scene.send("add_friend", [:], cat)
        try await scene.target.asked(atLeast: 1)
        let load = Gate()
        scene.origin.answersOnce(StubAnswer(stringLiteral: #"[{"id":1,"name":"Ann"}]"#).after(load))

        async let early = scene.list(.refresh)
        await scene.origin.reads(atLeast: 2)
        answer.open()
        _ = try await scene.reach(.sent, sent)
        try await scene.clock.pass { scene.disk.rows.allSatisfy(\.isSettled) }
        load.open()

        #expect(try await early == #"[{"id":1,"name":"Ann"},{"id":3,"name":"Cat"}]"#)
        scene.origin.answers(#"[{"id":9,"name":"Zoe"}]"#)
        #expect(try await scene.list(.refresh) == #"[{"id":9,"name":"Zoe"}]"#)
        await scene.pipelines.shutDown()
    }

    @Test func `without an item in the answer the value is loaded`() async throws {
        let scene = try SendScene { $0[0].answer = nil }
        _ = try await scene.list()
        scene.origin.answers(#"[{"id":3,"name":"Catherine"}]"#)

        let sent = try await scene.send("add_friend", [:], cat)
        _ = try await scene.reach(.sent, sent)
        await scene.origin.reads(atLeast: 2)
        try await yieldUntil { try await scene.list() == #"[{"id":3,"name":"Catherine"}]"# }

        await scene.pipelines.shutDown()
    }

    @Test func `a value that is replaced shows without a base, and is put when it is sent`() async throws {
        let scene = try SendScene { specs in
            var save = SendSpec("save", to: specs[0].target, outbox: specs[0].outbox)
            save.changes = [SendChange(of: "friends", .replace)]
            specs = [save]
        }
        scene.origin.answers(.error())
        let gate = Gate()
        scene.target.replies(then: .waits(gate, SendAnswer(status: 204)))

        let sent = try await scene.send("save", [:], "[7]")
        #expect(try await scene.list() == "[7]")
        gate.open()
        _ = try await scene.reach(.sent, sent)
        try await scene.clock.pass { scene.disk.rows.allSatisfy(\.isSettled) }

        let outcome = try await scene.friends().fetch()
        #expect(try await scene.list() == "[7]")
        #expect(outcome.sends.isEmpty && outcome.source == "memory")
        await scene.pipelines.shutDown()
    }

    @Test func `without a base no list is made`() async throws {
        let scene = try SendScene()
        scene.origin.answers(.error())
        scene.target.replies(then: .fails(.unreached))

        try await scene.send("add_friend", [:], cat)
        let outcome = try await scene.friends().fetch()

        guard case .failed = outcome.result else { return #expect(Bool(false), "\(outcome.result)") }
        #expect(outcome.sends.isEmpty)
        await scene.pipelines.shutDown()
    }

    @Test func `SD-19 a second edit goes with the tag of the first one's answer`() async throws {
        let scene = try SendScene { specs in
            for index in specs.indices { specs[index].condition = .etag }
        }
        scene.origin.answers(
            .entry(Entry(Array(#"[{"id":1}]"#.utf8), created: scene.clock.now, etag: "\"a\"")))
        _ = try await scene.list()
        let gate = Gate()
        scene.target.replies(
            [.waits(gate, SendAnswer(status: 200, etag: "\"b\""))], then: .answers(SendAnswer(status: 200, etag: "\"c\"")))

        let one = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        let two = try await scene.send("rename", ["id": "1"], #"{"age":7}"#)
        gate.open()
        _ = try await scene.reach(.sent, one)
        _ = try await scene.reach(.sent, two)

        #expect(scene.target.asked.map(\.condition) == ["\"a\"", "\"b\""])
        await scene.pipelines.shutDown()
    }

    @Test func `SD-20 a repeated edit that was made is sent although its condition fails`() async throws {
        let scene = try SendScene { $0[1].condition = .etag }
        scene.origin.answers(.entry(Entry(Array(#"[{"id":1}]"#.utf8), created: scene.clock.now, etag: "\"a\"")))
        _ = try await scene.list()
        scene.target.replies([.fails(.reset)], then: .answers(SendAnswer(status: 412)))
        let sent = try await scene.send("rename", ["id": "1"], #"{"name":"Anna"}"#)
        _ = try await scene.reach(sent) { $0.state == .waiting && $0.tries == 1 }
        scene.origin.answers(.entry(Entry(Array(#"[{"id":1,"name":"Anna"}]"#.utf8), created: scene.clock.now, etag: "\"b\"")))

        try await scene.clock.pass(by: .seconds(1)) {
            scene.disk.rows[0].state == .sent
        }

        #expect(scene.target.asked.map(\.condition) == ["\"a\"", "\"a\""])
        await scene.pipelines.shutDown()
    }
}
