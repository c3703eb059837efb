/// One of the pipelines that a simulation compares.
package struct Variant: Sendable {
    /// What it is called in answers: `memory,disk,api`, `memory.ttl=10s`.
    package let name: String
    package let pipeline: SimulatedPipeline
    /// The value of the field that is varied, where that is a number of entries or bytes, for the curve.
    package let size: Int?
    /// What differs from the file, for the edit; nil where that is no field.
    package let edit: Edit?

    /// A field with a value that is not the file's.
    package struct Edit: Sendable, Equatable {
        package let source: String
        package let field: String
        package let value: String

        package init(source: String, field: String, value: String) {
            (self.source, self.field, self.value) = (source, field, value)
        }
    }

    package init(_ name: String, _ pipeline: SimulatedPipeline, size: Int? = nil, edit: Edit? = nil) {
        (self.name, self.pipeline, self.size, self.edit) = (name, pipeline, size, edit)
    }

    /// The sources in the order of asking.
    package var order: [String] { pipeline.tiers.map(\.name) }
}
