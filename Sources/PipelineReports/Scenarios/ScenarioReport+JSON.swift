internal import Pipeline
internal import PipelineConfig
internal import PipelineJSON
internal import PipelineScenarios

extension ScenarioReport {
    /// A list with an object for each run, each on a line of its own.
    package var json: String {
        let elements = tested.flatMap { tested in
            let names = ScenarioNames(tested, options: options)
            return tested.outcomes.map { Self.element($0, name: names.masked($0.name)) }
        }
        return JSONText.lines(elements).text + "\n"
    }

    private static func element(_ outcome: ScenarioOutcome, name: String) -> JSONText {
        let failure = outcome.failure
        return .object([
            ("file", .string(outcome.file)),
            ("line", .int(outcome.line)),
            ("name", .string(name)),
            ("order", .optional(outcome.order)),
            ("outcome", .string(outcome.hasPassed ? "passed" : "failed")),
            ("ms", .milliseconds(outcome.elapsed.milliseconds)),
            ("virtual_ms", .milliseconds(outcome.virtual.milliseconds)),
            ("step", failure.map { .int($0.step) } ?? .null),
            ("expected", .optional(failure?.expected)),
            // Of a step that fails by itself there is no value: the sentence says what happened.
            ("actual", .optional(failure.map { $0.actual ?? $0.message })),
            ("trace", .array(outcome.events.map { event(of: $0, in: outcome.config) })),
            ("digest", .string(KeyHash.digits(of: outcome.digest))),
        ])
    }

    private static func event(of event: ScenarioEvent, in config: String) -> JSONText {
        let place = event.place.map { "\(config):\($0.start.line)" }
        return .object([
            ("virtual_ms", .milliseconds(event.time.milliseconds)),
            ("step", .int(event.step)),
            ("text", .string(event.text)),
            ("place", .optional(place)),
        ])
    }
}
