internal import Pipeline
internal import PipelineJSON

/// A change as JSON, for programs: the keys are documented and stay.
package enum GraphDiffJSON {
    package static func text(_ changed: [GraphPipeline], unchanged: [String], from old: String, to new: String) -> String {
        JSONText.object([
            ("from", .string(old)), ("to", .string(new)), ("pipelines", .array(changed.map(pipeline))),
            ("unchanged", .array(unchanged.map(JSONText.string))),
        ]).text + "\n"
    }

    private static func pipeline(_ pipeline: GraphPipeline) -> JSONText {
        let tiers = pipeline.tiers.enumerated().map { index, tier in
            let isAsked = pipeline.change == .removed || tier.change != .removed
            return JSONText.object([
                ("source", .string(tier.source)), ("type", .optional(tier.type)), ("kind", .string(tier.kind)),
                ("change", change(tier.change)),
                ("position", isAsked ? .int(index + 1) : .null), ("former_position", tier.formerIndex.map { .int($0 + 1) } ?? .null),
                ("former_kind", .optional(tier.formerTitle)), ("policies", .array(tier.policies.map(policy))),
            ])
        }
        // Where there are none, the object is what it was before there were any.
        let parts = [("parts", pipeline.parts), ("links", pipeline.links)].filter { !$0.1.isEmpty }.map {
            ($0, JSONText.array(self.parts($1)))
        }
        let members: [(String, JSONText)] = [
            ("name", .string(pipeline.name)), ("change", change(pipeline.change)), ("policies", .array(pipeline.policies.map(policy))),
            ("tiers", .array(tiers)),
            (
                "feeds",
                .array(
                    pipeline.feeds.map { feed in
                        .object([
                            ("source", .string(feed.source)), ("type", .optional(feed.type)), ("change", change(feed.change)),
                            ("policies", .array(feed.policies.map(policy))),
                        ])
                    })
            ),
            (
                "write_backs",
                .array(
                    pipeline.writeBacks.map { edge in
                        .object([
                            ("from", .string(pipeline.tiers[edge.from].source)), ("to", .string(pipeline.tiers[edge.to].source)),
                            ("change", change(edge.change)), ("ttl", .optional(edge.ttl)), ("debounce", .optional(edge.debounce)),
                        ])
                    })
            ),
        ]
        return .object(members + parts)
    }

    private static func parts(_ parts: [GraphPart]) -> [JSONText] {
        parts.enumerated().map { index, part in
            let isWhole = part.change == .added || part.change == .removed
            return .object([
                ("name", .string(part.name)), ("pipeline", .string(part.pipeline)), ("change", change(part.change)),
                ("position", part.change == .removed ? .null : .int(index + 1)),
                ("former_position", part.formerIndex.map { .int($0 + 1) } ?? .null),
                ("fields", .array((isWhole ? part.fields : part.changes).map(policy))),
            ])
        }
    }

    private static func policy(_ policy: GraphPolicy) -> JSONText {
        .object([
            ("name", .string(policy.name)), ("change", change(policy.change)),
            ("from", .optional(policy.change == nil ? policy.value : policy.former)), ("to", .optional(policy.value)),
        ])
    }

    private static func change(_ change: GraphChange?) -> JSONText { .optional(change?.rawValue) }
}
