internal import PipelineConfig
internal import PipelineJSON
internal import PipelineScenarios
internal import PipelineYAML

extension CoverageReport {
    /// `{"all","reached","asserted","pipelines":[…],"points":[…]}`: the counts, and each point with how many runs reached and asserted it.
    package var json: String {
        let pipelines = coverage.configs.flatMap { config in
            config.pipelines.map { name in
                JSONText.object([("file", .string(config.file.name)), ("pipeline", .string(name))] + Self.members(config.count(of: name)))
            }
        }
        let points = coverage.configs.flatMap { config in config.orders.flatMap { Self.points(of: $0, in: config) } }
        return JSONText.object(Self.members(coverage.count) + [("pipelines", .lines(pipelines)), ("points", .lines(points))]).text + "\n"
    }

    private static func members(_ count: Coverage.Count) -> [(String, JSONText)] {
        [("all", .int(count.all)), ("reached", .int(count.reached)), ("asserted", .int(count.asserted))]
    }

    private static func points(of order: Coverage.Order, in config: Coverage.Config) -> [JSONText] {
        order.points.map { point in
            .object([
                ("file", .string(config.file.name)), ("line", .int(point.range.start.line)), ("column", .int(point.range.start.column)),
                ("pipeline", .string(order.pipeline)), ("order", .optional(order.title)), ("element", .string(point.id.element)),
                ("branch", .string(point.id.branch)), ("reached", .int(point.reached)), ("asserted", .int(point.asserted)),
            ])
        }
    }
}
