internal import ArgumentParser
internal import Pipeline
internal import PipelineConfig

/// A size on the command line, as in the file: `64MiB`, `1GB`.
enum SizeArgument {
    static func size(_ argument: String) throws -> Size {
        guard let size = try? Quantity.size(argument), size.bytes > 0 else {
            throw ValidationError("`\(argument)` is not a size, such as `64MiB` or `1GB`")
        }
        return size
    }
}
