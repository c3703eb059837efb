/// A parameter of a pipeline.
package struct GraphParameter: Hashable {
    let name: String
    let defaultValue: String?
}
