internal import PipelineConfig

/// What the program is, for its commands.
enum Program {
    static let name = "pipe-run"
    static let version = "0.1.0"

    /// The plugins of this process. A task-local, since the argument parser makes the commands and takes no values for them.
    @TaskLocal static var plugins: [SourcePlugin] = []
}
