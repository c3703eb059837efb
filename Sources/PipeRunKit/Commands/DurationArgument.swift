internal import ArgumentParser
internal import PipelineConfig

/// A duration on the command line, as in the file: `500ms`, `2s`.
enum DurationArgument {
    static func duration(_ argument: String) throws -> Duration {
        guard let duration = try? Quantity.duration(argument), duration > .zero else {
            throw ValidationError("`\(argument)` is no time to wait; write it as `500ms` or `2s`")
        }
        return duration
    }
}
