import PipelineComposing
import PipelineJSON
import PipelineTesting
import TestSupport
import Testing

@testable import Pipeline

@Suite struct CompositeTests {
    private func object(_ members: (String, PartSpec)...) -> CompositeSpec {
        CompositeSpec(.object(members.map { ($0.0, $0.1) }))
    }

    @Test func `KO-19 an object has a member for each part, in the order in which they are written`() async throws {
        let screen = Combination()
        screen.part("user", #"{"id": 1}"#, parameters: ["id"]).delay(.reads, by: .milliseconds(20))
        screen.part("friends", "[1, 2]", parameters: ["user"])
        screen.whole(
            object(("me", PartSpec("user", with: ["id": "{user}"])), ("friends", "friends")), parameters: ["user"])

        async let fetched = screen.fetch("home", ["user": "42"])
        await screen["user"].reads(atLeast: 1)
        await screen["friends"].finished(.reads, atLeast: 1)
        screen.time.advance(by: .milliseconds(20))
        let outcome = try await fetched

        #expect(outcome.text == #"{"me":{"id": 1},"friends":[1, 2]}"#)
        #expect(outcome.isComplete)
        #expect(outcome.partTrace == "/me: value, /friends: value")
        #expect(screen["user"].calls.map(\.key?.text) == ["user,id=42"])
        #expect(screen["friends"].calls.map(\.key?.text) == ["friends,user=42"])
    }

    @Test func `KO-01 the whole is fresh until the first part expires, and as old as the oldest`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(10))
        screen.part("b", "2", ttl: .seconds(60))
        screen.part("c", "3")
        screen.whole(object(("a", "a"), ("b", "b"), ("c", "c")), ttl: .seconds(30))
        try await screen.fetch("b")
        screen.time.advance(by: .seconds(2))

