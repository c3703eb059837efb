/// One of the pipelines that a simulation compares.
package struct Variant: Sendable {
    /// What it is called in answers: `memory,disk,api`, `memory.ttl=10s`.
    package let name: String
    package let pipeline: SimulatedPipeline
    /// The size that is varied, for the curve: a number of entries, or of bytes.
    package let size: Int?
    /// Whether that is a number of entries, as other caches are measured by.
    package let isSizedInEntries: Bool

    /// The name of the curve that it is a point of: those that differ in nothing but the size have one curve.
    package let curve: String

    /// - Parameters:
    ///   - field: the field that is varied.
    ///   - curve: what the variants are called that differ in the size alone.
    package init(_ name: String, _ pipeline: SimulatedPipeline, size: Int? = nil, of field: String = "", on curve: String = "") {
        (self.name, self.pipeline, self.size, self.curve) = (name, pipeline, size, curve)
        isSizedInEntries = field.hasSuffix("max_entries")
    }

    /// The sources in the order of asking.
    package var order: [String] { pipeline.tiers.map(\.name) }
}
