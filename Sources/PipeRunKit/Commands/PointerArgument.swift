internal import ArgumentParser
internal import PipelineJSON

/// A place in a JSON value on the command line.
enum PointerArgument {
    /// The place that `text` names. Throws what is wrong with it.
    static func pointer(_ text: String) throws -> JSONPointer {
        do throws(JSONPath.Problem) {
            return try JSONPointer(parsing: text)
        } catch {
            throw ValidationError("`\(text)` is not a JSON Pointer: \(error.message), as in `/author/name`")
        }
    }
}
