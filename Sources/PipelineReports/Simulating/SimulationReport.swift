internal import Pipeline
internal import PipelineJSON
package import PipelineSimulation

/// The results of a simulation, as text, JSON and CSV.
package struct SimulationReport: Sendable {
    let pipeline: String
    let trace: Trace
    package let results: [Simulation.Played]
    /// The number of requests at the beginning that are in no figure.
    let warmUp: Int
    /// The number of variants, those that were not played included.
    private let planned: Int

    /// - Parameters:
    ///   - warmUp: how many requests at the beginning are in no figure.
    ///   - planned: how many variants there are; nil for as many as there are results.
    package init(pipeline: String, trace: Trace, _ results: [Simulation.Played], warmUp: Int = 0, of planned: Int? = nil) {
        (self.pipeline, self.trace, self.results, self.warmUp) = (pipeline, trace, results, warmUp)
        self.planned = planned ?? results.count
    }

    /// The parts that an interrupted simulation lacks, in words; nil for a complete one.
    var missing: String? {
        guard results.count < planned || results.contains(where: \.isPartial) else { return nil }
        let whole = results.count { !$0.isPartial }
        return "partial: \(whole) of \(planned) variants \(whole == 1 ? "was" : "were") played to the end"
    }

    /// The sources of all variants, in the order in which they first come.
    private var sources: [(name: String, isCache: Bool)] {
        var sources: [(name: String, isCache: Bool)] = []
        for tier in results.flatMap(\.counts.tiers) where !sources.contains(where: { $0.name == tier.name }) {
            sources.append((tier.name, tier.isCache))
        }
        return sources
    }

    /// A row for each variant.
    package var text: String {
        let seconds = trace.duration.milliseconds / 1_000
        var text =
            "\(pipeline): \(Figure.count(trace.requests.count)) request\(trace.requests.count == 1 ? "" : "s") of \(Figure.count(trace.keys.count)) key\(trace.keys.count == 1 ? "" : "s") in \(Figure.decimal(seconds, 0)) s\n"
        text += TextTable.text(results.map(row), head: header, figures: true)
        text += engineAlone
        for result in results where result.isPartial {
            let (played, all) = (Figure.count(result.played), Figure.count(trace.requests.count))
            text += "`\(result.variant.name)` is partial: \(played) of \(all) requests were played\n"
        }
        return text + (missing.map { $0 + "\n" } ?? "")
    }

    /// The variants that the engine played alone, and the reasons: one line for each set of reasons.
    private var engineAlone: String {
        let alone = results.filter { !$0.reasons.isEmpty }
        let reasons = alone.map(\.reasons).reduce(into: [[String]]()) { if !$0.contains($1) { $0.append($1) } }
        return reasons.map { reasons in
            let names = alone.filter { $0.reasons == reasons }.map { "`\($0.variant.name)`" }
            let isEach = names.count > 1 && names.count == results.count
            return (isEach ? "every variant was" : names.joined(separator: ", ") + (names.count == 1 ? " was" : " were"))
                + " played by the engine alone: the quick rules do not cover \(reasons.joined(separator: ", "))\n"
        }.joined()
    }

    private var hasCost: Bool { results.contains { $0.counts.cost != nil } }
    private var hasWrongAge: Bool { results.contains { $0.counts.wrongAge != nil } }

    private var header: [String] {
        ["variant"] + sources.map(\.name) + ["joined", "stale", "failed", "not found"]
            + sources.filter { !$0.isCache }.map { "calls of \($0.name)" }
            + ["most/s", "bytes", "p50", "p99", "p99.9"] + (hasWrongAge ? ["wrong for"] : []) + (hasCost ? ["cost"] : [])
    }

    private func row(_ result: Simulation.Played) -> [String] {
        let counts = result.counts
        func tier(_ name: String) -> VariantCounts.Tier? { counts.tiers.first { $0.name == name } }
        func share(_ count: Int) -> String { Figure.share(count, of: counts.requests) }
        var row = [result.variant.name]
        row += sources.map { source in tier(source.name).map { share($0.answered) } ?? "-" }
        row += [counts.joined, counts.stale, counts.failed, counts.notFound].map(share)
        row += sources.filter { !$0.isCache }.map { source in tier(source.name).map { Figure.count($0.calls) } ?? "-" }
        row += [Figure.count(counts.peakPerSecond), Figure.bytes(counts.bytes)]
        row += [0.5, 0.99, 0.999].map { Figure.latency(counts.latency(at: $0)) }
        if hasWrongAge { row.append(counts.wrongAge.map { Figure.latency(Int64($0)) } ?? "-") }
        if hasCost { row.append(counts.cost.map(Figure.cost) ?? "-") }
        return row
    }

    /// One object; the same bytes in each process.
    package var json: String {
        let summary: [(String, JSONText)] = [
            ("requests", .int(trace.requests.count)), ("keys", .int(trace.keys.count)),
            ("seconds", .milliseconds(trace.duration.milliseconds / 1_000)),
        ]
        var members: [(String, JSONText)] = [
            ("pipeline", .string(pipeline)), ("trace", .object(summary)), ("variants", .lines(results.map(object))),
        ]
        if missing != nil { members.append(("partial", .bool(true))) }
        return JSONText.object(members).text + "\n"
    }

    private func object(_ result: Simulation.Played) -> JSONText {
        let counts = result.counts
        func milliseconds(at part: Double) -> JSONText { counts.latency(at: part).map { .milliseconds(Double($0) / 1e6) } ?? .null }
        var members: [(String, JSONText)] = [
            ("name", .string(result.variant.name)), ("order", .array(result.variant.order.map { .string($0) })),
            ("requests", .int(counts.requests)), ("answered", .object(counts.tiers.map { ($0.name, .int($0.answered)) })),
            ("joined", .int(counts.joined)), ("stale", .int(counts.stale)), ("failed", .int(counts.failed)),
            ("not_found", .int(counts.notFound)),
            ("origin_calls", .object(counts.tiers.filter { !$0.isCache }.map { ($0.name, .int($0.calls)) })),
            ("peak_per_second", .int(counts.peakPerSecond)), ("bytes", .int(counts.bytes)),
            ("latency_ms", .object([("p50", milliseconds(at: 0.5)), ("p99", milliseconds(at: 0.99)), ("p999", milliseconds(at: 0.999))])),
            ("wrong_age_ms", counts.wrongAge.map { .milliseconds($0 / 1e6) } ?? .null),
            ("cost", counts.cost.map { .number(Figure.significant($0, 12)) } ?? .null),
            ("series", .array(counts.series.enumerated().map { part(number: $0, $1, of: counts) })),
        ]
        if !result.reasons.isEmpty { members.append(("engine_alone", .array(result.reasons.map { .string($0) }))) }
        if result.isPartial { members += [("partial", .bool(true)), ("played", .int(result.played))] }
        return .object(members)
    }

    private func part(number: Int, _ part: VariantCounts.Part, of counts: VariantCounts) -> JSONText {
        .object([
            ("seconds", .milliseconds(Double(counts.bucket) * Double(number) / 1e9)),
            ("answered", .object(zip(counts.tiers, part.answered).map { ($0.name, .int($1)) })),
            ("joined", .int(part.joined)), ("stale", .int(part.stale)), ("failed", .int(part.failed)), ("not_found", .int(part.notFound)),
        ])
    }

    /// A line for each variant, below one with the names of the columns; milliseconds and counts. `partial` is `true` for a variant that was
    /// not played to the end.
    package var csv: String {
        var columns = ["name", "order", "requests"] + sources.map { "answered_\($0.name)" } + ["joined", "stale", "failed", "not_found"]
        columns += sources.filter { !$0.isCache }.map { "calls_\($0.name)" }
        columns += ["peak_per_second", "bytes", "p50_ms", "p99_ms", "p999_ms", "wrong_age_ms", "cost", "partial"]
        let rows = results.map { result -> [String] in
            let counts = result.counts
            func tier(_ name: String) -> VariantCounts.Tier? { counts.tiers.first { $0.name == name } }
            func number(_ value: Double?) -> String { value.map { JSONText.milliseconds($0).text } ?? "" }
            var row = [result.variant.name, result.variant.order.joined(separator: " "), "\(counts.requests)"]
            row += sources.map { source in tier(source.name).map { "\($0.answered)" } ?? "" }
            row += [counts.joined, counts.stale, counts.failed, counts.notFound].map(\.description)
            row += sources.filter { !$0.isCache }.map { source in tier(source.name).map { "\($0.calls)" } ?? "" }
            row += ["\(counts.peakPerSecond)", "\(counts.bytes)"]
            row += [0.5, 0.99, 0.999].map { number(counts.latency(at: $0).map { Double($0) / 1e6 }) }
            return row + [
                number(counts.wrongAge.map { $0 / 1e6 }), counts.cost.map { Figure.significant($0, 12) } ?? "", "\(result.isPartial)",
            ]
        }
        return CSVText.lines([columns] + rows)
    }
}
