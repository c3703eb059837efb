import PipelineComposing
import PipelineJSON
import PipelineTesting
import Testing

@testable import Pipeline

/// What is degraded within a part is told at its place in the whole, also where only some of the part is used.
@Suite struct PartPlaceTests {
    /// `inner` is `{"items":[{"id":1,"l":…},{"id":9,"l":null}],"ads":0,"x":{"k":1}}`: 9 is not there, and `ads` is a default.
    private func screen() throws -> Combination {
        let screen = Combination()
        screen.part("user", parameters: ["id"]).answers { $0["id"] == "9" ? .notFound : #""Ada""# }
        screen.part(
            "list", #"[{"id":1},{"id":9}]"#, links: [LinkSpec("l", at: try JSONPath("$[*].id"), pipeline: "user")])
        screen.part("ads").fail()
        screen.part("x", #"{"k":1}"#)
        screen.whole(
            CompositeSpec(
                .object([("items", PartSpec("list", follow: ["l"])), ("ads", PartSpec("ads", default: "0")), ("x", "x")])),
            named: "inner")
        return screen
    }

    private func pointer(_ text: String) -> JSONPointer { JSONPointer(text) ?? .whole }

    @Test(arguments: [
        ("", "/outer: value, /outer/ads: failed (default)", "/outer/items/1/l"), ("/items", "/outer: value", "/outer/1/l"),
        ("/items/1", "/outer: value", "/outer/l"), ("/items/1/l", "/outer: value", "/outer"), ("/items/0", "/outer: value", nil),
        ("/ads", "/outer: value, /outer: failed (default)", nil), ("/x/k", "/outer: value", nil as String?),
    ])
    func `what is outside of the selected place is not in the whole`(select: String, parts: String, missing: String?) async throws {
        let screen = try screen()
        screen.whole(CompositeSpec(.object([("outer", PartSpec("inner", select: pointer(select)))])), ttl: .seconds(30))

        let outcome = try await screen.fetch()

        #expect(outcome.partTrace == parts)
        #expect(outcome.missing.map(\.at) == [missing].compactMap(\.self))
        #expect(outcome.isComplete == !parts.contains("default"))
        #expect(outcome.writeTrace == "memory_of_home: skipped", "the part itself is incomplete")
    }

    @Test func `a default around the selected place is told at the part`() async throws {
        let screen = Combination()
        screen.part("ads").fail()
        screen.whole(CompositeSpec(.object([("ads", PartSpec("ads", default: #"{"a":{"b":1}}"#))])), named: "inner")
        screen.whole(CompositeSpec(.object([("outer", PartSpec("inner", select: pointer("/ads/a/b")))])))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"outer":1}"#)
        #expect(outcome.partTrace == "/outer: value, /outer: failed (default)")
    }

    @Test func `a place below a picked one is below the member`() async throws {
        let screen = try screen()
        let pick = [(name: "k", at: pointer("/outer/items")), (name: "a", at: pointer("/outer/ads"))]
        screen.whole(CompositeSpec(.object([("outer", "inner")]), pick: pick))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"k":[{"id":1,"l":"Ada"},{"id":9,"l":null}],"a":0}"#)
        #expect(outcome.partTrace == "/k: value, /a: failed (default)")
        #expect(outcome.missing.map(\.at) == ["/k/1/l"])
    }

    @Test func `a part of which something is picked is told there`() async throws {
        let screen = Combination()
        screen.part("a").fail()
        let outer = PartSpec("a", default: #"{"k":1,"other":2}"#)
        screen.whole(CompositeSpec(.object([("outer", outer)]), pick: [("k", at: pointer("/outer/k"))]))

        let outcome = try await screen.fetch()

        #expect(outcome.text == #"{"k":1}"#)
        #expect(outcome.partTrace == "/k: failed (default)")
    }

    @Test(arguments: [("/items", "/1/u"), ("/items/1", "/u")])
    func `what is picked of each element, or of an object, is told in it`(select: String, missing: String) async throws {
        let screen = try screen()
        screen.whole(CompositeSpec(.of(PartSpec("inner", select: pointer(select))), pick: [("u", at: pointer("/l"))]))

        #expect(try await screen.fetch().missing.map(\.at) == [missing])
    }
}
