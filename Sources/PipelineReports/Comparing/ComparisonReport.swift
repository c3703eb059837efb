internal import Pipeline
package import PipelineSimulation

/// What a comparison found, for people and programs.
package struct ComparisonReport: Sendable {
    /// What the runs were.
    package struct Load: Sendable {
        package let shape: LoadShape
        package let duration: Duration
        /// How many blocks were to be.
        package let runs: Int
        package let isCold: Bool
        package let seed: UInt64

        package init(shape: LoadShape, duration: Duration, runs: Int, isCold: Bool, seed: UInt64) {
            (self.shape, self.duration, self.runs, self.isCold, self.seed) = (shape, duration, runs, isCold, seed)
        }
    }

    /// Why blocks are missing.
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

    /// - Parameter stop: nil when all blocks are whole.
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

    /// What a reader must know of the figures.
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

    /// Why variants have no ratio.
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
