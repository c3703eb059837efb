import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

/// What ends a fetch before all of it is there, and what a whole comes to that has nothing to be made of.
@Suite struct CompositeBoundTests {
    private func users(_ ids: String, most: Size = .mebibytes(64)) -> Combination {
        let screen = Combination()
        screen.part(
            "posts", StubAnswer(stringLiteral: #"{"ids":[\#(ids)]}"#),
            links: [LinkSpec("users", at: JSONPath(JSONPointer(tokens: ["ids"])), pipeline: "user")]
        ) { $0.policy.maxSize = most }
        return screen
    }

    @Test func `targets that are too large together end the fetch, and the others are not waited for`() async throws {
        let screen = users("1,2,3", most: Size(bytes: 100))
        let gate = Gate()
        defer { gate.open() }
        screen.part("user", parameters: ["id"]) { spec in
            let source = ScriptedUsers(screen.time) { id in
                if id == "3" { try await gate.wait() }
                return "\"" + String(repeating: "x", count: 60) + "\""
            }
            spec.tiers = [TierSpec(SourceSpec("users", source))]
        }

        let error = try await screen.fetch("posts", following: ["users"]).failure?.linkError

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "the value with its links cannot be assembled: 124 bytes, and no more than 100 are allowed")
    }

    @Test func `a target that is placed often counts each time`() async throws {
        let screen = users(Array(repeating: "1", count: 50).joined(separator: ","), most: Size(bytes: 400))
        screen.part("user", #""123456789""#, parameters: ["id"])

        let reason = try await screen.fetch("posts", following: ["users"]).failure?.linkError?.reason

        #expect(reason == "the value with its links cannot be assembled: 407 bytes, and no more than 400 are allowed")
    }

    @Test func `a required target that fails ends the fetch at once, also among those of a batch`() async throws {
        let screen = users("1,2,3")
        let (gate, isAsked) = (Gate(), Gate())
        defer { gate.open() }
        screen.part("user", parameters: ["id"]) { spec in
            let source = ScriptedUsers(screen.time, most: 2) { id in
                if id == "1" {
                    try await isAsked.wait()
                    throw SourceError("away")
                }
                // It has a call of its own.
                if id == "3" { isAsked.open() }
                try await gate.wait()
                return id
            }
            spec.tiers = [TierSpec(SourceSpec("users", source))]
        }

        let reason = try await screen.fetch("posts", following: ["users"]).failure?.linkError?.reason

        #expect(reason?.hasPrefix("link `users` at `/users`: ") == true)
    }

    @Test func `any number of loads may be allowed at the same time`() async throws {
        let screen = users("1,2")
        screen.part("user", "0", parameters: ["id"])
        var combine = CompositeSpec(.of(PartSpec("posts", follow: ["users"])))
        combine.concurrency = .max
        screen.whole(combine)

        #expect(try await screen.fetch().text == #"{"ids":[1,2],"users":[0,0]}"#)
    }

    @Test func `the loads of composites within composites count together`() async throws {
        let screen = Combination()
        for name in ["one", "two"] {
            let ids = (0..<5_100).map { "\"\(name)\($0)\"" }.joined(separator: ",")
            screen.part(
                "ids_\(name)", StubAnswer(stringLiteral: #"{"ids":[\#(ids)]}"#),
                links: [LinkSpec("users", at: JSONPath(JSONPointer(tokens: ["ids"])), pipeline: "user")])
            var combine = CompositeSpec(.of(PartSpec("ids_\(name)", follow: ["users"])))
            combine.max = 6_000
            screen.whole(combine, named: name)
        }
        screen.part("user", parameters: ["id"]) { $0.tiers = [TierSpec(SourceSpec("users", BatchStub(screen.time, most: 6_000)))] }
        screen.whole(CompositeSpec(.object([("one", "one"), ("two", "two")])))

        #expect(try await screen.fetch("one").failure == nil)
        let reason = try await screen.fetch().failure?.attempts.last?.reason
        #expect(reason?.contains("loads, and no more than 10000 are allowed for one fetch") == true)
    }

    @Test(arguments: [true, false]) func `a whole whose only part is left out is not there`(isJoin: Bool) async throws {
        let screen = Combination()
        let a = PartSpec("a", optional: true)
        screen.part("a", .notFound)
        screen.part("b", "[]")
        let join = CompositeSpec.Shape.join(a, on: JSONPointer(tokens: ["id"]), to: "b", toOn: JSONPointer(tokens: ["id"]), as: "b")
        screen.whole(CompositeSpec(isJoin ? join : .of(a)))

        let absent = try await screen.fetch()
        #expect(absent.text == nil)
        #expect(absent.failure == nil)
        #expect(absent.isComplete)

        screen["a"].answers(.error())
        // A failure is not the knowledge that there is none.
        let failed = try await screen.fetch()
        #expect(failed.text == nil)
        #expect(failed.failure?.attempts.last?.reason?.hasPrefix("part `a`: no tier could answer for `a`") == true)
        #expect(failed.partTrace.contains("failed"))
    }

    @Test(arguments: [true, false]) func `a whole whose only part fails is served stale, though that part is optional`(isJoin: Bool)
        async throws
    {
        let screen = Combination()
        let a = PartSpec("a", optional: true)
        screen.part("a", "[]")
        screen.part("b", "[]")
        let join = CompositeSpec.Shape.join(a, on: JSONPointer(tokens: ["id"]), to: "b", toOn: JSONPointer(tokens: ["id"]), as: "b")
        screen.whole(CompositeSpec(isJoin ? join : .of(a)), ttl: .seconds(1)) { $0.policy.staleIfError = .seconds(60) }
        try await screen.fetch()
        screen["a"].answers(.error())
        screen.time.advance(by: .seconds(2))

        let outcome = try await screen.fetch()

        #expect(outcome.text == "[]")
        #expect(outcome.isStale && outcome.isComplete)
        // The copy was not made from what failed.
        #expect(outcome.parts.isEmpty && outcome.attemptedParts.map(\.ending).contains(.failed))
    }

    @Test func `null takes the place of a part where its default says so`() async throws {
        let screen = Combination()
        screen.part("a", .notFound)
        screen.whole(CompositeSpec(.of(PartSpec("a", default: "null"))))

        #expect(try await screen.fetch().text == "null")
    }

    @Test func `a fetch that follows links counts the loads of the value and of the links together`() async throws {
        let screen = Combination()
        let ids = { (count: Int) in (0..<count).map { "\"\(count)/\($0)\"" }.joined(separator: ",") }
        let users = LinkSpec("users", at: JSONPath(JSONPointer(tokens: ["ids"])), pipeline: "user")
        let others = LinkSpec("others", at: JSONPath(JSONPointer(tokens: ["more"])), pipeline: "user")
        screen.part("ids", StubAnswer(stringLiteral: #"{"ids":[\#(ids(9_500))],"more":[\#(ids(900))]}"#), links: [users])
        var combine = CompositeSpec(.of(PartSpec("ids", follow: ["users"])))
        combine.max = 10_000
        screen.whole(combine, links: [others])
        screen.part("user", parameters: ["id"]) { $0.tiers = [TierSpec(SourceSpec("users", BatchStub(screen.time, most: 10_000)))] }

        #expect(try await screen.fetch().failure == nil)
        let reason = try await screen.fetch(following: ["others"]).failure?.linkError?.reason
        #expect(reason == "10401 loads, and no more than 10000 are allowed for one fetch")
    }

    @Test func `a join that is too large ends before its elements are copied`() async throws {
        let screen = Combination()
        let big = String(repeating: "x", count: 1_000)
        screen.part("a", StubAnswer(stringLiteral: "[" + Array(repeating: #"{"b":1}"#, count: 10_000).joined(separator: ",") + "]"))
        screen.part("b", StubAnswer(stringLiteral: #"[{"id":1,"x":"\#(big)"}]"#))
        let join = CompositeSpec.Shape.join("a", on: JSONPointer(tokens: ["b"]), to: "b", toOn: JSONPointer(tokens: ["id"]), as: "to")
        var combine = CompositeSpec(join)
        combine.maxSize = Size(bytes: 2_000)
        screen.whole(combine)

        // Two elements of 1,028 bytes, a bracket and a comma each: the rest was not looked at.
        let reason = try await screen.fetch().failure?.attempts.last?.reason
        #expect(reason == "the whole cannot be assembled: 2059 bytes, and no more than 2000 are allowed")
    }

    @Test func `a default is JSON`() throws {
        let part = Combination()
        part.part("a")
        part.whole(CompositeSpec(.of(PartSpec("a", default: "none"))))
        #expect(throws: UsageError.self) { try part.pipelines }

        let link = Combination()
        let place = JSONPath(JSONPointer(tokens: ["b"]))
        link.part("a", parameters: ["x"], links: [LinkSpec("b", at: place, pipeline: "a", default: "{")])
        let error = #expect(throws: UsageError.self) { try link.pipelines }
        #expect(error?.message.contains("the default is not JSON: ") == true)
    }
}

/// Users that a closure gives, one in a call.
private final class ScriptedUsers: Source {
    let batching: Batching?
    private let answer: @Sendable (String) async throws -> String
    private let clock: PipelineClock

    /// - Parameter most: of one call; nil where several cannot be read at once.
    init(_ time: ManualClock, most: Int? = nil, _ answer: @escaping @Sendable (String) async throws -> String) {
        let clock = time.clock
        self.clock = clock
        self.answer = answer
        batching = most.map { most in
            Batching(of: "id", most: most) { keys, _ in
                var results: [Result<Entry?, any Error>] = []
                for key in keys { results.append(.success(Entry(Array(try await answer(key["id"] ?? "").utf8), created: clock.now))) }
                return BatchAnswer(results)
            }
        }
    }

    func read(_ key: Key, _ context: ReadContext) async throws -> Entry? {
        Entry(Array(try await answer(key["id"] ?? "").utf8), created: clock.now)
    }
}
