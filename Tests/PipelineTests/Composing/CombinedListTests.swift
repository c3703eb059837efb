import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

/// Merging, joining and picking.
@Suite struct CombinedListTests {
    private let id = JSONPointer(tokens: ["id"])

    @Test func `KO-20 a merged list keeps the first place of an id, and the bytes that are preferred`() async throws {
        let screen = Combination()
        screen.part("a", #"[{"id":1,"n":"a"}, {"id":2,"n":"a"}]"#)
        screen.part("b", #"{"items":[{"id":"2","n":"b"},{"id":3,"n":"b"}]}"#)
        let b = PartSpec("b", select: JSONPointer(tokens: ["items"]))
        screen.whole(CompositeSpec(.merge(["a", b], by: id)))
        screen.whole(CompositeSpec(.merge(["a", b], by: id, prefer: .last)), named: "last")
        screen.whole(CompositeSpec(.merge(["a", b])), named: "all")

        #expect(try await screen.fetch().text == #"[{"id":1,"n":"a"},{"id":2,"n":"a"},{"id":3,"n":"b"}]"#)
        #expect(try await screen.fetch("last").text == #"[{"id":1,"n":"a"},{"id":"2","n":"b"},{"id":3,"n":"b"}]"#)
        #expect(try await screen.fetch("all").text == #"[{"id":1,"n":"a"},{"id":2,"n":"a"},{"id":"2","n":"b"},{"id":3,"n":"b"}]"#)
    }

    @Test func `KO-19 the order of a merge is that of the parts, also where the first is the last to come`() async throws {
        let screen = Combination()
        let gate = Gate()
        screen.part("a", "[1]").delay(.reads, until: gate)
        screen.part("b", "[2]")
        screen.whole(CompositeSpec(.merge(["a", "b"])))

        async let fetched = screen.fetch()
        await screen["b"].finished(.reads, atLeast: 1)
        gate.open()

        #expect(try await fetched.text == "[1,2]")
    }

    @Test func `what is optional and fails is left out of a merge`() async throws {
        let screen = Combination()
        screen.part("a", "[1]")
        screen.part("b").fail()
        screen.whole(CompositeSpec(.merge(["a", PartSpec("b", optional: true)])))

        let outcome = try await screen.fetch()

        #expect(outcome.text == "[1]")
        #expect(outcome.partTrace == "a: value, b: failed")
        #expect(!outcome.isComplete)
        #expect(outcome.freshFor == .zero)
    }

    @Test(arguments: [
        ("[{}]", "[]", "element /0 of `a` has nothing at `/id`"), (#"[{"id":null}]"#, "[]", "element /0 of `a` has null at `/id`"),
        ("[]", #"[{"id":{}}]"#, "element /0 of `b` at `/id`: an object is no id"),
        (#"[{"id":"\ud800"},{"id":"\ud801"}]"#, "[]", "element /0 of `a` at `/id`: half a surrogate pair is no text, and no id"),
        ("[]", "{}", "`a` is a list, and `b` is not: they cannot be merged"),
        ("{}", "{}", "`a` is not a list, and only elements of lists have ids"),
    ]) func `KO-20 elements without an id cannot be merged by it`(_ a: String, _ b: String, _ reason: String) async throws {
        let screen = Combination()
        screen.part("a", StubAnswer(stringLiteral: a))
        screen.part("b", StubAnswer(stringLiteral: b))
        screen.whole(CompositeSpec(.merge(["a", "b"], by: id)))

        let outcome = try await screen.fetch()

        #expect(outcome.trace == "combine: invalid")
        #expect(outcome.attempts[0].reason == reason)
    }

    @Test(arguments: [
        (#"[{"id":1}]"#, "[{}]", "element /0 of part 2 (`a`) has nothing at `/id`"),
        ("[]", "1", "part 1 (`a`) is a list, and part 2 (`a`) is not: they cannot be merged"),
        ("{}", "{}", "part 1 (`a`) is not a list, and only elements of lists have ids"),
    ]) func `of two parts from one pipeline a message says which`(_ first: String, _ second: String, _ reason: String) async throws {
        let screen = Combination()
        screen.part("a", parameters: ["n"]).answers { StubAnswer(stringLiteral: $0["n"] == "1" ? first : second) }
        let parts = ["1", "2"].map { PartSpec("a", with: ["n": .init(stringLiteral: $0)]) }
        screen.whole(CompositeSpec(.merge(parts, by: id)))
        screen.whole(CompositeSpec(.join(parts[0], on: id, to: parts[1], toOn: id, as: "x")), named: "joined")

        #expect(try await screen.fetch().attempts[0].reason == reason)
        let joined = try await screen.fetch("joined").attempts[0].reason ?? ""
        #expect(joined.hasPrefix("`from` (`a`)") || joined.contains("`to` (`a`)"), "\(joined)")
    }

    @Test func `of two parts from one pipeline, the one that fails is named`() async throws {
        let screen = Combination()
        screen.part("a", parameters: ["n"]).answers { $0["n"] == "1" ? "[]" : .error(SourceError("down")) }
        screen.whole(CompositeSpec(.merge([PartSpec("a", with: ["n": "1"]), PartSpec("a", with: ["n": "2"])])))
        screen.whole(CompositeSpec(.merge([PartSpec("a", with: ["n": "2"])])), named: "one")

        #expect(try await screen.fetch().attempts[0].reason?.hasPrefix("part 2 (`a`): no tier could answer for `a,n=2`") == true)
        #expect(try await screen.fetch("one").attempts[0].reason?.hasPrefix("part `a`: no tier could answer") == true)
    }

    @Test func `merged objects have the members of all, byte for byte, and none twice`() async throws {
        let screen = Combination()
        screen.part("a", #"{"x" : 1.0,"\u00e9":2}"#)
        screen.part("b", #"{ "y":[ ] }"#)
        screen.part("c", #"{"é":3}"#)
        screen.whole(CompositeSpec(.merge(["a", "b"])))
        screen.whole(CompositeSpec(.merge(["a", "c"])), named: "twice")

        #expect(try await screen.fetch().text == #"{"x" : 1.0,"\u00e9":2,"y":[ ]}"#)
        #expect(try await screen.fetch("twice").attempts[0].reason == "the member `é` is in `a` and in `c`")
    }

    @Test func `a join adds what belongs to an element, and leaves the others as they are`() async throws {
        let screen = Combination()
        screen.part("friends", #"[{"id":1 }, {"id":"2"},{"id":null},{"name":"x"}]"#)
        screen.part("presence", #"[{"user_id":"1","on":true},{"user_id":9}]"#)
        screen.whole(
            CompositeSpec(.join("friends", on: id, to: "presence", toOn: JSONPointer(tokens: ["user_id"]), as: "presence")))

        let text = try await screen.fetch().text

        #expect(text == #"[{"id":1,"presence":{"user_id":"1","on":true} },{"id":"2"},{"id":null},{"name":"x"}]"#)
    }

    @Test(arguments: [
        (#"[{"id":1}]"#, #"[{"id":1},{"id":"1"}]"#, "`b` has the id `1` twice"),
        (#"[{"id":1,"b":0}]"#, #"[{"id":1}]"#, "`a` at `/0` has a member `b` already"),
        (#"[{"id":"\udfff"}]"#, "[]", "`a` at `/0/id`: half a surrogate pair is no text, and no id"),
        (#"[{"id":true}]"#, "[]", "`a` at `/0/id`: a bool is no id"), ("[1]", "[]", "`a` at `/0` is not an object"),
        ("{}", "[]", "`a` is not a list"),
    ]) func `what cannot be joined is invalid`(_ a: String, _ b: String, _ reason: String) async throws {
        let screen = Combination()
        screen.part("a", StubAnswer(stringLiteral: a))
        screen.part("b", StubAnswer(stringLiteral: b))
        screen.whole(CompositeSpec(.join("a", on: id, to: "b", toOn: id, as: "b")))

        let outcome = try await screen.fetch()

        #expect(outcome.trace == "combine: invalid")
        #expect(outcome.attempts[0].reason == reason)
    }

    @Test(arguments: [
        ("[[]]", "element /0 of `a`, the whole element: a list is no id"), ("[1,null]", "element /1 of `a`, the whole element, is null"),
    ]) func `an element that is no id, where all of it is to be one, is named so`(_ list: String, _ reason: String) async throws {
        let screen = Combination()
        screen.part("a", StubAnswer(stringLiteral: list))
        screen.whole(CompositeSpec(.merge(["a"], by: .whole)))

        #expect(try await screen.fetch().attempts[0].reason == reason)
    }

    @Test func `pick keeps these members of the object, or of each element`() async throws {
        let screen = Combination()
        screen.part("a", #"[{"id":1.0,"name":{"first":"Ann"},"x":0},{"id":2}]"#)
        let pick = [(name: "id", at: id), (name: "who", at: JSONPointer(tokens: ["name", "first"]))]
        screen.whole(CompositeSpec(.of("a"), pick: pick))

        #expect(try await screen.fetch().text == #"[{"id":1.0,"who":"Ann"},{"id":2}]"#)
    }

    @Test func `a part is told at the name that it is picked as, and one that is not picked nowhere`() async throws {
        let screen = Combination()
        screen.part("a", "1")
        screen.part("b").fail()
        let inner = CompositeSpec(.object([("a", "a"), ("b", PartSpec("b", optional: true))]))
        screen.whole(inner, named: "inner")
        let members: [(String, PartSpec)] = [("x", "inner"), ("y", PartSpec("b", optional: true))]
        screen.whole(CompositeSpec(.object(members), pick: [("only", at: JSONPointer(tokens: ["x"]))]))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"only":{"a":1}}"#)
        #expect(outcome.partTrace == "/only: value, b: failed, /only/b: failed")
    }

    @Test func `a select that finds nothing makes the part invalid`() async throws {
        let screen = Combination()
        screen.part("a", "[]")
        screen.whole(CompositeSpec(.of(PartSpec("a", select: id))))

        let outcome = try await screen.fetch()

        #expect(outcome.attempts[0].reason == "part `a`: `a` has nothing at `/id`")
        #expect(outcome.trace == "combine: invalid")
    }
}
