import Pipeline
import PipelineConfig
import Testing

@testable import PipelineScenarios

/// Each rule on what an engine would do that breaks it, and on what comes close.
struct InvariantTests {
    private static func pipeline(_ name: String) throws -> PipelinePlan {
        try #require(try Tested.suite("policies.test.yaml").report?.plan.pipeline(name))
    }

    private static func attempt(_ source: String, _ outcome: String) -> ScenarioEvent.Part {
        ScenarioEvent.Part(kind: .attempt, source: source, outcome: outcome, reason: nil, tries: 1)
    }

    private static func write(_ source: String, _ outcome: String) -> ScenarioEvent.Part {
        ScenarioEvent.Part(kind: .write, source: source, outcome: outcome, reason: nil, tries: 0)
    }

    private static func event(_ kind: ScenarioEvent.Kind, _ seconds: Int, _ step: Int, _ parts: [ScenarioEvent.Part]) -> ScenarioEvent {
        ScenarioEvent(kind: kind, time: .seconds(seconds), step: step, key: "two", parts: parts)
    }

    private static func run(
        _ steps: [RandomStep], of pipeline: String = "two", _ events: [ScenarioEvent], failing failure: ScenarioFailure? = nil
    ) throws -> ExploredRun {
        ExploredRun(
            steps: steps, pipeline: try Self.pipeline(pipeline),
            outcome: ScenarioOutcome(
                file: "", config: "", name: "", range: .beginning, order: nil, pipeline: pipeline, seed: 1, tags: [], failure: failure,
                events: events, checks: [], elapsed: .zero, virtual: .zero, digest: 0))
    }

