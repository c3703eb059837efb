import PipelineJSON
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline
@testable import PipelineComposing

/// What becomes of a whole when its time is over.
@Suite struct CompositeDeadlineTests {
    private func object(_ members: (String, PartSpec)...) -> CompositeSpec {
        CompositeSpec(.object(members.map { ($0.0, $0.1) }))
    }

    /// A composite within a composite; the inner one does without a part that hangs.
    private func nested(isOptional: Bool = true) -> Combination {
        let screen = Combination()
        screen.part("quick", "1")
        screen.part("inner quick", "1")
        screen.part("slow", "2").delay(.reads, until: Gate())
        screen.whole(object(("q", "inner quick"), ("s", PartSpec("slow", optional: isOptional))), named: "inner")
        screen.whole(object(("inner", "inner"), ("q", "quick")))
        return screen
    }

    /// A value with a link to a user that hangs, followed in a part.
    private func followed(isOptional: Bool = true) throws -> Combination {
        let screen = Combination()
        let link = LinkSpec("author", at: try JSONPath("/by"), pipeline: "user", optional: isOptional)
        screen.part("quick", #"{"by":1}"#, links: [link])
        screen.part("user", "2", parameters: ["id"]).delay(.reads, until: Gate())
        screen.whole(CompositeSpec(.of(PartSpec("quick", follow: ["author"]))))
        return screen
    }

    @Test(arguments: [true, false])
    func `KO-14 at the deadline a composite within a composite gives what it has`(hasDeadline: Bool) async throws {
        let screen = nested()

        async let fetched = screen.fetch(timeout: hasDeadline ? .seconds(1) : nil)
        await screen["slow"].reads(atLeast: 1)
        for name in ["quick", "inner quick"] { await screen[name].finished(.reads, atLeast: 1) }
        // Without a deadline there is the usual limit of a tier.
        screen.time.advance(by: hasDeadline ? .seconds(1) : .seconds(30))
        let outcome = try await fetched

        #expect(outcome.text == #"{"inner":{"q":1},"q":1}"#)
        #expect(!outcome.isComplete)
        #expect(outcome.partTrace == "/inner: value, /q: value, /inner/s: failed")
        #expect(outcome.parts.last?.outcome?.trace == "slow: timeout")
        #expect(outcome.parts.last?.key == Key(pipeline: "slow"))
    }

    @Test func `KO-14 at the usual limit a composite that began later gives what it has`() async throws {
        let screen = Combination()
        screen.part("first", #"{"id":1}"#).delay(.reads, by: .seconds(5))
        screen.part("quick", "1")
        screen.part("slow", "2", parameters: ["id"]).delay(.reads, until: Gate())
        let inner = object(("q", "quick"), ("s", PartSpec("slow", optional: true)))
        screen.whole(inner, named: "inner", parameters: ["id"])
        let id = PartArgument.from("first", at: JSONPointer(tokens: ["id"]))
        screen.whole(object(("first", "first"), ("inner", PartSpec("inner", with: ["id": id]))))

        async let fetched = screen.fetch()
        await screen["first"].reads(atLeast: 1)
        screen.time.advance(by: .seconds(5))
        await screen["slow"].reads(atLeast: 1)
        screen.time.advance(by: .seconds(25))

        #expect(try await fetched.text == #"{"first":{"id":1},"inner":{"q":1}}"#)
    }

    @Test(arguments: [true, false])
    func `KO-14 at the deadline an optional link that is followed is left out`(hasDeadline: Bool) async throws {
        let screen = try followed()

        async let fetched = screen.fetch(timeout: hasDeadline ? .seconds(1) : nil)
        await screen["user"].reads(atLeast: 1)
        screen.time.advance(by: hasDeadline ? .seconds(1) : .seconds(30))
        let outcome = try await fetched

        #expect(outcome.text == #"{"by":1}"#)
        #expect(!outcome.isComplete)
        #expect(outcome.partTrace == "quick: value, /author: failed")
    }

    @Test func `KO-14 at the deadline what is required within a composite, or followed, fails the whole and is named`() async throws {
        let (nested, followed) = (nested(isOptional: false), try followed(isOptional: false))
        async let one = nested.fetch(timeout: .seconds(1))
        async let two = followed.fetch(timeout: .seconds(1))
        await nested["slow"].reads(atLeast: 1)
        for name in ["quick", "inner quick"] { await nested[name].finished(.reads, atLeast: 1) }
        await followed["user"].reads(atLeast: 1)
        nested.time.advance(by: .seconds(1))
        followed.time.advance(by: .seconds(1))

        let inner = try #require(try await one.failure)
        #expect(inner.kind == .deadlineExceeded)
        #expect(inner.attempts.last?.reason?.contains("part `inner`: ") == true)
        #expect(inner.attempts.last?.reason?.contains("part `slow`") == false)
        #expect(inner.attempts.last?.reason?.contains("part `s`: ") == true)
        let link = try #require(try await two.failure)
        #expect(link.kind == .deadlineExceeded)
        #expect(link.attempts.last?.reason?.contains("link `author` at `/author`: ") == true)
    }

    @Test func `KO-14 a part whose load another fetch goes on with is left, too, and keeps its key`() async throws {
        let screen = Combination()
        screen.part("quick", "1")
        screen.part("slow", "2").delay(.reads, until: Gate())
        screen.whole(object(("q", "quick"), ("s", PartSpec("slow", optional: true))))
        let patient = Task { try await screen.fetch("slow") }
        await screen["slow"].reads(atLeast: 1)
        async let fetched = screen.fetch(timeout: .seconds(1))
        let slow = try screen.pipeline("slow")
        try await yieldUntil { slow.flights[0].waiterCount(of: try slow.key()) >= 2 }
        await screen["quick"].finished(.reads, atLeast: 1)
        try await yieldUntil { try screen.pipeline("quick").loadsUnderWay == 0 }
        // The other fetch goes on, and the part waits for it no longer than until its own deadline.
        screen.time.advance(by: .seconds(1))
        let outcome = try await fetched

        #expect(outcome.text == #"{"q":1}"#)
        #expect(outcome.parts.last?.key == Key(pipeline: "slow"))
        #expect(outcome.parts.last?.problem?.code == "deadline_exceeded")
        patient.cancel()
        _ = await patient.result
    }

    @Test func `a fetch with more time is not given what a composite within it had at the deadline of another`() async throws {
        let screen = Combination()
        screen.part("b", "2")
        screen.whole(object(("b", PartSpec("b", optional: true))), named: "inner")
        screen.whole(object(("inner", "inner")))

        let texts = try await screen.hastyAndPatient(reading: "b")

        #expect(texts.hasty == #"{"inner":{}}"#)
        #expect(texts.patient == #"{"inner":{"b":2}}"#)
    }

    @Test func `the timeout of a part is told as that, and not as a deadline`() async throws {
        let screen = Combination()
        screen.part("s", "2").delay(.reads, until: Gate())
        screen.whole(object(("s", PartSpec("s", default: "1", timeout: .milliseconds(200)))))

        async let fetched = screen.fetch(timeout: .seconds(9))
        await screen["s"].reads(atLeast: 1)
        screen.time.advance(by: .milliseconds(200))
        let part = try #require(try await fetched.parts.first)

        #expect(part.problem == PartOutcome.Problem(code: "timeout", message: "no answer within its timeout of 200ms"))
        #expect(part.outcome?.attempts.map(\.description) == ["s: timeout (no answer within its timeout of 200ms)"])
        #expect(part.key == Key(pipeline: "s"))
    }

    @Test func `what the deadline cut off keeps its key and what its tiers did`() async throws {
        let screen = Combination()
        screen.part("s", "2", ttl: .seconds(60)).delay(.reads, until: Gate())
        screen.whole(object(("s", PartSpec("s", default: "1"))))

        async let fetched = screen.fetch(timeout: .seconds(1))
        await screen["s"].reads(atLeast: 1)
        screen.time.advance(by: .seconds(1))
        let part = try #require(try await fetched.parts.first)

        #expect(part.outcome?.trace == "memory_of_s: miss, s: timeout")
        #expect(part.key == Key(pipeline: "s"))
        #expect(part.problem?.code == "deadline_exceeded")
    }

    @Test func `KO-03 parts that need nothing start at once, and the whole is there with the last of them`() async throws {
        let screen = Combination()
        for name in ["a", "b", "c"] { screen.part(name, "0").delay(.reads, by: .milliseconds(100)) }
        screen.whole(object(("a", "a"), ("b", "b"), ("c", "c")))

        async let fetched = screen.fetch()
        for name in ["a", "b", "c"] { await screen[name].reads(atLeast: 1) }
        // Their delays, and the limits of their tiers and of the whole.
        await screen.time.sleepers(atLeast: 7)
        screen.time.advance(by: .milliseconds(100))
        let outcome = try await fetched

        #expect(outcome.text == #"{"a":0,"b":0,"c":0}"#)
        #expect(outcome.attempts.last?.duration == .milliseconds(100))
    }
}
