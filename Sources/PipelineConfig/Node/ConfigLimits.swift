/// How large a configuration may be; over a limit is a diagnostic (P003).
public struct ConfigLimits: Sendable {
    /// The most bytes of text.
    public var bytes: Int
    /// The deepest nesting of lists and mappings.
    public var depth: Int
    /// The most nodes, each alias counted with all it stands for.
    public var nodes: Int

    /// Limits; the defaults are 16 MiB, 64 and 1,000,000.
    public init(bytes: Int = 16 << 20, depth: Int = 64, nodes: Int = 1_000_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
