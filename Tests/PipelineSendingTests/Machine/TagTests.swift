import Pipeline
import Testing

@testable import PipelineSending

/// Conditions, and the tags that they need.
@Suite struct TagTests {
    private var scene = MachineScene()
    private let guarded = SendRules.rules { $0.hasCondition = true }

    @Test mutating func `SD-19 a later send of the same target goes with the tag of the first one's answer`() {
        scene.take(1, of: "x", by: guarded, tag: "\"1\"")
        scene.take(2, of: "x", by: guarded, tag: "\"1\"")
        scene.take(3, of: "x", by: guarded, tag: "\"1\"")
        scene.advance()

        #expect(scene.answer(1, 200, tag: "\"2\"") == ["1 sent", "2 waiting", "3 waiting"])
        #expect(scene.row(2)?.tag == "\"2\"")
        scene.advance()
        scene.answer(2, 200, tag: "\"3\"")

        #expect(scene.row(3)?.tag == "\"3\"")
    }

    @Test mutating func `SD-19 without a tag in the answer the keys are loaded first`() {
        scene.take(1, of: "x", by: guarded, tag: "\"1\"")
        scene.take(2, of: "x", by: guarded, tag: "\"1\"")
        scene.advance()
        scene.answer(1, 200)

        #expect(scene.advance() == ["find the tag of 2"])
        #expect(scene.advance() == [])
        #expect(scene.machine.found(2, tag: .success("\"5\""), at: scene.now).words == ["2 waiting"])

        #expect(scene.asked() == [2])
        #expect(scene.row(2)?.tag == "\"5\"")
    }

    @Test mutating func `one that saw what somebody else has written keeps its tag`() {
        scene.take(1, of: "x", by: guarded, tag: "\"1\"")
        scene.take(2, of: "x", by: guarded, tag: "\"9\"")
        scene.take(3, of: "y", by: guarded, tag: "\"1\"")
        scene.take(4, of: "x", tag: "\"1\"")
        scene.advance()

        scene.answer(1, 200, tag: "\"2\"")

        #expect([2, 3, 4].map { scene.row($0)?.tag } == ["\"9\"", "\"1\"", "\"1\""])
    }

    @Test mutating func `the tag of one without a condition is passed on, too`() {
        scene.take(1, "store", of: "x")
        scene.take(2, "rename", of: "x", by: guarded, tag: "\"1\"")
        scene.advance()

        scene.answer(1, 200, tag: "\"2\"")

        #expect(scene.row(2)?.tag == "\"2\"")
    }

    @Test mutating func `earlier ones keep what they saw`() throws {
        scene.take(1, of: "x", by: .rules { ($0.hasCondition, $0.repetition) = (true, .never) }, tag: "\"1\"")
        scene.take(2, of: "x", by: guarded, tag: "\"1\"")
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(1))
        scene.advance()

        scene.answer(2, 200, tag: "\"2\"")

        #expect(scene.row(1)?.tag == "\"1\"")
    }

    @Test mutating func `without a base the keys are loaded before the first try`() {
        scene.take(1, of: "x", by: guarded)
        #expect(scene.advance() == ["find the tag of 1"])
        #expect(scene.state(1) == .waiting)
        #expect(scene.machine.isBusy)

        _ = scene.machine.found(1, tag: .success("\"1\""), at: scene.now)

        #expect(scene.advance() == ["1 sending", "ask 1"])
    }

    @Test mutating func `while the keys cannot be loaded the send waits, and its target does not rest`() {
        scene.take(1, in: ["a"], of: "x", by: guarded)
        scene.advance()

        for longest in [1, 2, 4, 8, 16, 32, 60] {
            let steps = scene.machine.found(1, tag: .failure(SourceError("no route")), at: scene.now)
            #expect(steps.words == ["1 waiting: the value could not be loaded: no route"])
            #expect(scene.pause(1) == .seconds(longest) / 2)
            scene.pass(.seconds(longest))
            #expect(scene.advance() == ["find the tag of 1"])
        }

        scene.take(2, in: ["b"])
        #expect(scene.asked() == [2])
        #expect(scene.row(1)?.tries == 0)
    }

    @Test mutating func `a value without a tag fails the send, and its target rests on`() {
        scene.take(1, in: ["a"])
        scene.take(2, in: ["b"], of: "x", by: guarded)
        scene.take(3, in: ["c"])
        scene.advance()
        scene.answer(1, 503)

        let steps = scene.machine.found(2, tag: .success(nil), at: scene.now)

        #expect(steps.words == ["2 failed: the value has no entity tag for the condition", "load 2"])
        scene.answer(3, 503)
        #expect(scene.asked() == [])
        #expect(scene.wake == .milliseconds(500))
    }

    @Test mutating func `a weak tag is looked for again after a second, for it may be strong then`() {
        scene.take(1, of: "x", by: guarded)
        scene.advance()

        let steps = scene.machine.found(1, tag: .success(nil), isWeak: true, at: scene.now)

        #expect(steps.words == ["1 waiting: the value has only a weak entity tag"])
        #expect(scene.pause(1) == .seconds(1))
        #expect(scene.advance() == [])
        scene.pass(.seconds(1))
        #expect(scene.advance() == ["find the tag of 1"])
        _ = scene.machine.found(1, tag: .success("\"1\""), at: scene.now)
        #expect(scene.asked() == [1])
    }

    @Test mutating func `a tag that stays weak fails the send, whatever loads failed before`() {
        scene.take(1, of: "x", by: guarded)
        scene.advance()
        for _ in 1...10 {
            _ = scene.machine.found(1, tag: .failure(SourceError("no route")), at: scene.now)
            scene.pass(.seconds(60))
            scene.advance()
        }
        for _ in 1...5 {
            let steps = scene.machine.found(1, tag: .success(nil), isWeak: true, at: scene.now)
            #expect(steps.words == ["1 waiting: the value has only a weak entity tag"])
            scene.pass(.seconds(60))
            #expect(scene.advance() == ["find the tag of 1"])
        }

        let steps = scene.machine.found(1, tag: .success(nil), isWeak: true, at: scene.now)

        #expect(steps.words == ["1 failed: the value has only a weak entity tag for the condition", "load 1"])
    }

    @Test mutating func `SD-21 what another process did while the tag was looked for holds`() throws {
        scene.take(1, of: "x", by: guarded)
        scene.advance()
        var dropped = try #require(scene.row(1))
        dropped.end(.dropped, nil, at: scene.now)
        scene.note(dropped, at: scene.place(1))

        #expect(scene.machine.found(1, tag: .success("\"1\""), at: scene.now) == [])

        #expect(scene.row(1) == nil)
        #expect(scene.asked() == [])
    }

    @Test mutating func `a tag that comes when the send is gone changes nothing`() throws {
        scene.take(1, of: "x", by: guarded)
        scene.advance()
        _ = try scene.machine.drop(try #require(scene.row(1)), at: scene.now)

        #expect(scene.machine.found(1, tag: .success("\"1\""), at: scene.now) == [])
        #expect(scene.asked() == [])
    }
}
