import PipelineScenarios
import Testing

/// Scenarios of pipelines that are made from others.
struct CombineTests {
    @Test func `each scenario comes to what the rules say`() async {
        let tested = await Tested.play(Tested.suite("combine.test.yaml"), seeds: 1...4)

        #expect(tested.outcomes.count >= 5)
        #expect(Tested.report(of: tested) == "")
    }

    @Test(arguments: [
        ("events", "{ symbol: A }", []),
        ("events", "{ user: 1 }", ["`message` needs the parameter `symbol` of", "unknown parameter `user`"]),
        ("posts", "{ symbol: A }", ["`posts` reports no changes"]),
    ])
    func `a message names a feed of a part, and the arguments of that`(source: String, arguments: String, problems: [String]) {
        let steps = "{ fetch: { from: combine } }, { message: { \(source): { is: '{}', with: \(arguments) } } }"
        let found = Written.problems(Written.test(pipeline: "screen", given: "{ posts: '[]', ads: '[]' }", steps), config: "combine.yaml")

        #expect(found.count == problems.count && zip(found, problems).allSatisfy { $0.contains($1) }, "\(found)")
    }

    @Test func `what a composite asks is reached in the pipelines of its parts`() async {
        let coverage = Coverage(of: [await Tested.play(Tested.suite("combine.test.yaml"), seeds: 1...1)])
        func reached(_ pipeline: String) -> [String] {
            coverage.configs.flatMap(\.orders).filter { $0.pipeline == pipeline }.flatMap(\.points).filter { $0.reached > 0 }
                .map { "\($0.id.element) \($0.id.branch)" }
        }

        #expect(reached("friends").contains("friends hit"))
        #expect(Set(reached("ads")).isSuperset(of: ["ads hit", "ads timeout"]))
        #expect(reached("home").contains("combine hit") && !reached("home").contains { $0.hasPrefix("ads ") })
        #expect(coverage.unplanned.sorted() == [])
    }
}
