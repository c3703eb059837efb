internal import PipelineSimulation

extension ComparisonReport {
    private static let columns = [
        "block", "variant", "order", "requests", "late", "answered", "joined", "stale", "failed", "not_found", "origin_calls", "p50_ms",
        "p99_ms",
        "p999_ms",
    ]

    /// A line for each run, so that another program can estimate what it wants. The last variant of a block is the first one once more.
    package var csv: String {
        let subjects = findings.variants.map { ($0.name, $0) } + [("against itself", findings.itself)]
        let lines = (0..<findings.blocks).flatMap { block in
            subjects.map { name, variant in Self.line(block: block, name: name, variant, variant.runs[block]) }
        }
        return CSVText.lines([Self.columns] + lines)
    }

    private static func line(block: Int, name: String, _ variant: ComparisonFindings.Variant, _ run: ComparedRun) -> [String] {
        let answered = variant.order.compactMap { source in run.answered[source].map { "\(source)=\($0)" } }
        let counts = [run.joined, run.stale, run.failed, run.notFound, run.originCalls.values.reduce(0, +)]
        return [
            "\(block + 1)", name, variant.order.joined(separator: " "), "\(run.requests)", "\(run.late)", answered.joined(separator: " "),
        ]
            + counts.map { "\($0)" } + [0.5, 0.99, 0.999].map { run.latencies.quantile($0).map { Figure.exact($0.inMilliseconds) } ?? "" }
    }
}
