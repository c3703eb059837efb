import Pipeline
import Testing

@testable import PipelineSending

@Suite struct ConflictTests {
    private func scene(_ rule: ConflictRule, hasCondition: Bool = true, _ repetition: SendRepetition = .byID) -> MachineScene {
        var scene = MachineScene()
        let rules = SendRules.rules { ($0.onConflict, $0.hasCondition, $0.repetition) = (rule, hasCondition, repetition) }
        scene.take(1, of: "x", by: rules, tag: "\"1\"")
        scene.take(2)
        scene.advance()
        return scene
    }

    /// A first try that may have been processed, and a second one.
    private func repeated(_ rule: ConflictRule = .fail, after time: Duration = .seconds(90)) -> MachineScene {
        var scene = scene(rule)
        scene.end(1, .uncertain("reset"))
        scene.pass(time)
        scene.advance()
        return scene
    }

    // MARK: Rule 19

    @Test(arguments: [409, 412, 428]) func `SD-19 fail: it has failed, and the keys are loaded`(status: Int) {
        var scene = scene(.fail)

        #expect(scene.answer(1, status, detail: "older") == ["1 failed: conflict: status \(status)", "load 1"])
        #expect(scene.asked() == [2])
    }

    @Test func `SD-19 drop: it is given up, and the keys are loaded`() {
        var scene = scene(.drop)

        #expect(scene.answer(1, 412) == ["1 dropped: conflict: status 412", "load 1"])
        #expect(scene.asked() == [2])
    }

    @Test func `SD-19 refetch: again with the tag of what is loaded, and the third in a row fails`() {
        var scene = scene(.refetch)
        for tag in ["\"2\"", "\"3\""] {
            #expect(scene.answer(1, 412) == ["1 waiting: conflict: status 412"])
            #expect(scene.advance() == ["find the tag of 1"])
            _ = scene.machine.found(1, tag: .success(tag), at: scene.now)
            #expect(scene.asked() == [1])
            #expect(scene.row(1)?.tag == tag)
        }

        #expect(scene.answer(1, 412) == ["1 failed: conflict: status 412", "load 1"])
    }

    @Test func `refetch without a condition loads the keys, and tries again`() {
        var scene = scene(.refetch, hasCondition: false)

        #expect(scene.answer(1, 409) == ["1 waiting: conflict: status 409", "load 1"])
        #expect(scene.asked() == [1])
    }

    @Test func `SD-19 keep: again without the condition, and a second conflict fails`() throws {
        var scene = scene(.keep)
        #expect(scene.answer(1, 412) == ["1 waiting: conflict: status 412", "load 1"])
        #expect(scene.asked() == [1])
        #expect(try #require(scene.row(1)).goesWithoutCondition(try #require(scene.place(1)).rules))

        #expect(scene.answer(1, 409) == ["1 failed: conflict: status 409", "load 1"])
    }

    @Test func `keep needs no tag for its second try`() {
        var scene = MachineScene()
        scene.take(1, of: "x", by: .rules { ($0.onConflict, $0.hasCondition) = (.keep, true) }, tag: "\"1\"")
        scene.advance()
        scene.answer(1, 412)
        scene.advance()

        scene.answer(1, 503)
        scene.pass(.seconds(1))

        #expect(scene.asked() == [1])
    }

    @Test func `a conflict holds its lane until it is settled`() {
        var scene = scene(.refetch)
        scene.answer(1, 412)

        #expect(scene.asked() == [])
        #expect(scene.asked() == [])
    }

    // MARK: Rule 18

    @Test(arguments: [409, 412, 422, 428]) func `SD-20 a conflict of a repeated try that finds what was sent is sent`(status: Int) {
        var scene = repeated()

        #expect(scene.answer(1, status) == ["check 1"])
        #expect(scene.state(1) == .sending)
        #expect(scene.asked() == [])
        #expect(scene.machine.checked(1, isThere: true, tag: "\"7\"", at: scene.now).words == ["1 sent"])
        #expect(scene.asked() == [2])
    }

    @Test func `the tag of what was found is passed on`() {
        var scene = MachineScene()
        scene.take(1, of: "x", by: .rules { $0.hasCondition = true }, tag: "\"1\"")
        scene.take(2, of: "x", by: .rules { $0.hasCondition = true }, tag: "\"1\"")
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(90))
        scene.advance()
        scene.answer(1, 412)

