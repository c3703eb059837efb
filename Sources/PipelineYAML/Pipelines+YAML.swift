public import Pipeline
public import PipelineConfig

extension Pipelines {
    /// Reads the configuration at `path` and builds its pipelines.
    ///
    /// Throws ``ConfigError`` with every problem when the file cannot be used. Nothing is opened before the first fetch.
    public convenience init(
        contentsOf path: String, plugins: [SourcePlugin], environment: ConfigEnvironment = .process, clock: PipelineClock = .system
    ) throws {
        try self.init(ConfigFile(path: path).report(plugins: plugins, environment: environment), clock: clock)
    }
}
