import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

@Suite struct CompositeCheckTests {
    private typealias Subject = CompositeCheck.Subject

    private func subject(
        _ name: String, _ parameters: [ParameterSpec] = [], _ combine: CompositeSpec.Shape? = nil, links: [LinkSpec] = [],
        format: PayloadFormat = .json
    ) -> Subject {
        Subject(name, parameters: parameters, format: format, combine: combine.map { CompositeSpec($0) }, links: links)
    }

    private func messages(_ subjects: Subject...) -> [String] {
        CompositeCheck(subjects).all.map { "\($0.pipeline): \($0.message)" + ($0.help.map { " (\($0))" } ?? "") }
    }

    @Test func `parts of pipelines that there are not are named, with the nearest`() {
        #expect(
            messages(subject("user"), subject("home", [], .of("usr"))) == ["home: undefined pipeline `usr` (did you mean `user`?)"])
    }

    @Test func `arguments must be declared and complete`() {
        let part = PartSpec("user", with: ["ids": "{usr}"])

        let found = messages(subject("user", ["id"]), subject("home", ["user"], .of(part)))

        #expect(
            found == [
                "home: the pipeline `user` has no parameter `ids` (did you mean `id`?)",
                "home: the pipeline `home` has no parameter `usr` (did you mean `user`?)",
                "home: the pipeline `user` needs the parameter `id` (give it with `with: { id: … }`)",
            ])
        #expect(messages(subject("user", ["id"]), subject("home", ["id"], .of("user"))) == [])
        #expect(messages(subject("user", [ParameterSpec("id", default: "1")]), subject("home", [], .of("user"))) == [])
    }

    @Test func `pipelines are told apart by the bytes of their names`() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")

        #expect(
            messages(subject(composed), subject(decomposed, ["k"]), subject("home", ["k"], .of(PartSpec(decomposed, with: ["k": "1"]))))
                == [])
    }

    @Test func `nothing is selected in a text`() {
        let part = PartSpec("a", select: JSONPointer(tokens: ["x"]))

        #expect(
            messages(subject("a", format: .text), subject("home", [], .of(part))) == [
                "home: `a` has the format text, in which there is nothing to select (remove `select`, or give `a` the format json)"
            ])
    }

    @Test func `a member of two parts that are merged is found where it can be`() {
        let one = subject("one", [], .object([("a", "x")]))
        let two = subject("two", [], .object([("b", "x"), ("a", "x")]))
        let message =
            "home: the member `a` is in `one` and in `two` (have it in one of them, or make an `object` of both)"

        #expect(messages(subject("x"), one, two, subject("home", [], .merge(["one", "two"]))) == [message])
        #expect(messages(subject("x"), one, two, subject("home", [], .merge(["one", "two"], by: JSONPointer(tokens: ["id"])))) == [])
        #expect(messages(subject("x"), one, subject("home", [], .merge(["one", "x"]))) == [])
    }

    @Test func `bounds of a composite are at least one`() {
        var combine = CompositeSpec(.of("x"))
        (combine.max, combine.concurrency, combine.maxSize) = (0, 0, Size(bytes: 0))
        let home = Subject("home", parameters: [], format: .json, combine: combine, links: [])

        #expect(
            messages(subject("x"), home) == [
                "home: concurrency must be at least 1", "home: max must be at least 1", "home: max_size must be at least 1 byte",
            ])
    }

    @Test func `parts that wait for each other are found, and undefined ones`() {
        func part(_ other: String) -> PartSpec { PartSpec("user", with: ["id": .from(other, at: .whole)]) }

        #expect(
            messages(
                subject("user", ["id"]),
                subject("home", [], .object([("a", part("b")), ("b", part("a")), ("c", part("d")), ("e", part("e"))])))
                == [
                    "home: undefined part `d` (known parts: `a`, `b`, `c`, `e`)", "home: parts wait for each other: `a` → `b` → `a`",
                    "home: parts wait for each other: `e` → `e`",
                ])
    }

    @Test func `KO-12 pipelines that are made from each other are told once, with every edge`() {
        let cycle = CompositeCheck([
            subject("friends", [], .of("home")), subject("home", [], .object([("f", "friends"), ("x", "x")])), subject("x"),
        ]).all

        #expect(cycle.map(\.message) == ["pipelines are made from each other: `friends` → `home` → `friends`"])
        #expect(cycle[0].related.map(\.message) == ["`friends` is made from `home`", "`home` is made from `friends`"])
        #expect(cycle[0].related.map(\.spot) == [.part(0), .part(0)])
        #expect(messages(subject("self", [], .of("self"))) == ["self: pipelines are made from each other: `self` → `self`"])
    }

    @Test func `KO-12 circles that share a pipeline are told together, with every edge`() {
        func object(_ parts: String...) -> CompositeSpec.Shape { .object(parts.map { ($0, PartSpec($0)) }) }
        let found = CompositeCheck([
            subject("a", [], object("b", "c")), subject("b", [], object("a")), subject("c", [], object("b")),
            subject("d", [], object("a", "e")), subject("e", [], object("d")),
        ]).all

        #expect(
            found.map(\.message) == [
                "pipelines are made from each other: `a`, `b`, `c`", "pipelines are made from each other: `d` → `e` → `d`",
            ])
        #expect(found[0].pipeline == "a")
        #expect(found[0].spot == .part(0))
        #expect(
            found[0].related.map(\.message) == [
                "`a` is made from `b`", "`a` is made from `c`", "`b` is made from `a`", "`c` is made from `b`",
            ])
        #expect(found[0].related.map(\.spot) == [.part(0), .part(1), .part(0), .part(0)])
    }

    @Test func `KO-12 a pipeline that is made from itself has its one edge`() {
        let found = CompositeCheck([subject("self", [], .of("self"))]).all

        #expect(found.map { $0.related.map(\.message) } == [["`self` is made from `self`"]])
    }

    @Test func `KO-12 an edge through a followed link names the link, and where it is declared`() throws {
        let links = [
            LinkSpec("other", at: try JSONPath("/o"), pipeline: "user"), LinkSpec("home", at: try JSONPath("/x"), pipeline: "home"),
        ]

        let found = CompositeCheck([
            subject("user", ["id"], links: links), subject("home", ["id"], .of(PartSpec("user", follow: ["other.home"]))),
        ]).all

        #expect(found.map(\.spot) == [.follow(0, 0)])
        #expect(
            found.first?.related.map(\.message) == [
                "`home` is made from `home` through the link `home` of `user`", "the link `home` of `user`",
            ])
        #expect(found.first?.related.map(\.pipeline) == ["home", "user"])
        #expect(found.first?.related.map(\.spot) == [.follow(0, 0), .link(1)])
    }

    @Test func `no pipeline is suggested as a part of itself`() {
        #expect(messages(subject("ads"), subject("home", [], .of("news"))) == ["home: undefined pipeline `news` (known pipelines: `ads`)"])
        #expect(messages(subject("homes", [], .of("home"))) == ["homes: undefined pipeline `home`"])
    }

    @Test func `links may lead in circles, unless a composite follows them`() throws {
        let home = LinkSpec("home", at: try JSONPath("/x"), pipeline: "home")

        #expect(messages(subject("user", ["id"], links: [home]), subject("home", ["id"], .of("user"))) == [])
        #expect(
            messages(subject("user", ["id"], links: [home]), subject("home", ["id"], .of(PartSpec("user", follow: ["home"]))))
                == ["home: pipelines are made from each other: `home` → `home`"])
    }

    @Test func `links must name what there is`() throws {
        let links = [
            LinkSpec("a", at: try JSONPath("$[*]"), pipeline: "user"), LinkSpec("b", at: try JSONPath("/b"), pipeline: "nobody"),
            LinkSpec("c", at: try JSONPath("/c"), pipeline: "two"),
        ]

        let found = messages(subject("post", links: links), subject("user", ["id"]), subject("two", ["x", "y"]))

        #expect(
            found == [
                "post: `$[*]` does not end in the name of a member (end it as in `$[*].author_id`)",
                "post: undefined pipeline `nobody` (known pipelines: `post`, `two`, `user`)",
                "post: `two` has two parameters, and the link does not say which one takes the id: `x`, `y` (add `parameter: x`)",
            ])
    }

    @Test func `there are bounds`() {
        let many = (0..<65).map { ("m\($0)", PartSpec("x")) }
        let chain = (1...17).map { subject("p\($0)", [], .of(PartSpec($0 == 1 ? "x" : "p\($0 - 1)"))) }

        #expect(messages(subject("x"), subject("home", [], .object(many))) == ["home: 65 parts, and no more than 64 are allowed"])
        #expect(
            CompositeCheck([subject("x")] + chain).all.map(\.message)
                == ["17 composites in a chain, and no more than 16 are allowed"])
        #expect(CompositeCheck([subject("x")] + chain.dropLast()).all.isEmpty)
        #expect(messages(subject("x", format: .bytes), subject("home", [], .of("x"))).count == 1)
    }

    @Test func `pipelines that cannot be made throw`() throws {
        let screen = Combination()
        screen.whole(CompositeSpec(.of("nobody")))

        #expect(throws: UsageError.composite("undefined pipeline `nobody`", pipeline: "home")) { try screen.pipelines }
    }
}
