internal import PipelineConfig

/// Rows of steps as tests.
extension RandomStep {
    /// How many of the first steps say for the first time what a source does.
    private static func givenCount(_ steps: [RandomStep]) -> Int {
        var sources: Set<String> = []
        return steps.prefix { $0.source.map { sources.insert($0).inserted } ?? false }.count
    }

    /// The steps without those that `isMeant` can do without. The first answer of each origin stays, and the last step.
    static func shrink(_ steps: [RandomStep], _ isMeant: ([RandomStep]) -> Bool) -> [RandomStep] {
        var steps = steps
        let answers = steps.prefix { if case .answer = $0 { true } else { false } }
        let kept = givenCount(Array(answers))
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in steps.indices.dropLast().reversed() where index >= kept {
                var fewer = steps
                fewer.remove(at: index)
                if isMeant(fewer) { (steps, hasChanged) = (fewer, true) }
            }
        }
        return steps
    }

    /// The test as YAML, of which the last step expects `expected`.
    static func test(
        named name: String, pipeline: String, _ steps: [RandomStep], _ arguments: NamedValues<ScenarioText>, expecting expected: String
    ) -> String {
        let given = Array(steps.prefix(givenCount(steps)))
        let with = arguments.members.map { "\(key($0.name)): \(quoted($0.value.text))" }.joined(separator: ", ")
        var lines = ["  - name: \(quoted(name))", "    pipeline: \(quoted(pipeline))"]
        if !given.isEmpty { lines.append("    given: { \(given.map(\.scriptText).joined(separator: ", ")) }") }
        lines.append("    steps:")
        for (index, step) in steps.enumerated().dropFirst(given.count) {
            lines.append(
                "      - " + step.text(with.isEmpty ? "" : "with: { \(with) }", expecting: index == steps.count - 1 ? expected : ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A word of a list, within quotes where it needs them.
    static func word(_ text: String) -> String { text.contains { "[]{},:#\"'".contains($0) } ? quoted(text) : text }
}
