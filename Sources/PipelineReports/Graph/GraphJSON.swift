internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON

/// Pipelines as JSON, for programs: the keys are documented and stay.
package enum GraphJSON {
    package static func text(_ model: GraphModel) -> String {
        // Where there are none, the object is what it was before there were any.
        let sends = model.sends.isEmpty ? [] : [("sends", JSONText.array(model.sends.map(send)))]
        let problems = [("problems", JSONText.array(model.problems.map(problem)))]
        return JSONText.object([("pipelines", .array(model.pipelines.map(pipeline)))] + sends + problems).text + "\n"
    }

    private static func send(_ send: GraphSend) -> JSONText {
        .object([
            ("name", .string(send.name)), ("description", .optional(send.description)),
            ("parameters", .array(send.parameters.map(parameter))), ("to", .string(send.target)), ("type", .optional(send.type)),
            ("method", .optional(send.method)), ("outbox", .string(send.outbox)),
            (
                "changes",
                .array(send.changes.map { .object([("pipeline", .string($0.pipeline)), ("op", .string($0.operation))]) })
            ), ("problems", .array(send.problems.map(problem))),
        ])
    }

    private static func pipeline(_ pipeline: GraphPipeline) -> JSONText {
        // Where there are none, the object is what it was before there were any.
        let feeds = pipeline.feeds.isEmpty ? [] : [("feeds", JSONText.array(pipeline.feeds.map(feed)))]
        let parts = pipeline.parts.isEmpty ? [] : [("parts", JSONText.array(pipeline.parts.map(part)))]
        let links = pipeline.links.isEmpty ? [] : [("links", JSONText.array(pipeline.links.map(link)))]
        let members: [(String, JSONText)] = [
            ("name", .string(pipeline.name)),
            ("description", .optional(pipeline.description)),
            ("parameters", .array(pipeline.parameters.map(parameter))),
            ("policies", policies(pipeline.policies)),
            ("tiers", .array(pipeline.tiers.map(tier))),
        ]
        let rest: [(String, JSONText)] = [
            ("edges", .array(edges(pipeline))),
            ("problems", .array(pipeline.problems.map(problem))),
        ]
        return .object(members + parts + links + feeds + rest)
    }

    static func parameter(_ parameter: GraphParameter) -> JSONText {
        .object([("name", .string(parameter.name)), ("default", .optional(parameter.defaultValue))])
    }

    private static func tier(_ tier: GraphTier) -> JSONText {
        .object([
            ("source", .string(tier.source)),
            ("type", .optional(tier.type)),
            ("kind", .string(tier.kind)),
            ("policies", policies(tier.policies)),
            ("problems", .array(tier.problems.map(problem))),
        ])
    }

    private static func part(_ part: GraphPart) -> JSONText {
        let members: [(String, JSONText)] = [
            ("name", .string(part.name)), ("at", .string(part.place)), ("pipeline", .string(part.pipeline)),
            ("arguments", arguments(of: part)), ("select", .string(part.select)), ("follow", .array(part.follow.map(JSONText.string))),
            ("optional", .bool(part.isOptional)), ("default", .optional(part.defaultText)), ("timeout", .optional(part.timeout)),
        ]
        return .object(members)
    }

    private static func link(_ link: GraphPart) -> JSONText {
        .object([
            ("name", .string(link.name)), ("at", .string(link.place)), ("pipeline", .string(link.pipeline)),
            ("parameter", .optional(link.parameter)), ("arguments", arguments(of: link)), ("optional", .bool(link.isOptional)),
            ("default", .optional(link.defaultText)),
        ])
    }

    /// A text each, or an object that says where it comes from.
    private static func arguments(of part: GraphPart) -> JSONText {
        .object(
            part.arguments.map { argument in
                guard let place = argument.place else { return (argument.name, .string(argument.text)) }
                let from = argument.part.map { [("from", JSONText.string($0))] } ?? []
                return (argument.name, .object(from + [("at", .string(place))]))
            })
    }

    private static func feed(_ feed: GraphFeed) -> JSONText {
        .object([
            ("source", .string(feed.source)), ("type", .optional(feed.type)), ("kind", .string(GraphFeed.kind)),
            ("merges", .bool(feed.isMerging)), ("policies", policies(feed.policies)), ("problems", .array(feed.problems.map(problem))),
        ])
    }

    private static func policies(_ policies: [GraphPolicy]) -> JSONText {
        .object(policies.map { ($0.name, .optional($0.value)) })
    }

    private static func edges(_ pipeline: GraphPipeline) -> [JSONText] {
        let fallbacks = pipeline.fallbacks.map { edge in
            JSONText.object([
                ("kind", .string("fallback")), ("from", .string(pipeline.tiers[edge.from].source)),
                ("to", .string(pipeline.tiers[edge.to].source)),
            ])
        }
        let writeBacks = pipeline.writeBacks.map { edge in
            JSONText.object([
                ("kind", .string("write_back")), ("from", .string(pipeline.tiers[edge.from].source)),
                ("to", .string(pipeline.tiers[edge.to].source)), ("ttl", .optional(edge.ttl)), ("debounce", .optional(edge.debounce)),
            ])
        }
        let changes = pipeline.feedLines.map { line in
            JSONText.object([
                ("kind", .string(pipeline.feeds[line.feed].isMerging ? "change" : "refresh")),
                ("from", .string(pipeline.feeds[line.feed].source)), ("to", .string(pipeline.tiers[line.to].source)),
            ])
        }
        return fallbacks + writeBacks + changes
    }

    static func problem(_ problem: GraphProblem) -> JSONText {
        .object([
            ("code", .string(problem.code)), ("severity", .string(problem.severity.rawValue)),
            ("message", .string(problem.message)), ("line", .int(problem.line)),
        ])
    }
}
