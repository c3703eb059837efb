internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
package import PipelineSimulation

/// The findings of a comparison, for people and programs.
package struct ComparisonReport: Sendable {
    /// The settings of the runs.
    package struct Load: Sendable {
        package let shape: LoadShape
        package let duration: Duration
        /// The number of blocks that were to be.
        package let runs: Int
        package let isCold: Bool
        package let seed: UInt64

        package init(shape: LoadShape, duration: Duration, runs: Int, isCold: Bool, seed: UInt64) {
            (self.shape, self.duration, self.runs, self.isCold, self.seed) = (shape, duration, runs, isCold, seed)
        }
    }

    /// The reason why blocks are missing.
    package enum Stop: Sendable {
        /// The origins were asked as often as they may be.
        case originCalls(Int)
        /// The command was interrupted.
        case interrupted

        var word: String {
            switch self {
            case .originCalls: "origin_calls"
            case .interrupted: "interrupted"
            }
        }
    }

    let pipeline: String
    let load: Load
    let findings: ComparisonFindings
    let stop: Stop?

    /// - Parameter stop: nil if all blocks are complete.
    package init(pipeline: String, load: Load, findings: ComparisonFindings, stop: Stop?) {
        (self.pipeline, self.load, self.findings, self.stop) = (pipeline, load, findings, stop)
    }

    /// The load in a few words: `200/s, 10 × 30s, warm`.
    var title: String {
        let way =
            switch load.shape {
            case .open(let rate?): "\(Figure.plain(rate))/s"
            case .open(nil): "at the times of the trace"
            case .closed(let clients): "\(clients) client\(clients == 1 ? "" : "s"), closed"
            }
        let blocks = findings.blocks == load.runs ? "\(load.runs)" : "\(findings.blocks) of \(load.runs)"
        return "\(way), \(blocks) × \(load.duration.spelling), \(load.isCold ? "cold" : "warm")"
    }

    /// The facts that a reader must know of the figures.
    var notes: [String] {
        var notes: [String] = []
        switch stop {
        case .originCalls(let limit):
            notes.append(
                "partial: the origins were asked \(Figure.count(limit)) times, which is the most (--max-origin-calls)")
        case .interrupted: notes.append("partial: interrupted")
        case nil: break
        }
        if case .closed = load.shape {
            notes.append("closed: a client asks again when it has its answer, so that a stall delays few requests")
        }
        if findings.blocks < RatioVerdict.leastBlocks {
            notes.append("fewer than \(RatioVerdict.leastBlocks) blocks: no difference is told, whatever the intervals are")
        }
        let differing = ComparisonFindings.Measure.allCases.filter { findings.itself.comparisons[$0]?.verdict != RatioVerdict.none }
        if !differing.isEmpty {
            let names = differing.map { $0 == .originCalls ? "calls" : $0.rawValue }.joined(separator: ", ")
            notes.append("`\(findings.itself.name)` differs from itself in \(names): no difference is told there")
        }
        notes += warmUpNotes
        for variant in findings.variants where variant.isLate { notes.append(lateness(of: variant)) }
        notes += unlikeFailures
        for variant in findings.variants {
            guard let reason = variant.runs.lazy.compactMap(\.failure).first else { continue }
            notes.append("\(Figure.count(variant.sum(\.failed))) fetches of `\(variant.name)` failed, the first with: \(reason)")
        }
        return notes
    }

    /// The reasons why variants have no ratio.
    private var unlikeFailures: [String] {
        func share(_ variant: ComparisonFindings.Variant) -> String { Figure.percent(variant.sum(\.failed), of: variant.requests) }
        return (findings.variants + [findings.itself]).indices.compactMap { index in
            let isItself = index == findings.variants.count
            let (first, variant) = (findings.variants[0], isItself ? findings.itself : findings.variants[index])
            guard variant.failsUnlikeFirst else { return nil }
            let other = isItself ? "when it ran against itself" : "of those of `\(variant.name)`"
            return "\(share(first)) of the requests of `\(first.name)` failed and \(share(variant)) \(other): no difference is told there, "
                + "since a failure is no answer"
        }
    }

    /// The ratio of a variant to the first one, as far as it is told; empty for the first.
    func ratio(of variant: ComparisonFindings.Variant, in measure: ComparisonFindings.Measure) -> String {
        guard variant.failsUnlikeFirst else { return Figure.ratio(variant.comparisons[measure]) }
        return "~ failed \(Figure.percent(variant.sum(\.failed), of: variant.requests))"
    }

    private func lateness(of variant: ComparisonFindings.Variant) -> String {
        let share = Figure.percent(variant.sum(\.late), of: variant.requests)
        return "! \(share) of the requests of `\(variant.name)` began more than 1ms late: this machine is too slow for the load"
    }

    private var warmUpNotes: [String] {
        let all = (findings.variants + [findings.itself]).flatMap(\.runs).compactMap(\.warmUp)
        guard let shortest = all.map(\.duration).min(), let longest = all.map(\.duration).max() else { return [] }
        let unsteady = all.count { !$0.isSteady }
        let (least, most) = (Figure.seconds(shortest), Figure.seconds(longest))
        let times = least == most ? least : "\(least) to \(most)"
        let length = "warm-up: \(times) before each run"
        return [
            unsteady == 0
                ? "\(length), until the share of hits was steady"
                : "\(length); in \(unsteady) of \(all.count) the share of hits was not steady after that"
        ]
    }
}

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

