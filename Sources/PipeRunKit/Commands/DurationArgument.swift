internal import ArgumentParser
internal import PipelineConfig

/// A duration on the command line, as in the file: `500ms`, `2s`.
enum DurationArgument {
    static func duration(_ argument: String) throws -> Duration {
        guard let duration = try? Quantity.duration(argument) else {
            throw ValidationError("`\(argument)` is not a duration, such as `500ms` or `2s`")
        }
        guard duration > .zero else { throw ValidationError("`\(argument)` is too short: expected more than `0s`") }
        return duration
    }
}
