import PipelineJSON
import PipelineLive
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineComposing

/// Lists that are taken apart, and how much of them is kept meanwhile.
@Suite struct TakenApartTests {
    private static func list(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }

    @Test func `more than a million elements are not merged`() async throws {
        let screen = Combination()
        screen.part("a", StubAnswer(stringLiteral: Self.list(600_000)))
        screen.part("b", StubAnswer(stringLiteral: Self.list(400_001)))
        screen.whole(CompositeSpec(.merge(["a", "b"])))

        let reason = try await screen.fetch().failure?.attempts.last?.reason

        #expect(reason == "1000001 elements, and no more than 1000000 are taken apart")
    }

    @Test func `a list of more than a million references is not followed`() async throws {
        let screen = Combination()
        screen.part(
            "posts", StubAnswer(stringLiteral: #"{"ids":\#(Self.list(1_000_001))}"#),
            links: [LinkSpec("users", at: JSONPath(JSONPointer(tokens: ["ids"])), pipeline: "user")])
        screen.part("user", "0", parameters: ["id"])

        let error = try await screen.fetch("posts", following: ["users"]).failure?.linkError

        #expect(error?.kind == .invalid)
        #expect(error?.reason == "link `users`: a list of more than 1,000,000 elements")
    }

    @Test func `a path of more than a million places is not followed`() throws {
        let payload = Array(Self.list(1_000_001).utf8)

        let problem = #expect(throws: JSONScanner.Problem.self) { try JSONScanner.places(of: [JSONPath(eachOf: .whole)], in: payload) }

        #expect(problem?.message == "more than 1,000,000 elements")
    }

    @Test func `pieces are found by their ids, in the order in which they came`() {
        var pieces = PiecesByID()
        for number in 0..<2_000 { #expect(pieces.add(ItemID("\(number)").mark, 0, number..<(number + 1), replacing: false) == nil) }

        #expect(pieces.add(ItemID("7").mark, 1, 0..<1, replacing: false)?.text == 0)
        #expect(pieces[ItemID("7").mark]?.text == 0)
        #expect(pieces.add(ItemID("7").mark, 1, 3..<9, replacing: true)?.text == 0)

        #expect(pieces[ItemID("7").mark]?.range == 3..<9)
        #expect(pieces.count == 2_000)
        #expect(pieces.pieces[1_999].range == 1_999..<2_000)
        #expect(pieces[ItemID("x").mark] == nil)
        #expect(MemoryLayout<PiecesByID.Piece>.stride <= 24)
    }

    /// A merged value of depth 512 is one that everybody can read; a whole around it is not.
    @Test(arguments: [(511, nil), (512, "the whole cannot be assembled: nested deeper than 512")])
    func `a part may be as deep as the whole around it can be read`(depth: Int, reason: String?) async throws {
        let screen = Combination()
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        screen.part("a", StubAnswer(stringLiteral: deep))
        screen.whole(CompositeSpec(.object([("a", "a")])))

        let outcome = try await screen.fetch()

        #expect(outcome.failure?.attempts.last?.reason == reason)
        #expect(outcome.text == (reason == nil ? "{\"a\":\(deep)}" : nil))
    }

    @Test func `what is nested too deep in a list is not joined`() async throws {
        let screen = Combination()
        let deep = String(repeating: "[", count: 510) + String(repeating: "]", count: 510)
        screen.part("a", #"[{"id":1}]"#)
        screen.part("b", StubAnswer(stringLiteral: #"[{"id":1,"x":\#(deep)}]"#))
        let id = JSONPointer(tokens: ["id"])
        screen.whole(CompositeSpec(.join("a", on: id, to: "b", toOn: id, as: "b")))

        let reason = try await screen.fetch().failure?.attempts.last?.reason

        #expect(reason == "the whole cannot be assembled: nested deeper than 512")
    }
}
