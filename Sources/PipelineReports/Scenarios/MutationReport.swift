internal import Pipeline
internal import PipelineConfig
package import PipelineScenarios

/// The mutants that the tests noticed, and those that they did not, for people.
package struct MutationReport {
    private let mutations: [Mutation]

    package init(_ mutations: [Mutation]) {
        self.mutations = mutations
    }

    /// The number of mutants that the tests noticed, and of those there are to notice.
    package var killed: Int { mutations.reduce(0) { $0 + $1.killed } }
    package var all: Int { mutations.reduce(0) { $0 + $1.all } }

    /// Each mutant that no test noticed, with the test that would, and the score at the end.
    package var text: String {
        let results = mutations.flatMap { mutation in mutation.results.map { Self.text(of: $0, in: mutation) } }
        let equivalent = mutations.flatMap(\.results).count { $0.fate == .equivalent }
        let rest = equivalent > 0 ? ", \(equivalent) probably equivalent" : ""
        let left = mutations.reduce(0) { $0 + $1.left }
        let end = left > 0 ? "; interrupted, \(left == 1 ? "1 change" : "\(left) changes") left" : ""
        return results.joined() + "\(killed)/\(all) killed\(rest)\(end)\n"
    }

    private static func text(of result: Mutation.Trial, in mutation: Mutation) -> String {
        let (mutant, place) = (result.mutant, result.mutant.range.start)
        let line = "\(mutation.config):\(place.line):\(place.column): \(mutant.pipeline): \(mutant.summary)".printable
        switch result.fate {
        case .killed: return ""
        case .equivalent: return "~ \(line): probably equivalent\n"
        case .survived(let test): return "✗ \(line): no test fails. This one would:\n\(test)"
        }
    }
}