    @Test func `a removed value that a cache still has came back`() throws {
        let steps: [RandomStep] = [.fetch, .remove, .fetch]
        let first = Self.event(.fetch, 0, 1, [Self.attempt("memory", "miss"), Self.attempt("api", "hit"), Self.write("disk", "scheduled")])
        func last(_ outcome: String) -> ScenarioEvent { Self.event(.fetch, 0, 3, [Self.attempt("disk", outcome)]) }
        let removal = Self.event(.remove, 0, 2, [Self.write("memory", "removed"), Self.write("disk", "removed")])
        let failed = Self.event(.remove, 0, 2, [Self.write("disk", "failed")])
        let written = Self.event(.write, 0, 2, [Self.write("disk", "written")])

        let broken = Invariant.removals.violation(try Self.run(steps, [first, removal, last("hit")]))

        #expect(broken == Invariant.Violation(step: 3, message: "a removed value came back: disk hit", expected: "tiers: [disk miss]"))
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, last("expired")])) != nil)
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, last("miss")])) == nil)
        #expect(Invariant.removals.violation(try Self.run(steps, [first, failed, last("hit")])) == nil)
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, written, last("hit")])) == nil)
        // A load that began before the removal may tell later what it read before.
        func background(readAt milliseconds: Int) -> ScenarioEvent {
            var read = Self.attempt("disk", "hit")
            read.time = .milliseconds(milliseconds)
            return Self.event(.refresh, 1, 3, [read])
        }
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, background(readAt: 0)])) == nil)
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, background(readAt: 1)])) != nil)
        // The copy of a part is another one.
        var part = Self.event(.refresh, 0, 3, [Self.attempt("disk", "hit")])
        (part.key, part.isOfPart) = ("another", true)
        #expect(Invariant.removals.violation(try Self.run(steps, [first, removal, part])) == nil)
    }

    @Test func `a copy that is fresh after the one it was made from outlived it`() throws {
        let steps: [RandomStep] = [.fetch, .fetch, .fetch]
        let first = Self.event(.fetch, 0, 1, [Self.attempt("api", "hit"), Self.write("disk", "written")])
        let second = Self.event(.fetch, 55, 2, [Self.attempt("disk", "hit"), Self.write("memory", "written")])
        func last(_ seconds: Int) -> ScenarioEvent { Self.event(.fetch, seconds, 3, [Self.attempt("memory", "hit")]) }

        let broken = Invariant.lives.violation(try Self.run(steps, [first, second, last(60)]))

        #expect(broken?.expected == "tiers: [memory expired]")
        #expect(broken?.step == 3)
        #expect(Invariant.lives.violation(try Self.run(steps, [first, second, last(59)])) == nil)
    }

    @Test func `a copy is compared with the one that was read, at the moment at which it was`() throws {
        func hit(_ source: String, at seconds: Int) -> ScenarioEvent.Part {
            var part = Self.attempt(source, "hit")
            part.time = .seconds(seconds)
            return part
        }
        let first = Self.event(.fetch, 0, 1, [Self.attempt("api", "hit"), Self.write("disk", "written")])
        let waiting: [RandomStep] = [.fetch, .wait(.seconds(70))]
        // A load in the background ends after the copy has expired that it read.
        func background(readAt seconds: Int) -> ScenarioEvent { Self.event(.refresh, 65, 2, [hit("disk", at: seconds)]) }

        #expect(Invariant.lives.violation(try Self.run(waiting, [first, background(readAt: 59)])) == nil)
        #expect(Invariant.lives.violation(try Self.run(waiting, [first, background(readAt: 60)]))?.step == 2)

        // A fetch that takes from 58s to 61s reads what was written meanwhile, which is told after it.
        let slow = ScenarioEvent(
            kind: .fetch, time: .seconds(58), step: 2, key: "two", parts: [hit("disk", at: 61), Self.write("memory", "written")],
            took: .seconds(3))
        let meanwhile = Self.event(.write, 59, 2, [Self.write("disk", "written")])
        let steps: [RandomStep] = [.fetch, .fetch, .fetch]
        func last(_ seconds: Int) -> ScenarioEvent { Self.event(.fetch, seconds, 3, [Self.attempt("memory", "hit")]) }

        #expect(Invariant.lives.violation(try Self.run(steps, [first, slow, meanwhile, last(70)])) == nil)
        #expect(Invariant.lives.violation(try Self.run(steps, [first, slow, meanwhile, last(71)]))?.step == 3)
        // The copy of a part is kept under another key.
        var part = Self.event(.write, 0, 1, [Self.write("memory", "written")])
        part.key = "another"
        #expect(Invariant.lives.violation(try Self.run([.fetch, .fetch, .fetch], [first, part, last(15)])) == nil)
    }

    @Test func `what a load in the background got is read before it is written`() throws {
        let first = Self.event(.fetch, 0, 1, [Self.attempt("api", "hit"), Self.write("disk", "written")])
        let background = Self.event(.refresh, 599, 2, [Self.attempt("api", "hit")])
        let second = Self.event(.fetch, 601, 3, [Self.attempt("disk", "hit"), Self.write("memory", "written")])
        let last = Self.event(.fetch, 605, 4, [Self.attempt("memory", "hit")])
        let steps: [RandomStep] = [.fetch, .wait(.seconds(599)), .fetch, .fetch]

        #expect(Invariant.lives.violation(try Self.run(steps, of: "late", [first, background, second, last])) == nil)
        #expect(Invariant.lives.violation(try Self.run(steps, of: "late", [first, second, last]))?.step == 3)
    }

    @Test(arguments: [(1_001, true), (1_000, false)])
    func `a fetch that takes longer than its deadline is late`(milliseconds: Int, isLate: Bool) throws {
        let event = ScenarioEvent(
            kind: .fetch, time: .seconds(5), step: 2, key: "timed", parts: [Self.attempt("api", "timeout")],
            took: .milliseconds(milliseconds))

        let ofPipeline = Invariant.deadlines.violation(try Self.run([.wait(.seconds(5)), .fetch], of: "timed", [event]))
        let ofCall = Invariant.deadlines.violation(try Self.run([.wait(.seconds(5)), .fetchWithin(.seconds(1))], [event]))

        #expect((ofPipeline?.expected == "took: 1s") == isLate)
        #expect((ofCall?.expected == "took: 1s") == isLate)
        #expect(Invariant.deadlines.violation(try Self.run([.wait(.seconds(5)), .fetch], [event])) == nil)
    }

    @Test func `fetches at once that get two answers made two loads`() throws {
        let steps: [RandomStep] = [.answer("api", .once("[1]")), .crowd]
        let one = Self.event(.fetch, 0, 2, [Self.attempt("memory", "miss"), Self.attempt("api", "hit")])
        let other = Self.event(.fetch, 0, 2, [Self.attempt("memory", "miss"), Self.attempt("api", "error")])
        let hit = Self.event(.fetch, 0, 2, [Self.attempt("memory", "hit")])

        #expect(Invariant.loads.violation(try Self.run(steps, [one, other]))?.message == "fetches at once made two loads of `api`")
        #expect(Invariant.loads.violation(try Self.run(steps, [one, hit])) == nil)
        // Two parts may ask for one value, one after the other.
        let parts = [one, other].map { event in
            var part = Self.event(.refresh, 0, 2, event.parts)
            part.isOfPart = true
            return part
        }
        #expect(Invariant.loads.violation(try Self.run(steps, parts)) == nil)
        #expect(Invariant.loads.violation(try Self.run([.answer("api", .errorThen("[1]")), .crowd], [one, other])) == nil)
    }

    @Test func `a step that does not end breaks a rule`() throws {
        let failure = ScenarioFailure(
            step: 1, word: "fetch", time: .zero, field: "", range: .beginning, expected: nil, actual: nil, message: "hangs")

        #expect(Invariant.ends.violation(try Self.run([.fetch], [], failing: failure))?.message == "hangs")
        #expect(Invariant.ends.violation(try Self.run([.fetch], [])) == nil)
    }
}