extension ComparisonReport {
    /// One object.
    package var json: String {
        JSONText.object([
            ("pipeline", .string(pipeline)),
            ("load", loadJSON),
            ("blocks", .int(findings.blocks)),
            ("partial", .optional(stop?.word)),
            ("variants", .lines(findings.variants.map { .object(Self.members(of: $0)) })),
            ("against_itself", .object(Self.ratios(of: findings.itself))),
            ("notes", .array(notes.map { .string($0) })),
        ]).text + "\n"
    }

    private var loadJSON: JSONText {
        var members: [(String, JSONText)] = []
        switch load.shape {
        case .open(let rate):
            members = [("open", .bool(true)), ("rate", rate.map { .number(Figure.exact($0)) } ?? .null), ("clients", .null)]
        case .closed(let clients): members = [("open", .bool(false)), ("rate", .null), ("clients", .int(clients))]
        }
        members += [
            ("duration_ms", .milliseconds(load.duration.inMilliseconds)), ("runs", .int(load.runs)),
            ("cold", .bool(load.isCold)), ("seed", .number("\(load.seed)")),
        ]
        return .object(members)
    }

    private static func members(of variant: ComparisonFindings.Variant) -> [(String, JSONText)] {
        func counts(_ counts: [String: Int]) -> JSONText {
            .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .int($0.value)) })
        }
        func latency(_ quantile: Double) -> JSONText {
            variant.latencies.quantile(quantile).map { .milliseconds($0.inMilliseconds) } ?? .null
        }
        return [
            ("name", .string(variant.name)), ("order", .array(variant.order.map { .string($0) })), ("requests", .int(variant.requests)),
            ("late", .int(variant.sum(\.late))), ("answered", counts(variant.answered)), ("joined", .int(variant.sum(\.joined))),
            ("stale", .int(variant.sum(\.stale))), ("failed", .int(variant.sum(\.failed))), ("not_found", .int(variant.sum(\.notFound))),
            ("origin_calls", counts(variant.originCalls)),
            ("latency_ms", .object([("p50", latency(0.5)), ("p99", latency(0.99)), ("p999", latency(0.999))])),
            ("ratio", variant.comparisons.isEmpty ? .null : .object(ratios(of: variant))),
        ]
    }

    private static func ratios(of variant: ComparisonFindings.Variant) -> [(String, JSONText)] {
        func end(_ value: Double?) -> JSONText { value.map { .number(Figure.exact($0)) } ?? .null }
        return ComparisonFindings.Measure.allCases.map { measure in
            let comparison = variant.comparisons[measure]
            let ends = comparison?.estimate.map {
                [
                    ("ratio", JSONText.number(Figure.exact($0.ratio))), ("low", end($0.lowerEnd)), ("high", end($0.upperEnd)),
                ]
            }
            let verdict = comparison?.verdict ?? .none
            return (
                measure.rawValue,
                .object((ends ?? [("ratio", .null), ("low", .null), ("high", .null)]) + [("verdict", .string(verdict.rawValue))])
            )
        }
    }
}

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
