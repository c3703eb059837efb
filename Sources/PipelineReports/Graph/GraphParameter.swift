/// A parameter of a pipeline.
struct GraphParameter: Hashable {
    let name: String
    let defaultValue: String?
}
