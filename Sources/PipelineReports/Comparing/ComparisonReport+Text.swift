internal import PipelineConfig
internal import PipelineSimulation

extension ComparisonReport {
    /// A table, and below it what a reader must know.
    package var text: String {
        let rows = [[title, "p50", "p99", "answered by", "calls"]] + lines
        let widths = (0..<5).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let table = rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return String(cells.joined(separator: "   ").reversed().drop { $0 == " " }.reversed())
        }
        return (table + notes.map { $0.printable }).joined(separator: "\n") + "\n"
    }

    private var lines: [[String]] {
        let p50 = column(.p50, at: 0.5)
        let p99 = column(.p99, at: 0.99)
        let variants = findings.variants.enumerated().map { index, variant in
            [
                variant.name.printable + (variant.isLate ? " !" : ""), p50[index], p99[index], answers(of: variant),
                Figure.count(variant.originCalls.values.reduce(0, +)),
            ]
        }
        let itself = findings.itself
        return variants + [["against itself", ratio(of: itself, in: .p50), ratio(of: itself, in: .p99), "", ""]]
    }

    /// The cells of a latency: it, and its ratio to the first one's, under each other.
    private func column(_ measure: ComparisonFindings.Measure, at quantile: Double) -> [String] {
        let latencies = findings.variants.map { Figure.latency($0.latencies.quantile(quantile)) }
        let width = latencies.map(\.count).max() ?? 0
        return zip(latencies, findings.variants).map { latency, variant in
            let ratio = ratio(of: variant, in: measure)
            return ratio.isEmpty ? latency : latency + String(repeating: " ", count: width - latency.count) + "  " + ratio
        }
    }

    /// `memory 93% disk 6%`, and what else came of requests.
    private func answers(of variant: ComparisonFindings.Variant) -> String {
        let answered = variant.answered
        let known = variant.order.filter { answered[$0] != nil }
        let others: [(String, Int)] = [
            ("joined", variant.sum(\.joined)), ("stale", variant.sum(\.stale)), ("not found", variant.sum(\.notFound)),
            ("failed", variant.sum(\.failed)),
        ]
        let parts = known.map { ($0.printable, answered[$0] ?? 0) } + others.filter { $0.1 > 0 }
        return parts.map { "\($0) \(Figure.percent($1, of: variant.requests))" }.joined(separator: " ")
    }
}
