/// What the runner gives a plugin to make a source with.
public struct SourceContext: Sendable {
    /// The name of the source in the file.
    public let name: String
    /// The only place to take the time from.
    public let clock: PipelineClock

    /// A context for the source `name`.
    public init(name: String, clock: PipelineClock) {
        self.name = name
        self.clock = clock
    }
}
