internal import Pipeline
internal import PipelineConfig

/// The goal for variants: the bounds that one must keep to, and the figure that it should have as little or as much of as possible:
/// `p99 <= 50ms; failed <= 0.1%; min cost`.
package struct Objective: Sendable {
    /// A figure of a variant.
    package enum Metric: String, CaseIterable, Sendable {
        case p50, p99
        case p999 = "p99.9"
        case hits, joined, stale, failed
        case notFound = "not_found"
        case calls, peak, bytes, wrong, cost

        var isTime: Bool { [.p50, .p99, .p999, .wrong].contains(self) }
        var isShare: Bool { [.hits, .joined, .stale, .failed, .notFound].contains(self) }

        /// The figure of `counts`: nanoseconds, a part of all requests, or a number; nil if there is none.
        func value(of counts: VariantCounts) -> Double? {
            func share(_ count: Int) -> Double? { counts.requests == 0 ? nil : Double(count) / Double(counts.requests) }
            switch self {
            case .p50: return counts.latency(at: 0.5).map(Double.init)
            case .p99: return counts.latency(at: 0.99).map(Double.init)
            case .p999: return counts.latency(at: 0.999).map(Double.init)
            case .hits: return counts.requests == 0 ? nil : counts.hitRatio
            case .joined: return share(counts.joined)
            case .stale: return share(counts.stale)
            case .failed: return share(counts.failed)
            case .notFound: return share(counts.notFound)
            case .calls: return Double(counts.tiers.reduce(0) { $0 + ($1.isCache ? 0 : $1.calls) })
            case .peak: return Double(counts.peakPerSecond)
            case .bytes: return Double(counts.bytes)
            case .wrong: return counts.wrongAge
            case .cost: return counts.cost
            }
        }

        /// A figure in words.
        func words(_ value: Double?) -> String {
            guard let value else { return "\(rawValue) unknown" }
            if isTime { return "\(rawValue) \(Figure.latency(Int64(value)))" }
            if isShare { return "\(rawValue) \(Figure.decimal(value * 100, 2))%" }
            return "\(rawValue) " + (self == .cost ? Figure.cost(value) : Figure.count(Int(value)))
        }

        /// The field that a model must have so that there is this figure; nil for one that needs nothing of it.
        fileprivate var need: String? {
            switch self {
            case .cost: "say in the model what a source costs, as in `cost: 0.002/call`"
            case .wrong: "say in the model how often the values of an origin change, as in `changes: { every: 1h }`"
            default: nil
            }
        }

        /// Indicates whether the model of `pipeline` says what the figure needs.
        fileprivate func isKnown(of pipeline: SimulatedPipeline) -> Bool {
            switch self {
            case .cost: pipeline.tiers.contains { $0.model.cost != nil }
            case .wrong: pipeline.tiers.contains { $0.model.changes != nil }
            default: true
            }
        }
    }

    struct Limit: Sendable {
        let metric: Metric
        let isUpper: Bool
        let value: Double

        /// The part of the limit by which `counts` misses it; 0 if it keeps to it.
        func excess(of counts: VariantCounts) -> Double {
            guard let figure = metric.value(of: counts) else { return .infinity }
            let over = isUpper ? figure - value : value - figure
            return over <= 0 ? 0 : over / max(value, 1e-9)
        }
    }

    let limits: [Limit]
    /// The figure of which there should be little, or much.
    let goal: (metric: Metric, isLeast: Bool)?

    /// The reason why a text is no objective, or why variants cannot be judged by it.
    package struct Problem: Error {
        package let message: String
        package var help: String?
    }

    package init(_ text: String) throws {
        var limits: [Limit] = []
        var goal: (Metric, Bool)?
        for part in text.split(separator: ";") where !part.allSatisfy(\.isWhitespace) {
            let words = ["<=", ">="].reduce(part[...]) { $0.replacing($1, with: " \($1) ")[...] }.split(whereSeparator: \.isWhitespace).map(
                String.init)
            if words.count == 2, ["min", "max"].contains(words[0]) {
                guard goal == nil else { throw Problem(message: "an objective has one `min` or `max`") }
                goal = (try Self.metric(words[1]), words[0] == "min")
                continue
            }
            guard words.count == 3, ["<=", ">="].contains(words[1]) else {
                throw Problem(message: "`\(words.joined(separator: " "))` is no part of an objective, such as `p99 <= 50ms` or `min cost`")
            }
            let metric = try Self.metric(words[0])
            limits.append(Limit(metric: metric, isUpper: words[1] == "<=", value: try Self.value(words[2], of: metric)))
        }
        guard goal != nil || !limits.isEmpty else { throw Problem(message: "the objective is empty") }
        (self.limits, self.goal) = (limits, goal)
    }

    private static func metric(_ word: String) throws -> Metric {
        if let metric = Metric(rawValue: word == "p999" ? "p99.9" : word) { return metric }
        let known = Metric.allCases.map(\.rawValue)
        throw Problem(message: "`\(word)` is no figure: expected one of \(known.joined(separator: ", "))")
    }

    private static func value(_ word: String, of metric: Metric) throws -> Double {
        let value: Double? =
            metric.isTime
            ? (try? Quantity.duration(word)).map { Double($0.saturatedNanoseconds) }
            : metric.isShare
                ? (try? Quantity.ratio(word))?.value : metric == .bytes ? (try? Quantity.size(word)).map { Double($0.bytes) } : Double(word)
        guard let value, value.isFinite, value >= 0 else { throw Problem(message: "`\(word)` is no value of `\(metric.rawValue)`") }
        return value
    }

    private var metrics: [(metric: Metric, isLeast: Bool)] {
        limits.map { ($0.metric, $0.isUpper) } + (goal.map { [$0] } ?? [])
    }

    private func excess(of counts: VariantCounts) -> Double { limits.reduce(0) { $0 + $1.excess(of: counts) } }

    /// The figures that the objective names.
    func words(of counts: VariantCounts) -> String {
        var seen: Set<Metric> = []
        return metrics.filter { seen.insert($0.metric).inserted }.map { $0.metric.words($0.metric.value(of: counts)) }.joined(
            separator: ", ")
    }

    /// The comparison of the variants.
    package struct Choice: Sendable {
        /// The number of the best variant, or of the nearest one where none keeps to all limits.
        package let best: Int
        package let isMet: Bool
        /// The variants that are as good within the spread of the seeds; without a goal, the others that keep to all limits.
        package let equals: [Int]
        /// The variants that no other beats in one figure without being beaten in another.
        package let unbeaten: [Int]
    }

    /// Compares variants, each by the counts of several seeds, the first one's first; nil without any.
    package func choice(among variants: [[VariantCounts]]) -> Choice? {
        let first = variants.compactMap(\.first)
        guard first.count == variants.count, !first.isEmpty else { return nil }
        let excesses = variants.map { seeds in seeds.map(excess).max() ?? .infinity }
        let kept = excesses.indices.filter { excesses[$0] == 0 }
        let unbeaten = first.indices.filter { candidate in !first.indices.contains { beats(first[$0], first[candidate]) } }
        guard !kept.isEmpty else {
            let nearest = excesses.indices.min { excesses[$0] < excesses[$1] } ?? 0
            return Choice(best: nearest, isMet: false, equals: [], unbeaten: unbeaten)
        }
        guard let goal else { return Choice(best: kept[0], isMet: true, equals: Array(kept.dropFirst()), unbeaten: unbeaten) }
        func figures(_ index: Int) -> [Double] {
            variants[index].map { Self.figure(goal, of: $0) }
        }
        func mean(_ index: Int) -> Double { figures(index).reduce(0, +) / Double(max(1, figures(index).count)) }
        let best = kept.min { mean($0) < mean($1) } ?? kept[0]
        let worst = figures(best).max() ?? 0
        let equals = kept.filter { $0 != best && (figures($0).min() ?? .infinity) <= worst }
        return Choice(best: best, isMet: true, equals: equals, unbeaten: unbeaten)
    }

    private func beats(_ one: VariantCounts, _ other: VariantCounts) -> Bool {
        let differences = metrics.map { metric, isLeast in
            let (one, other) = (Self.figure((metric, isLeast), of: one), Self.figure((metric, isLeast), of: other))
            return one == other ? 0 : one - other
        }
        return differences.allSatisfy { $0 <= 0 } && differences.contains { $0 < 0 }
    }

    /// A figure that is the better the less it is. One that is not known is the worst.
    private static func figure(_ goal: (metric: Metric, isLeast: Bool), of counts: VariantCounts) -> Double {
        goal.metric.value(of: counts).map { goal.isLeast ? $0 : -$0 } ?? .infinity
    }

    /// Throws ``Problem`` for a figure that none of `variants` will have, whatever is played.
    package func check(_ variants: [Variant]) throws {
        for (metric, _) in metrics where !variants.contains(where: { metric.isKnown(of: $0.pipeline) }) { throw Self.unknown(metric) }
    }

    /// Throws ``Problem`` for a figure that no variant has, although it could.
    package func check(_ variants: [[VariantCounts]]) throws {
        for (metric, _) in metrics where !variants.joined().contains(where: { metric.value(of: $0) != nil }) { throw Self.unknown(metric) }
    }

    private static func unknown(_ metric: Metric) -> Problem {
        Problem(message: "no variant has a figure `\(metric.rawValue)`, which the objective names", help: metric.need)
    }

    /// The choice in words: the best variant, those that nothing beats, and the edit.
    ///
    /// - Parameter edit: the edit of the file that makes a variant, by its number; nil if there is none.
    package func text(_ choice: Choice, names: [String], counts: [VariantCounts], edit: (Int) -> String?) -> String {
        var text = ""
        let figures = words(of: counts[choice.best])
        if !choice.isMet {
            text += "none meets the objective; nearest: \(names[choice.best]) (\(figures))\n"
        } else if goal == nil {
            for index in [choice.best] + choice.equals { text += "meets the objective: \(names[index]) (\(words(of: counts[index])))\n" }
        } else if choice.equals.isEmpty {
            text += "best: \(names[choice.best]) (\(figures))\n"
        } else {
            let all = ([choice.best] + choice.equals).map { names[$0] }
            text += "no difference between \(all.joined(separator: "; ")) (\(figures))\n"
        }
        text += "nothing beats in everything: " + choice.unbeaten.map { names[$0] }.joined(separator: "; ") + "\n"
        // Of several that are as good, or keep to limits alone, none is the one to make.
        if choice.isMet, choice.equals.isEmpty, let edit = edit(choice.best) { text += edit }
        return text
    }
}