        let first = try await screen.fetch()
        #expect(first.freshFor == .seconds(10))
        #expect(first.age == .seconds(2))
        #expect(first.writeTrace == "memory_of_home: written")
        screen.time.advance(by: .seconds(9))
        #expect(try await screen.fetch().trace == "memory_of_home: hit")
        screen.time.advance(by: .seconds(1))
        #expect(try await screen.fetch().trace == "memory_of_home: expired, combine: hit")
        #expect(screen["a"].readCount == 2)
        #expect(screen["b"].readCount == 1)
    }

    @Test func `KO-02 a stale part makes the whole stale, and no cache keeps that`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(10)) { $0.policy.staleIfError = .seconds(100) }
        screen.part("b", "2")
        screen.whole(object(("a", "a"), ("b", "b")), ttl: .seconds(30))
        try await screen.fetch("a")
        screen.time.advance(by: .seconds(11))
        screen["a"].fail()

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"#)
        #expect(outcome.isStale)
        #expect(outcome.staleReason?.hasPrefix("part a: ") == true)
        #expect(outcome.isComplete)
        #expect(outcome.writes.map(\.outcome) == [.skipped])
        #expect(outcome.writes[0].reason?.hasPrefix("stale: part a") == true)
        #expect(try await screen.fetch().attempts[0].outcome == .miss)
    }

    @Test func `KO-03 a part that needs another starts when that is there, beside slower ones`() async throws {
        let screen = Combination()
        let (first, slow) = (Gate(), Gate())
        screen.part("order", #"{"shop":{"id":"s/7"}}"#).delay(.reads, until: first)
        screen.part("shop", #""open""#, parameters: ["id"])
        screen.part("slow", "0").delay(.reads, until: slow)
        let place = try #require(JSONPointer("/shop/id"))
        screen.whole(
            object(("shop", PartSpec("shop", with: ["id": .from("order", at: place)])), ("slow", "slow"), ("order", "order")))

        async let fetched = screen.fetch()
        await screen["slow"].reads(atLeast: 1)
        await screen["order"].reads(atLeast: 1)
        #expect(screen["shop"].readCount == 0)
        first.open()
        await screen["shop"].finished(.reads, atLeast: 1)
        slow.open()
        let outcome = try await fetched

        #expect(outcome.text == #"{"shop":"open","slow":0,"order":{"shop":{"id":"s/7"}}}"#)
        #expect(screen["shop"].calls.first?.key?["id"] == "s/7")
    }

    @Test func `KO-04 a required part that fails ends the fetch at once and leaves the others`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("a").fail()
        screen.part("b", "2").delay(.reads, until: gate)
        screen.whole(object(("b", "b"), ("a", "a")))

        let outcome = try await screen.fetch()

        #expect(outcome.failure?.kind == .everyTierFailed)
        #expect(outcome.trace == "combine: error")
        #expect(outcome.attempts[0].reason == "part `a`: no tier could answer for `a`: a: error (a fails)")
        #expect(outcome.partTrace == "/b: skipped, /a: failed")
        await screen["b"].cancellations(atLeast: 1)
    }

    @Test func `KO-04 a part that another fetch waits for goes on when the whole has failed`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("a", .miss).fail()
        screen.part("b", "2").delay(.reads, until: gate)
        screen.whole(object(("b", "b"), ("a", PartSpec("a"))))
        async let other = screen.fetch("b")
        await screen["b"].reads(atLeast: 1)

        #expect(try await screen.fetch().failure != nil)
        gate.open()

        #expect(try await other.text == "2")
        #expect(screen["b"].readCount == 1)
    }

    @Test func `KO-06 what fails is left out where it is optional, and a default takes its place`() async throws {
        let screen = Combination()
        screen.part("a").fail()
        screen.part("b").fail()
        screen.part("c", "3")
        screen.whole(
            object(("a", PartSpec("a", optional: true)), ("b", PartSpec("b", default: " [ ] ")), ("c", "c")), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"b":[ ],"c":3}"#)
        #expect(!outcome.isComplete)
        #expect(outcome.partTrace == "/a: failed, /b: failed (default), /c: value")
        #expect(outcome.writeTrace == "memory_of_home: skipped")
        #expect(outcome.writes[0].reason == "incomplete: `/a` failed")
        #expect(try await screen.fetch().attempts[0].outcome == .miss)
    }

    @Test func `an incomplete whole leaves the older one where it is`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b", "2")
        screen.whole(object(("a", "a"), ("b", PartSpec("b", optional: true))), ttl: .seconds(30)) { $0.policy.staleIfError = .seconds(100) }
        try await screen.fetch()
        screen.time.advance(by: .seconds(31))
        screen["b"].fail()
        #expect(try await screen.fetch().text == #"{"a":1}"#)
        screen["a"].fail()

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"a":1,"b":2}"#)
        #expect(outcome.isStale)
        #expect(outcome.isComplete)
    }

    @Test func `KO-07 a part that is not there is left out or has its default, for as long as that is remembered`() async throws {
        let screen = Combination()
        screen.part("a", .notFound, ttl: .seconds(60)) { $0.policy.notFoundTTL = .seconds(3) }
        screen.part("b", .notFound, ttl: .seconds(60)) { $0.policy.notFoundTTL = .seconds(5) }
        screen.whole(object(("a", PartSpec("a", default: "[]")), ("b", PartSpec("b", optional: true))), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"a":[]}"#)
        #expect(outcome.isComplete)
        #expect(outcome.freshFor == .seconds(3))
        #expect(outcome.partTrace == "/a: not_found (default), /b: not_found")
        #expect(outcome.writeTrace == "memory_of_home: written")
        screen.time.advance(by: .seconds(3))
        #expect(try await screen.fetch().trace == "memory_of_home: expired, combine: hit")
    }

    @Test func `that a part is not there and is not remembered keeps the whole out of caches`() async throws {
        let screen = Combination()
        screen.part("a", .notFound)
        screen.whole(object(("a", PartSpec("a", default: "[]"))), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(outcome.isComplete)
        #expect(outcome.writes.map(\.reason) == ["part `a` is not there, and that is not remembered"])
        #expect(outcome.freshFor == .zero)
    }

    @Test func `the whole is not there when a required part is not, unless one fails`() async throws {
        let screen = Combination()
        screen.part("a", .notFound)
        screen.part("b", "2")
        screen.whole(object(("a", "a"), ("b", "b")))
        #expect(try await screen.fetch().trace == "combine: not_found")

        screen["b"].fail()
        #expect(try await screen.fetch().failure != nil)
    }

    @Test func `nothing is selected in a text`() async throws {
        let screen = Combination()
        screen.part("a", "hi") { $0.policy.format = .text }
        let place = try #require(JSONPointer("/x"))
        screen.whole(object(("a", PartSpec("a", select: place, optional: true))))

        // Pipelines that are made in Swift are checked, too.
        #expect(throws: UsageError.self) { try screen.pipelines }
    }

    @Test func `KO-04 a part that was asked and not waited for is told with its key`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("slow", "1", parameters: [ParameterSpec("id", default: "5")]).delay(.reads, until: gate)
        screen.part("bad", .error())
        screen.whole(object(("slow", "slow"), ("bad", "bad")))

        let outcome = try await screen.fetch()
        gate.open()

        let slow = try #require(outcome.parts.first { $0.at == "/slow" })
        #expect(slow.ending == .skipped && slow.key?.text == "slow,id=5")
        #expect(slow.problem?.message == "the result was certain without it")
    }

    @Test(arguments: ["null", "0", "\"\"", "[]"]) func `KO-09 an empty value is a value`(_ value: String) async throws {
        let screen = Combination()
        screen.part("a", StubAnswer(stringLiteral: value))
        screen.whole(object(("a", PartSpec("a", default: "1"))))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"a":\#(value)}"#)
        #expect(outcome.isComplete)
    }

    @Test(arguments: [
        (#"{}"#, "part `shop`: `order` has nothing at `/id`"), (#"{"id":null}"#, "part `shop`: `order` has null at `/id`"),
        (#"{"id":""}"#, "part `shop`: `order` at `/id`: an empty text is no id"),
        (#"{"id":1,"id":2}"#, "part `shop`: `order`: the name `id` occurs twice in an object at byte 8"),
    ]) func `KO-11 an argument that a part does not have makes the other part invalid`(_ order: String, _ reason: String) async throws {
        let screen = Combination()
        screen.part("order", StubAnswer(stringLiteral: order))
        screen.part("shop", "1", parameters: ["id"])
        let place = try #require(JSONPointer("/id"))
        screen.whole(object(("order", "order"), ("shop", PartSpec("shop", with: ["id": .from("order", at: place)]))))
        screen.whole(
            object(("order", "order"), ("shop", PartSpec("shop", with: ["id": .from("order", at: place)], optional: true))),
            named: "lenient")

        let outcome = try await screen.fetch()
        #expect(outcome.trace == "combine: invalid")
        #expect(outcome.attempts[0].reason == reason)
        #expect(screen["shop"].readCount == 0)

        let lenient = try await screen.fetch("lenient")
        #expect(lenient.text == #"{"order":\#(order)}"#)
        #expect(!lenient.isComplete)
    }

    @Test func `an argument that is all of a part's value, and no id, is named so`() async throws {
        let screen = Combination()
        screen.part("order", "{}")
        screen.part("shop", "1", parameters: ["id"])
        screen.whole(object(("order", "order"), ("shop", PartSpec("shop", with: ["id": .from("order", at: .whole)]))))

        #expect(try await screen.fetch().attempts[0].reason == "part `shop`: `order`, the whole value: an object is no id")
    }

    @Test func `what depends on a part without a value is not asked`() async throws {
        let screen = Combination()
        screen.part("order").fail()
        screen.part("shop", "1", parameters: ["id"])
        let place = try #require(JSONPointer("/id"))
        screen.whole(
            object(
                ("order", PartSpec("order", optional: true)),
                ("shop", PartSpec("shop", with: ["id": .from("order", at: place)], default: "{}"))))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"shop":{}}"#)
        #expect(outcome.partTrace == "/order: failed, /shop: skipped (default)")
        #expect(!outcome.isComplete)
        #expect(screen["shop"].readCount == 0)
    }

    @Test func `KO-13 the same key in two parts is loaded once`() async throws {
        let screen = Combination()
        screen.part("user", "7", parameters: ["id"]).delay(.reads, by: .milliseconds(10))
        screen.whole(object(("a", PartSpec("user", with: ["id": "1"])), ("b", PartSpec("user", with: ["id": "1"]))))

        async let fetched = screen.fetch()
        await screen["user"].reads(atLeast: 1)
        screen.time.advance(by: .milliseconds(10))

        #expect(try await fetched.text == #"{"a":7,"b":7}"#)
        #expect(screen["user"].readCount == 1)
    }

    @Test func `the same key in two parts is asked once also where it fails`() async throws {
        let screen = Combination()
        screen.part("user").fail()
        var combine = object(("a", PartSpec("user", optional: true)), ("b", PartSpec("user", default: "0")))
        combine.concurrency = 1
        screen.whole(combine)

        #expect(try await screen.fetch().text == #"{"b":0}"#)
        #expect(screen["user"].readCount == 1)
    }

    @Test func `KO-14 at the deadline what is optional is left out`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b", "2").delay(.reads, until: Gate())
        screen.whole(object(("a", "a"), ("b", PartSpec("b", optional: true))))

        async let fetched = screen.fetch(timeout: .seconds(1))
        await screen["b"].reads(atLeast: 1)
        await screen["a"].finished(.reads, atLeast: 1)
        screen.time.advance(by: .seconds(1))
        let outcome = try await fetched

        #expect(outcome.text == #"{"a":1}"#)
        #expect(!outcome.isComplete)
        #expect(outcome.parts[1].problem?.code == "deadline_exceeded")
    }

    @Test func `KO-14 at the deadline a required part that is not there is named`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b", "2").delay(.reads, until: Gate())
        screen.whole(object(("a", "a"), ("b", "b")))

        async let fetched = screen.fetch(timeout: .seconds(1))
        await screen["b"].reads(atLeast: 1)
        await screen["a"].finished(.reads, atLeast: 1)
        screen.time.advance(by: .seconds(1))
        let failure = try #require(try await fetched.failure)

        #expect(failure.kind == .deadlineExceeded)
        #expect(failure.attempts[0].reason?.hasPrefix("part `b`: ") == true)
    }

    @Test func `a fetch with more time is not given what another one had at its deadline`() async throws {
        let screen = Combination()
        screen.part("b", "2")
        screen.whole(object(("b", PartSpec("b", optional: true))))

        let texts = try await screen.hastyAndPatient(reading: "b")

        #expect(texts.hasty == "{}")
        #expect(texts.patient == #"{"b":2}"#)
    }

    @Test func `a time limit of a part ends that alone`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b", "2").delay(.reads, until: Gate())
        screen.whole(object(("a", "a"), ("b", PartSpec("b", default: "[]", timeout: .milliseconds(300)))))

        async let fetched = screen.fetch()
        await screen["b"].reads(atLeast: 1)
        screen.time.advance(by: .milliseconds(300))

        #expect(try await fetched.text == #"{"a":1,"b":[]}"#)
    }

    @Test func `KO-17 policies go down`() async throws {
        let screen = Combination()
        screen.part("a", "1", ttl: .seconds(60))
        screen.part("b", "2", ttl: .seconds(60))
        screen.whole(object(("a", "a"), ("b", PartSpec("b", optional: true))), ttl: .seconds(30))
        #expect(try await screen.fetch(policy: .cacheOnly).trace == "memory_of_home: miss, combine: miss")
        try await screen.fetch("a")

        let cached = try await screen.fetch(policy: .cacheOnly)
        #expect(cached.text == #"{"a":1}"#)
        #expect(cached.writeTrace == "memory_of_home: skipped")
        #expect(screen["b"].readCount == 0)

        try await screen.fetch(policy: .refresh)
        #expect(screen["a"].readCount == 2)
        #expect(screen["b"].readCount == 1)

        let apart = try await screen.fetch(policy: .noStore)
        #expect(apart.writes.isEmpty)
        #expect(screen["a"].readCount == 3)
    }

    @Test func `KO-18 a thousand fetches of a cold composite make one call for each part`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("a", "1").delay(.reads, until: gate)
        screen.part("b", "2").delay(.reads, until: gate)
        screen.whole(object(("a", "a"), ("b", "b")))
        let home = try screen.pipeline()

        let texts = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<1_000 { group.addTask { try await home.fetch([:] as [String: String]).text } }
            try await yieldUntil { home.flights[0].waiterCount(of: try home.key()) >= 1_000 }
            gate.open()
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }

        #expect(texts == [#"{"a":1,"b":2}"#])
        #expect(screen["a"].readCount == 1)
        #expect(screen["b"].readCount == 1)
    }

    @Test func `what fails in a part of a part is told at its place`() async throws {
        let screen = Combination()
        screen.part("ads").fail()
        screen.part("a", "1")
        screen.whole(object(("a", "a"), ("ads", PartSpec("ads", default: "[]"))), named: "inner")
        screen.whole(object(("outer", "inner")), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(!outcome.isComplete)
        #expect(outcome.partTrace == "/outer: value, /outer/ads: failed (default)")
        #expect(outcome.writeTrace == "memory_of_home: skipped")
    }

    @Test func `KO-23 bytes of parts come out as they went in`() async throws {
        let screen = Combination()
        let value = #"{"a" : 12345678901234567890, "b":1.10,"c":1E400, "d": -0,"e":"\u00e9","a\u0062":[ ]}"#
        screen.part("a", StubAnswer(stringLiteral: "\n \(value)\t"))
        screen.part("t", "a \"quoted\"\ntext") { $0.policy.format = .text }
        screen.whole(object(("a/b", "a"), ("t", "t")))

        #expect(try await screen.fetch().text == #"{"a/b":\#(value),"t":"a \"quoted\"\ntext"}"#)
    }

    @Test func `a whole that is too large is invalid`() async throws {
        let screen = Combination()
        screen.part("a", "[1,2,3]")
        var combine = object(("a", "a"))
        combine.maxSize = Size(bytes: 12)
        screen.whole(combine)

        let outcome = try await screen.fetch()

        #expect(outcome.trace == "combine: invalid")
        #expect(outcome.attempts[0].reason == "the whole cannot be assembled: 13 bytes, and no more than 12 are allowed")
    }

    @Test func `a tier below answers when the composite fails`() async throws {
        let screen = Combination()
        screen.part("a").fail()
        let nobody = StubOrigin("nobody", clock: screen.time.clock, answering: "{}")
        screen.whole(object(("a", "a"))) {
            $0.tiers = [.combine(), TierSpec(SourceSpec("nobody", nobody))]
        }

        let outcome = try await screen.fetch()

        #expect(outcome.trace == "combine: error, nobody: hit")
        #expect(outcome.isComplete)
        #expect(outcome.parts.isEmpty)
        #expect(outcome.attemptedParts.map(\.at) == ["/a"] && outcome.attemptedParts.map(\.ending) == [.failed])
    }

    @Test func `where no tier answers, what failed is told as parts`() async throws {
        let screen = Combination()
        screen.part("a").fail()
        let nobody = StubOrigin("nobody", clock: screen.time.clock, answering: .error())
        screen.whole(object(("a", "a"))) {
            $0.tiers = [.combine(), TierSpec(SourceSpec("nobody", nobody))]
        }

        let outcome = try await screen.fetch()

        #expect(outcome.failure != nil && outcome.partTrace == "/a: failed" && outcome.attemptedParts.isEmpty)
    }
}
