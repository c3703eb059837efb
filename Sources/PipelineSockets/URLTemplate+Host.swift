package import PipelineConfig

extension URLTemplate {
    /// Whether a parameter stands in the host or the port.
    package var hostDependsOnKey: Bool {
        URLReference(description).authority?.contains(UInt8(ascii: "{")) ?? false
    }
}
