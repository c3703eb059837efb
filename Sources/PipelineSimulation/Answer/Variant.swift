/// One of the pipelines that a simulation compares.
package struct Variant: Sendable {
    /// What it is called in answers: `memory,disk,api`, `memory.ttl=10s`.
    package let name: String
    package let pipeline: SimulatedPipeline
    /// The value of the field that is varied, where that is a number, for the curve.
    package let size: Int?
    /// Whether that is a number of entries, as other caches are measured by.
    let isSizedInEntries: Bool

    /// - Parameter field: the field that is varied.
    package init(_ name: String, _ pipeline: SimulatedPipeline, size: Int? = nil, of field: String = "") {
        (self.name, self.pipeline, self.size) = (name, pipeline, size)
        isSizedInEntries = field.hasSuffix("max_entries")
    }

    /// The sources in the order of asking.
    package var order: [String] { pipeline.tiers.map(\.name) }
}