        _ = scene.machine.checked(1, isThere: true, tag: "\"7\"", at: scene.now)

        #expect(scene.row(2)?.tag == "\"7\"")
    }

    @Test func `what is not there is a conflict like any other`() {
        var scene = repeated(.fail)
        scene.answer(1, 412)
        #expect(scene.machine.checked(1, isThere: false, tag: nil, at: scene.now).words == ["1 failed: conflict: status 412", "load 1"])

        scene = repeated(.refetch)
        scene.answer(1, 409)
        #expect(scene.machine.checked(1, isThere: false, tag: nil, at: scene.now).words == ["1 waiting: conflict: status 409"])
        #expect(scene.advance() == ["find the tag of 1"])
    }

    @Test(arguments: ConflictRule.allCases) func `what is refused and not there has failed, whatever the rule for conflicts`(
        rule: ConflictRule
    ) {
        var scene = repeated(rule)
        scene.answer(1, 422, detail: "too long")

        let steps = scene.machine.checked(1, isThere: false, tag: nil, at: scene.now)

        #expect(steps.words == ["1 failed: status 422", "load 1"])
    }

    @Test func `422 to a first try is a refusal`() {
        var scene = scene(.refetch)

        #expect(scene.answer(1, 422) == ["1 failed: status 422", "load 1"])
    }

    @Test func `as long as it cannot be seen, it is neither`() {
        var scene = repeated()
        scene.answer(1, 412)

        let steps = scene.machine.checked(1, isThere: nil, tag: nil, at: scene.now)

        #expect(steps.words == ["1 waiting: whether it was made could not be seen"])
        #expect(scene.asked() == [])
        scene.pass(.milliseconds(500))
        #expect(scene.asked() == [1])
        #expect(scene.answer(1, 412) == ["check 1"])
    }

    @Test func `a 409 soon after the first try is tried again up to five times, since the origin may be at it still`() {
        var scene = scene(.fail)
        scene.end(1, .uncertain("reset"))
        for _ in 1...5 {
            scene.pass(.seconds(1))
            #expect(scene.asked() == [1])
            #expect(scene.answer(1, 409) == ["1 waiting: status 409: the origin may still be at an earlier try"])
            #expect(scene.pause(1) == .seconds(1))
        }
        scene.pass(.seconds(1))
        scene.advance()

        #expect(scene.answer(1, 409) == ["check 1"])
    }

    @Test func `only within 60 s of the first uncertain try, and only 409`() {
        var scene = repeated(after: .milliseconds(59_999))
        #expect(scene.answer(1, 409) == ["1 waiting: status 409: the origin may still be at an earlier try"])

        scene = repeated(after: .seconds(60))
        #expect(scene.answer(1, 409) == ["check 1"])

        scene = repeated(after: .seconds(1))
        #expect(scene.answer(1, 412) == ["check 1"])
    }

    @Test func `tries that were not processed do not begin the 60 s`() {
        var scene = scene(.fail)
        scene.answer(1, 503)
        scene.pass(.seconds(600))
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.pass(.seconds(2))
        scene.advance()

        #expect(scene.answer(1, 409) == ["1 waiting: status 409: the origin may still be at an earlier try"])
    }

    @Test func `conflicts of an origin that was at it still do not count for the rule`() {
        var scene = repeated(.refetch, after: .seconds(1))
        for _ in 1...5 {
            scene.answer(1, 409)
            scene.pass(.seconds(1))
            scene.advance()
        }
        scene.answer(1, 409)

        let steps = scene.machine.checked(1, isThere: false, tag: nil, at: scene.now)

        #expect(steps.words == ["1 waiting: conflict: status 409"])
    }

    @Test func `what a check finds says nothing of the target, which rests on`() {
        var scene = MachineScene()
        scene.take(1, in: ["a"], by: .byID)
        scene.take(2, in: ["b"], by: .byID)
        scene.take(3, in: ["c"], by: .byID)
        scene.advance()
        scene.end(1, .uncertain("reset"))
        scene.answer(2, 200)
        scene.pass(.seconds(90))
        scene.advance()
        scene.answer(1, 412)
        scene.answer(3, 503)

        _ = scene.machine.checked(1, isThere: true, tag: nil, at: scene.now)

        scene.take(4, in: ["d"])
        #expect(scene.asked() == [])
        #expect(scene.wake == .milliseconds(500))
    }
}
