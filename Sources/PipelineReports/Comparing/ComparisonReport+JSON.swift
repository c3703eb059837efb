internal import PipelineJSON
internal import PipelineSimulation

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
