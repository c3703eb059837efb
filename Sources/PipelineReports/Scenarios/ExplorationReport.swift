internal import Pipeline
internal import PipelineConfig
package import PipelineScenarios

/// The findings of random steps, for people.
package struct ExplorationReport {
    private let explorations: [(file: String, exploration: Exploration)]

    package init(_ explorations: [(file: String, exploration: Exploration)]) {
        self.explorations = explorations
    }

    package var hasFindings: Bool { explorations.contains { !$0.exploration.findings.isEmpty } }

    /// Each violation with the shortest test that shows it, and how many steps were played.
    package var text: String {
        let findings = explorations.flatMap { file, exploration in
            exploration.findings.map { finding -> String in
                let line = "✗ " + "\(file): \(finding.pipeline): \(finding.message)".printable
                guard let test = finding.test else { return "\(line). It happened in the background; no fetch shows it.\n" }
                return "\(line). This test shows it:\n\(test)"
            }
        }
        let steps = explorations.reduce(0) { $0 + $1.exploration.steps }
        let count = findings.isEmpty ? "no violation" : findings.count == 1 ? "1 violation" : "\(findings.count) violations"
        let left = explorations.reduce(0) { $0 + $1.exploration.left }
        let end = left > 0 ? "; interrupted, \(left == 1 ? "1 step" : "\(left) steps") left" : ""
        return findings.joined() + "\(steps) random steps, \(count)\(end)\n"
    }
}
